// The calls of PISM's output to PnetCDF, in their order: variables are looked up by name at each call;
// definitions and attributes may come between records; times, bounds, coordinates and text are put by all
// ranks at the same place; fields are put in double, whatever their type; sync after each record.
//
//   pnetcdf_pism FILE            writes all records, and reads them
//   pnetcdf_pism FILE kill       dies within a record
//   pnetcdf_pism FILE append     expects the records before it, appends the others, and reads all
#include <signal.h>

#include "check.h"

enum { kX = 13, kY = 11, kZ = 3, kText = 64, kRecords = 4, kDies = 2 };
static int rank, ncid, is_defining;
static MPI_Offset xs, xm, ys, ym;

static const struct Field {
  const char* name;
  nc_type type;
  int is_record, n_levels;
} kFields[] = {
    {"lat", NC_DOUBLE, 0, 0}, {"thk", NC_DOUBLE, 1, 0}, {"mask", NC_BYTE, 1, 0}, {"temp", NC_FLOAT, 1, kZ}};
enum { kNumFields = sizeof kFields / sizeof kFields[0] };
static int is_written[kNumFields + 3];  // those without time, and x, y, z

static double value(int field, int record, MPI_Offset y, MPI_Offset x, int z) {
  const int place = (int)(y * kX + x) * kZ + z;
  return field == 2 ? (place + record) % 5 : 1000.0 * (field + 4 * record) + place;
}

static void redef(void) {
  if (!is_defining) OK(ncmpi_redef(ncid));
  is_defining = 1;
}

static void enddef(void) {
  if (is_defining) OK(ncmpi_enddef(ncid));
  is_defining = 0;
}

static int id_of(const char* name) {
  int id = -1;
  OK(ncmpi_inq_varid(ncid, name, &id));
  return id;
}

static MPI_Offset length_of(const char* dimension) {
  int id;
  MPI_Offset length = -1;
  OK(ncmpi_inq_dimid(ncid, dimension, &id));
  OK(ncmpi_inq_dimlen(ncid, id, &length));
  return length;
}

static void define_dimension(const char* name, MPI_Offset length) {
  int id;
  if (ncmpi_inq_dimid(ncid, name, &id) == NC_NOERR) return;
  redef();
  OK(ncmpi_def_dim(ncid, name, length, &id));
}

static void put_text(const char* variable, const char* name, const char* text) {
  redef();
  const int id = variable == NULL ? NC_GLOBAL : id_of(variable);
  OK(ncmpi_put_att_text(ncid, id, name, (MPI_Offset)strlen(text), text));
}

static void define_variable(const char* name, nc_type type, int n, const char* const* dimensions) {
  int id, ids[4];
  EXPECT(ncmpi_inq_varid(ncid, name, &id), NC_ENOTVAR);
  for (int i = 0; i < n; ++i) OK(ncmpi_inq_dimid(ncid, dimensions[i], &ids[i]));
  redef();
  OK(ncmpi_def_var(ncid, name, type, n, ids, &id));
  put_text(name, "long_name", name);
}

static void define_field(const struct Field* field) {
  const char* dimensions[] = {"time", "y", "x", "z"};
  const double range[2] = {0, 1e6};
  const int first = field->is_record ? 0 : 1, last = field->n_levels > 0 ? 4 : 3;
  define_variable(field->name, field->type, last - first, dimensions + first);
  if (field->type == NC_BYTE) return;
  redef();
  OK(ncmpi_put_att_double(ncid, id_of(field->name), "valid_range", field->type, 2, range));
}

// A line more than the attribute has.
static void append_history(void) {
  char text[1024] = "";
  MPI_Offset n = 0;
  if (ncmpi_inq_attlen(ncid, NC_GLOBAL, "history", &n) == NC_NOERR) {
    OK(ncmpi_get_att_text(ncid, NC_GLOBAL, "history", text));
  }
  strcpy(text + n, "a run of the model\n");
  put_text(NULL, "history", text);
}

static void create(const char* path, MPI_Info info) {
  int old;
  const char *axes[] = {"x", "y", "z"}, *bounds[] = {"time", "nv"};
  const MPI_Offset lengths[] = {kX, kY, kZ};
  OK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, info, &ncid));
  is_defining = 1;
  OK(ncmpi_set_fill(ncid, NC_NOFILL, &old));
  define_dimension("time", NC_UNLIMITED);
  define_variable("time", NC_DOUBLE, 1, bounds);
  put_text("time", "bounds", "time_bounds");
  define_dimension("nv", 2);
  define_variable("time_bounds", NC_DOUBLE, 2, bounds);
  append_history();
  const char* text = "config_length";
  define_dimension(text, kText);
  define_variable("config", NC_CHAR, 1, &text);
  for (int i = 0; i < 3; ++i) {
    define_dimension(axes[i], lengths[i]);
    define_variable(axes[i], NC_DOUBLE, 1, &axes[i]);
    put_text(axes[i], "units", "m");
  }
  for (int i = 0; i < kNumFields; ++i) define_field(&kFields[i]);
  define_variable("run_stats", NC_DOUBLE, 1, bounds);
}

static void put(const char* name, const MPI_Offset* start, const MPI_Offset* count, const double* values) {
  const int id = id_of(name);
  enddef();
  OK(ncmpi_put_vara_double_all(ncid, id, start, count, values));
}

static void put_config(int record) {
  char text[kText] = "";
  MPI_Offset start[1] = {0}, count[1];
  sprintf(text, "{\"record\": %d}", record);
  count[0] = (MPI_Offset)strlen(text) + 1;
  enddef();
  OK(ncmpi_put_vara_text_all(ncid, id_of("config"), start, count, text));
}

static void put_axis(const char* name, MPI_Offset length) {
  double values[kX];
  const MPI_Offset start[1] = {0};
  for (int i = 0; i < length; ++i) values[i] = 5.0 * i;
  put(name, start, &length, values);
}

static void put_axes_once(int has_levels) {
  const char* names[] = {"x", "y", "z"};
  const MPI_Offset lengths[] = {kX, kY, kZ};
  for (int i = 0; i < (has_levels ? 3 : 2); ++i) {
    if (!is_written[kNumFields + i]) put_axis(names[i], lengths[i]);
    is_written[kNumFields + i] = 1;
  }
}

// This rank's part of a field; `start` and `count` have a place for each possible axis.
static int part_of(const struct Field* field, int record, MPI_Offset* start, MPI_Offset* count) {
  const MPI_Offset first[4] = {record, ys, xs, 0}, n[4] = {1, ym, xm, kZ};
  const int skip = field->is_record ? 0 : 1;
  memcpy(start, first + skip, sizeof first - skip * sizeof *first);
  memcpy(count, n + skip, sizeof n - skip * sizeof *n);
  return field->n_levels > 0 ? field->n_levels : 1;
}

static void put_field(int i) {
  static double values[kX * kY * kZ];
  const struct Field* field = &kFields[i];
  if (!field->is_record && is_written[i]) return;
  put_axes_once(field->n_levels > 0);
  const int record = field->is_record ? (int)length_of("time") - 1 : 0;
  MPI_Offset start[4], count[4];
  const int n_levels = part_of(field, record, start, count);
  double* next = values;
  for (MPI_Offset y = ys; y < ys + ym; ++y) {
    for (MPI_Offset x = xs; x < xs + xm; ++x) {
      for (int z = 0; z < n_levels; ++z) *next++ = value(i, record, y, x, z);
    }
  }
  put(field->name, start, count, values);
  is_written[i] = 1;
}

static void put_record(int record, int dies) {
  const double time = record + 0.5, bounds[2] = {record, record + 1.0}, stats = 3600.0 * record;
  MPI_Offset start[2] = {0, 0}, count[2] = {1, 2};
  put_config(record);
  start[0] = length_of("time");
  CHECK(start[0] == record);
  put("time", start, count, &time);
  for (int i = 0; i < kNumFields; ++i) {
    put_field(i);
    if (!dies || i != 1) continue;
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  }
  start[0] = length_of("time") - 1;
  put("time_bounds", start, count, bounds);
  put("run_stats", start, count, &stats);
  OK(ncmpi_sync(ncid));
}

static void expect_field(int i, int record) {
  static double values[kX * kY * kZ];
  MPI_Offset start[4], count[4];
  const int n_levels = part_of(&kFields[i], record, start, count);
  memset(values, 0, sizeof values);
  OK(ncmpi_get_vara_double_all(ncid, id_of(kFields[i].name), start, count, values));
  int n_other = 0;
  const double* next = values;
  for (MPI_Offset y = ys; y < ys + ym; ++y) {
    for (MPI_Offset x = xs; x < xs + xm; ++x) {
      for (int z = 0; z < n_levels; ++z) {
        const double expected = value(i, kFields[i].is_record ? record : 0, y, x, z);
        if (*next != expected && n_other++ == 0) {
          fprintf(stderr, "rank %d: %s of record %d, y %d, x %d, z %d: %g, expected %g\n", rank,
                  kFields[i].name, record, (int)y, (int)x, z, *next, expected);
        }
        ++next;
      }
    }
  }
  CHECK(n_other == 0);
}

static void expect_records(int n) {
  double times[kRecords], bounds[2 * kRecords], stats[kRecords], x[kX];
  CHECK(length_of("time") == n);
  if (n > kRecords) return;
  OK(ncmpi_get_var_double_all(ncid, id_of("time"), times));
  OK(ncmpi_get_var_double_all(ncid, id_of("time_bounds"), bounds));
  OK(ncmpi_get_var_double_all(ncid, id_of("run_stats"), stats));
  OK(ncmpi_get_var_double_all(ncid, id_of("x"), x));
  for (int i = 0; i < kX; ++i) CHECK(x[i] == 5.0 * i);
  for (int record = 0; record < n; ++record) {
    CHECK(times[record] == record + 0.5 && stats[record] == 3600.0 * record);
    CHECK(bounds[2 * record] == record && bounds[2 * record + 1] == record + 1.0);
    for (int i = 0; i < kNumFields; ++i) expect_field(i, record);
  }
}

// Opens a file for more records, as a run that continues another one; the number of records in it.
static int open_to_append(const char* path, MPI_Info info) {
  int old;
  double last = 0;
  OK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, info, &ncid));
  redef();
  OK(ncmpi_set_fill(ncid, NC_NOFILL, &old));
  enddef();
  const MPI_Offset n = length_of("time"), start[1] = {n - 1}, count[1] = {1};
  OK(ncmpi_get_vara_double_all(ncid, id_of("time"), start, count, &last));
  CHECK(last == n - 0.5);
  for (int i = 0; i < kNumFields; ++i) is_written[i] = !kFields[i].is_record;
  return (int)n;
}

// The grid is divided along y and x.
static void divide(void) {
  int n_ranks, parts[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  MPI_Dims_create(n_ranks, 2, parts);
  const int j = rank / parts[1], i = rank % parts[1];
  ys = kY * j / parts[0], ym = kY * (j + 1) / parts[0] - ys;
  xs = kX * i / parts[1], xm = kX * (i + 1) / parts[1] - xs;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  divide();
  const char* what = argc > 2 ? argv[2] : "";
  const int appends = strcmp(what, "append") == 0, kills = strcmp(what, "kill") == 0;
  MPI_Info info;
  MPI_Info_create(&info);
  // With two aggregators, PnetCDF on Open MPI 4.1.4's OMPIO loses values in one run of three.
  if (strstr(ncmpi_inq_libvers(), "Esker") != NULL) MPI_Info_set(info, "cb_nodes", "2");
  int record = 0;
  if (appends) {
    record = open_to_append(argv[1], info);
    CHECK(record == kDies);
    expect_records(record);
  } else {
    create(argv[1], info);
  }
  for (; record < kRecords; ++record) {
    if (record > 0) append_history();
    put_record(record, kills && record == kDies);
  }
  OK(ncmpi_close(ncid));
  OK(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, info, &ncid));
  expect_records(kRecords);
  OK(ncmpi_close(ncid));
  MPI_Info_free(&info);
  return finish();
}
