// Writes a file as its arguments say, for tests of the dataset next to it:  levels FILE WORD...
//
// Records have times 10, 11, 12 ..., and values that tell variable, record and place. Each rank puts some
// rows.
#include <signal.h>

#include "check.h"

enum { kZ = 3, kY = 5, kX = 7, kLetters = 2, kPlaces = kZ * kY * kX, kMost = 64 };
static int rank, n_ranks, ncid, n_records, n_added, shift;
static double last_time = 9;

static int variable(const char* name) {
  int id = -1;
  OK(ncmpi_inq_varid(ncid, name, &id));
  return id;
}

static void fill_values(float* values, int first, int n, int record, int base) {
  for (int i = 0; i < n; ++i) values[i] = (float)(base + 1000 * record + first + i + shift);
}

/// The rows of this rank.
static void rows(MPI_Offset* first, MPI_Offset* count) {
  *first = kY * rank / n_ranks;
  *count = kY * (rank + 1) / n_ranks - *first;
}

static void define(void) {
  int t, z, y, x, letters, two, dims[7], id;
  const double levels[2] = {0.5, 2.5};
  OK(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &t));
  OK(ncmpi_def_dim(ncid, "z", kZ, &z));
  OK(ncmpi_def_dim(ncid, "y", kY, &y));
  OK(ncmpi_def_dim(ncid, "x", kX, &x));
  OK(ncmpi_def_dim(ncid, "letters", kLetters, &letters));
  OK(ncmpi_def_dim(ncid, "two", 2, &two));
  OK(ncmpi_def_var(ncid, "time", NC_DOUBLE, 1, &t, &id));
  OK(ncmpi_put_att_text(ncid, id, "units", 1, "s"));
  OK(ncmpi_def_var(ncid, "x", NC_INT, 1, &x, &id));
  OK(ncmpi_put_att_text(ncid, id, "units", 1, "m"));
  dims[0] = t, dims[1] = z, dims[2] = y, dims[3] = x;
  OK(ncmpi_def_var(ncid, "temp", NC_FLOAT, 4, dims, &id));
  OK(ncmpi_put_att_text(ncid, id, "units", 1, "K"));
  OK(ncmpi_put_att_double(ncid, id, "valid_range", NC_DOUBLE, 2, levels));
  dims[1] = y, dims[2] = x;
  OK(ncmpi_def_var(ncid, "wind", NC_SHORT, 3, dims, &id));
  OK(ncmpi_def_var(ncid, "never", NC_FLOAT, 3, dims, &id));
  OK(ncmpi_def_var(ncid, "series", NC_INT, 1, dims, &id));
  OK(ncmpi_def_var(ncid, "topo", NC_DOUBLE, 2, dims + 1, &id));
  OK(ncmpi_def_var(ncid, "run", NC_INT, 0, NULL, &id));
  dims[1] = letters;
  OK(ncmpi_def_var(ncid, "label", NC_CHAR, 2, dims, &id));
  for (int d = 1; d < 7; ++d) dims[d] = two;
  OK(ncmpi_def_var(ncid, "six", NC_FLOAT, 7, dims, &id));
  OK(ncmpi_put_att_text(ncid, NC_GLOBAL, "title", 4, "test"));
}

/// With one variable, which one call puts.
static void define_one(void) {
  int dims[4], id;
  OK(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
  OK(ncmpi_def_dim(ncid, "z", kZ, &dims[1]));
  OK(ncmpi_def_dim(ncid, "y", kY, &dims[2]));
  OK(ncmpi_def_dim(ncid, "x", kX, &dims[3]));
  OK(ncmpi_def_var(ncid, "temp", NC_FLOAT, 4, dims, &id));
  OK(ncmpi_put_att_text(ncid, NC_GLOBAL, "title", 4, "test"));
}

static void put_topo(void) {
  MPI_Offset start[2] = {0, 0}, count[2] = {0, kX};
  float values[kPlaces];
  rows(&start[0], &count[0]);
  fill_values(values, (int)start[0] * kX, (int)count[0] * kX, 0, 5);
  OK(ncmpi_put_vara_float_all(ncid, variable("topo"), start, count, values));
}

static void put_fixed(void) {
  int x[kX], run = 17;
  for (int i = 0; i < kX; ++i) x[i] = 10 * i;
  OK(ncmpi_put_var_int_all(ncid, variable("x"), x));
  OK(ncmpi_put_var_int_all(ncid, variable("run"), &run));
  put_topo();
}

enum Way { kTogether, kPending, kAlone };

/// A box of floats, of all ranks together, by this rank alone, or later.
static void put(enum Way way, const char* name, const MPI_Offset* start, const MPI_Offset* count,
                const float* values) {
  const int id = variable(name);
  if (way == kTogether) OK(ncmpi_put_vara_float_all(ncid, id, start, count, values));
  if (way == kAlone) OK(ncmpi_put_vara_float(ncid, id, start, count, values));
  if (way == kPending) OK(ncmpi_bput_vara_float(ncid, id, start, count, values, NULL));
}

static void put_plane(enum Way way, const char* name, int record, int base) {
  MPI_Offset start[3] = {record, 0, 0}, count[3] = {1, 0, kX};
  float values[kY * kX];
  rows(&start[1], &count[1]);
  fill_values(values, (int)start[1] * kX, (int)count[1] * kX, record, base);
  put(way, name, start, count, values);
}

/// Each level is a box.
static void put_temp(enum Way way, int record) {
  for (int z = 0; z < kZ; ++z) {
    MPI_Offset start[4] = {record, z, 0, 0}, count[4] = {1, 1, 0, kX};
    float values[kY * kX];
    rows(&start[2], &count[2]);
    fill_values(values, (z * kY + (int)start[2]) * kX, (int)count[2] * kX, record, 100);
    put(way, "temp", start, count, values);
  }
}

/// All levels are one box.
static void put_whole_temp(int record) {
  MPI_Offset start[4] = {record, 0, 0, 0}, count[4] = {1, kZ, 0, kX};
  float values[kPlaces];
  rows(&start[2], &count[2]);
  fill_values(values, 0, (int)count[2] * kZ * kX, record, 100 * rank);
  put(kTogether, "temp", start, count, values);
}

static void put_rest(enum Way way, int record) {
  MPI_Offset start[7] = {record}, one[7] = {1}, many[7] = {1, 2, 2, 2, 2, 2, 2}, letters[2] = {1, kLetters};
  float six[64], series = (float)(record + 7 + shift);
  put_plane(way, "wind", record, 0);
  fill_values(six, 0, 64, record, 0);
  if (rank != n_ranks - 1) many[1] = one[0] = 0;
  put(way, "six", start, many, six);
  put(way, "series", start, one, &series);
  if (way == kTogether) OK(ncmpi_put_vara_text_all(ncid, variable("label"), start, letters, "ab"));
}

static void put_time(enum Way way, int record, double time) {
  MPI_Offset start[1] = {record}, count[1] = {1};
  const float value = (float)time;
  put(way, "time", start, count, &value);
}

static void put_record(enum Way way) {
  if (way == kPending) OK(ncmpi_buffer_attach(ncid, 1 << 16));
  if (way == kAlone) OK(ncmpi_begin_indep_data(ncid));
  put_time(way, n_records, ++last_time);
  put_temp(way, n_records);
  put_rest(way, n_records);
  for (int i = 0; i < n_added; ++i) put_plane(way, "added", n_records, 50);
  if (way == kPending) OK(ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL));
  if (way == kPending) OK(ncmpi_buffer_detach(ncid));
  if (way == kAlone) OK(ncmpi_end_indep_data(ncid));
  ++n_records;
}

static void add_variable(void) {
  int dims[3], id;
  OK(ncmpi_redef(ncid));
  OK(ncmpi_inq_dimid(ncid, "time", &dims[0]));
  OK(ncmpi_inq_dimid(ncid, "y", &dims[1]));
  OK(ncmpi_inq_dimid(ncid, "x", &dims[2]));
  OK(ncmpi_def_var(ncid, "added", NC_INT, 3, dims, &id));
  OK(ncmpi_put_att_text(ncid, id, "units", 1, "1"));
  OK(ncmpi_enddef(ncid));
  n_added = 1;
}

static void open_file(const char* path) {
  MPI_Offset n;
  OK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, MPI_INFO_NULL, &ncid));
  OK(ncmpi_inq_dimlen(ncid, 0, &n));
  n_records = (int)n;
  last_time = 9 + n_records;
}

static void create_file(const char* path, int mode, void (*define_all)(void)) {
  OK(ncmpi_create(MPI_COMM_WORLD, path, mode | NC_64BIT_DATA, MPI_INFO_NULL, &ncid));
  define_all();
  OK(ncmpi_enddef(ncid));
}

/// After a barrier, so that no rank is in a call.
static void kill_all(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  raise(SIGKILL);
}

static void follow(const char* path, const char* word) {
#define WORD(name) (strcmp(word, name) == 0)
  if (WORD("create")) create_file(path, NC_CLOBBER, define);
  if (WORD("create-one")) create_file(path, NC_CLOBBER, define_one);
  if (WORD("create-first")) create_file(path, NC_NOCLOBBER, define);
  if (WORD("delete") && rank == 0) OK(ncmpi_delete(path, MPI_INFO_NULL));
  if (WORD("delete")) MPI_Barrier(MPI_COMM_WORLD);
  if (WORD("whole")) put_whole_temp(n_records++);
  if (WORD("open")) open_file(path);
  if (WORD("fixed")) put_fixed();
  if (WORD("record")) put_record(kTogether);
  if (WORD("pending")) put_record(kPending);
  if (WORD("alone")) put_record(kAlone);
  if (WORD("temp")) put_temp(kTogether, n_records), ++n_records;  // without a time
  if (WORD("time")) put_time(kTogether, n_records, ++last_time);
  if (WORD("still")) put_time(kTogether, n_records, last_time), put_temp(kTogether, n_records), ++n_records;
  if (WORD("rest")) {
    for (int r = 0; r < n_records; ++r) put_rest(kTogether, r), put_time(kTogether, r, 10 + r);
  }
  if (WORD("again")) shift += 3, put_temp(kTogether, 0);
  if (WORD("last")) shift += 3, put_temp(kTogether, n_records - 1);
  if (WORD("topo")) shift += 3, put_topo();
  if (WORD("add")) add_variable();
  if (WORD("sync")) OK(ncmpi_sync(ncid));
  if (WORD("sync-fails")) CHECK(ncmpi_sync(ncid) != NC_NOERR || strcmp(getenv("ESKER_FORMAT"), "cdf5") == 0);
  if (WORD("close")) OK(ncmpi_close(ncid));
  if (WORD("abort")) OK(ncmpi_abort(ncid));
  if (WORD("refused"))
    EXPECT(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &ncid), NC_EINVAL);
  if (WORD("kill")) kill_all();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  for (int i = 2; i < argc; ++i) follow(argv[1], argv[i]);
  return finish();
}
