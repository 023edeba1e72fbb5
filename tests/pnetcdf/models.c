// The calls of two models' output to PnetCDF, in their order. WRF: dates as text from all ranks, a redef and
// an enddef for each global attribute, fields by patches, small ones put independently. MPAS (SMIOL): every
// other rank has the file; fields go through the attached buffer as long as they fit, with the datatype of
// the variable.
#include "check.h"

enum { kX = 10, kY = 8, kCells = 37, kLevels = 3, kDate = 19, kTimes = 3, kFields = 4 };
static int rank, n_ranks;

static float value(int field, int time, MPI_Offset place) {
  return (float)(1000 * field + 100 * time + (int)place);
}

static void begin_and_count(MPI_Offset n, int part, int n_parts, MPI_Offset* start, MPI_Offset* count) {
  *start = n * part / n_parts;
  *count = n * (part + 1) / n_parts - *start;
}

static void define_fields(int ncid, int n_dims, const int* dims, int* fields) {
  const int kind = 104;
  char name[] = "field0";
  for (int i = 0; i < kFields; ++i, ++name[5]) {
    OK(ncmpi_def_var(ncid, name, NC_FLOAT, n_dims, dims, &fields[i]));
    OK(ncmpi_put_att_int(ncid, fields[i], "FieldType", NC_INT, 1, &kind));
    OK(ncmpi_put_att_text(ncid, fields[i], "MemoryOrder", 3, "XY "));
  }
}

static void put_attributes_singly(int ncid) {
  for (int i = 0; i < 12; ++i) {
    char name[] = "NUMBER_A";
    name[7] = (char)('A' + i);
    OK(ncmpi_redef(ncid));
    OK(ncmpi_put_att_int(ncid, NC_GLOBAL, name, NC_INT, 1, &i));
    OK(ncmpi_enddef(ncid));
  }
}

static void put_date(int ncid, int times, int time) {
  char date[kDate + 12];
  const MPI_Offset start[2] = {time, 0}, count[2] = {1, kDate};
  sprintf(date, "2000-01-0%d_00:00:00", time + 1);
  OK(ncmpi_put_vara_text_all(ncid, times, start, count, date));
}

static void put_patches(int ncid, const int* fields, int time) {
  float values[kX * kY];
  MPI_Offset start[3] = {time, 0, 0}, count[3] = {1, 0, kX};
  begin_and_count(kY, rank, n_ranks, &start[1], &count[1]);
  for (int i = 0; i < kFields; ++i) {
    for (MPI_Offset place = 0; place < count[1] * kX; ++place) {
      values[place] = value(i, time, start[1] * kX + place);
    }
    OK(ncmpi_put_vara_float_all(ncid, fields[i], start, count, values));
  }
}

// A value per time that one rank alone puts.
static void put_alone(int ncid, int scalar, int time) {
  const MPI_Offset start[1] = {time}, count[1] = {1};
  const float seconds = 60.0f * (float)time;
  OK(ncmpi_begin_indep_data(ncid));
  if (rank == n_ranks - 1) OK(ncmpi_put_vara_float(ncid, scalar, start, count, &seconds));
  OK(ncmpi_end_indep_data(ncid));
}

static void expect(int ncid, const int* fields, MPI_Offset n) {
  static float back[kTimes * kCells * kLevels];
  for (int i = 0; i < kFields; ++i) {
    OK(ncmpi_get_var_float_all(ncid, fields[i], back));
    for (MPI_Offset k = 0; k < kTimes * n; ++k) CHECK(back[k] == value(i, (int)(k / n), k % n));
  }
}

static void wrf(const char* path) {
  int ncid, old, dims[3], date[2], times, scalar, fields[kFields];
  OK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &ncid));
  OK(ncmpi_set_fill(ncid, NC_NOFILL, &old));
  OK(ncmpi_def_dim(ncid, "Time", NC_UNLIMITED, &dims[0]));
  OK(ncmpi_def_dim(ncid, "DateStrLen", kDate, &date[1]));
  date[0] = dims[0];
  OK(ncmpi_def_var(ncid, "Times", NC_CHAR, 2, date, &times));
  OK(ncmpi_def_dim(ncid, "south_north", kY, &dims[1]));
  OK(ncmpi_def_dim(ncid, "west_east", kX, &dims[2]));
  define_fields(ncid, 3, dims, fields);
  OK(ncmpi_def_var(ncid, "XTIME", NC_FLOAT, 1, dims, &scalar));
  OK(ncmpi_enddef(ncid));
  put_attributes_singly(ncid);
  for (int time = 0; time < kTimes; ++time) {
    put_date(ncid, times, time);
    put_patches(ncid, fields, time);
    put_alone(ncid, scalar, time);
    OK(ncmpi_sync(ncid));
  }
  OK(ncmpi_close(ncid));
  OK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, MPI_INFO_NULL, &ncid));
  char dates[kTimes * kDate];
  float seconds[kTimes];
  expect(ncid, fields, kX * kY);
  OK(ncmpi_get_var_text_all(ncid, times, dates));
  OK(ncmpi_get_var_float_all(ncid, scalar, seconds));
  CHECK(memcmp(dates + 2 * kDate, "2000-01-03_00:00:00", kDate) == 0);
  for (int time = 0; time < kTimes; ++time) CHECK(seconds[time] == 60.0f * (float)time);
  OK(ncmpi_close(ncid));
}

// Buffered if the largest part of a rank fits in the buffer, after a wait if it is full.
static void put_chunk(int ncid, MPI_Comm comm, int field, const MPI_Offset* start, const MPI_Offset* count,
                      const float* values, MPI_Offset room, int* n_requests, int* requests) {
  MPI_Offset usage;
  long needed = (long)(count[1] * kLevels * (MPI_Offset)sizeof(float)), most;
  MPI_Allreduce(&needed, &most, 1, MPI_LONG, MPI_MAX, comm);
  if (most > room) {
    OK(ncmpi_put_vara_all(ncid, field, start, count, values, 0, MPI_DATATYPE_NULL));
    return;
  }
  OK(ncmpi_inq_buffer_usage(ncid, &usage));
  needed += (long)usage;
  MPI_Allreduce(&needed, &most, 1, MPI_LONG, MPI_MAX, comm);
  if (most > room) {
    OK(ncmpi_wait_all(ncid, *n_requests, requests, NULL));
    *n_requests = 0;
  }
  OK(ncmpi_bput_vara(ncid, field, start, count, values, 0, MPI_DATATYPE_NULL, &requests[(*n_requests)++]));
}

static void put_cells(int ncid, MPI_Comm comm, const int* fields, int time, MPI_Offset room) {
  static float values[kCells * kLevels];
  int part, n_parts, n_requests = 0, requests[kFields], statuses[kFields];
  MPI_Offset start[3] = {time, 0, 0}, count[3] = {1, 0, kLevels};
  MPI_Comm_rank(comm, &part);
  MPI_Comm_size(comm, &n_parts);
  begin_and_count(kCells, part, n_parts, &start[1], &count[1]);
  for (int i = 0; i < kFields; ++i) {
    for (MPI_Offset k = 0; k < count[1] * kLevels; ++k) values[k] = value(i, time, start[1] * kLevels + k);
    put_chunk(ncid, comm, fields[i], start, count, values, room, &n_requests, requests);
  }
  OK(ncmpi_wait_all(ncid, n_requests, requests, statuses));
  OK(ncmpi_sync(ncid));
}

static void mpas(MPI_Comm comm, const char* path, MPI_Offset room) {
  int ncid, dims[3], fields[kFields];
  OK(ncmpi_create(comm, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &ncid));
  OK(ncmpi_buffer_attach(ncid, room));
  OK(ncmpi_def_dim(ncid, "Time", NC_UNLIMITED, &dims[0]));
  OK(ncmpi_def_dim(ncid, "nCells", kCells, &dims[1]));
  OK(ncmpi_def_dim(ncid, "nVertLevels", kLevels, &dims[2]));
  define_fields(ncid, 3, dims, fields);
  OK(ncmpi_enddef(ncid));
  for (int time = 0; time < kTimes; ++time) put_cells(ncid, comm, fields, time, room);
  expect(ncid, fields, kCells * kLevels);
  OK(ncmpi_buffer_detach(ncid));
  OK(ncmpi_close(ncid));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  wrf(argv[1]);
  MPI_Comm every_other;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, rank, &every_other);
  if (every_other != MPI_COMM_NULL) {
    mpas(every_other, argv[1], 2 * kCells * kLevels * sizeof(float));  // some fit
    mpas(every_other, argv[1], 40);                                    // none fits
    MPI_Comm_free(&every_other);
  }
  return finish();
}
