// netCDF-C writes and reads classic files in parallel through PnetCDF: its functions, with the library in
// PnetCDF's place.
#include <netcdf.h>
#include <netcdf_par.h>

#include "check.h"

enum { kX = 12, kY = 9, kRecords = 3 };
static int rank, n_ranks;
static int a, b, scalar, text;

static int value(int record, size_t y, size_t x) { return 1000 * record + (int)(y * kX + x); }

// Rank r has the rows [first, first + count).
static void rows(size_t* first, size_t* count) {
  *first = (size_t)(kY * rank / n_ranks);
  *count = (size_t)(kY * (rank + 1) / n_ranks) - *first;
}

static void define(int ncid) {
  int dims[3], old;
  const float fill = -1;
  const double numbers[2] = {1.5, 2};
  OK(nc_set_fill(ncid, NC_NOFILL, &old));
  OK(nc_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
  OK(nc_def_dim(ncid, "y", kY, &dims[1]));
  OK(nc_def_dim(ncid, "x", kX, &dims[2]));
  OK(nc_def_var(ncid, "a", NC_INT, 3, dims, &a));
  OK(nc_def_var(ncid, "b", NC_FLOAT, 2, dims + 1, &b));
  OK(nc_def_var_fill(ncid, b, NC_FILL, &fill));
  OK(nc_def_var(ncid, "scalar", NC_DOUBLE, 0, NULL, &scalar));
  OK(nc_def_var(ncid, "text", NC_CHAR, 1, dims + 2, &text));
  EXPECT(nc_def_var(ncid, "a", NC_INT, 3, dims, &old), NC_ENAMEINUSE);
  OK(nc_put_att_text(ncid, NC_GLOBAL, "title", 4, "test"));
  OK(nc_put_att_double(ncid, a, "numbers", NC_FLOAT, 2, numbers));
  OK(nc_enddef(ncid));
}

static void put_record(int ncid, int record) {
  int values[kX * kY];
  size_t start[3] = {(size_t)record, 0, 0}, count[3] = {1, 0, kX};
  rows(&start[1], &count[1]);
  for (size_t i = 0; i < count[1] * kX; ++i) values[i] = value(record, start[1] + i / kX, i % kX);
  OK(nc_put_vara_int(ncid, a, start, count, values));
}

static void put_collectively(int ncid) {
  OK(nc_var_par_access(ncid, a, NC_COLLECTIVE));
  for (int record = 0; record < kRecords; ++record) put_record(ncid, record);
  OK(nc_sync(ncid));
  // The even columns of the own rows, from memory in which columns follow one another.
  double columns[kX / 2][kY];
  size_t start[2] = {0, 0}, count[2] = {0, kX / 2};
  const ptrdiff_t step[2] = {1, 2}, map[2] = {1, kY};
  rows(&start[0], &count[0]);
  for (size_t i = 0; i < count[0] * count[1]; ++i) {
    const size_t y = i % count[0], x = i / count[0];
    columns[x][y] = value(0, start[0] + y, 2 * x);
  }
  OK(nc_put_varm_double(ncid, b, start, count, step, map, columns[0]));
  const double pi = 3.25;
  const char letters[] = "from all ran";
  OK(nc_put_var_double(ncid, scalar, &pi));
  OK(nc_put_var_text(ncid, text, letters));
  start[0] = kY;
  EXPECT(nc_put_var1_double(ncid, b, start, &pi), NC_EINVALCOORDS);
}

// The odd columns; the ranks call one after another as often as they have rows.
static void put_independently(int ncid) {
  OK(nc_var_par_access(ncid, b, NC_INDEPENDENT));
  size_t first, n;
  rows(&first, &n);
  for (size_t y = first; y < first + n; ++y) {
    float values[kX / 2];
    const size_t start[2] = {y, 1}, count[2] = {1, kX / 2};
    const ptrdiff_t step[2] = {1, 2};
    for (size_t x = 0; x < kX / 2; ++x) values[x] = (float)value(0, y, 2 * x + 1);
    OK(nc_put_vars_float(ncid, b, start, count, step, values));
  }
  OK(nc_var_par_access(ncid, b, NC_COLLECTIVE));
}

static void define_again(int ncid) {
  int dim, c, no_fill = 1;
  OK(nc_redef(ncid));
  OK(nc_rename_var(ncid, a, "the same with a longer name"));
  OK(nc_put_att_text(ncid, NC_GLOBAL, "history", 11, "defined now"));
  OK(nc_inq_dimid(ncid, "x", &dim));
  OK(nc_def_var(ncid, "c", NC_INT64, 1, &dim, &c));
  OK(nc_def_var_fill(ncid, c, NC_FILL, NULL));
  OK(nc__enddef(ncid, 1000, 4, 0, 4));
  OK(nc_inq_var_fill(ncid, c, &no_fill, NULL));
  CHECK(no_fill == 0);
  long long back[kX];
  OK(nc_get_var_longlong(ncid, c, back));
  for (int i = 0; i < kX; ++i) CHECK(back[i] == NC_FILL_INT64);
}

static void expect_all(int ncid) {
  int values[kRecords][kY][kX], format, n_vars;
  float flat[kY][kX], numbers[2] = {0, 0};
  double pi = 0;
  char letters[kX], title[5] = "";
  size_t length = 0;
  OK(nc_var_par_access(ncid, a, NC_COLLECTIVE));
  OK(nc_inq_format(ncid, &format));
  OK(nc_inq_nvars(ncid, &n_vars));
  OK(nc_inq_dimlen(ncid, 0, &length));
  CHECK(format == NC_FORMAT_CDF5 && n_vars == 5 && length == kRecords);
  OK(nc_get_var_int(ncid, a, &values[0][0][0]));
  OK(nc_get_var_float(ncid, b, &flat[0][0]));
  OK(nc_get_var_double(ncid, scalar, &pi));
  OK(nc_get_var_text(ncid, text, letters));
  OK(nc_get_att_text(ncid, NC_GLOBAL, "title", title));
  OK(nc_get_att_float(ncid, a, "numbers", numbers));
  CHECK(pi == 3.25 && memcmp(letters, "from all ran", kX) == 0 && strcmp(title, "test") == 0 &&
        numbers[0] == 1.5);
  for (size_t y = 0; y < kY; ++y) {
    for (size_t x = 0; x < kX; ++x) {
      for (int record = 0; record < kRecords; ++record) CHECK(values[record][y][x] == value(record, y, x));
      CHECK(flat[y][x] == (float)value(0, y, x));
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  int ncid;
  OK(nc_create_par(argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
  define(ncid);
  put_collectively(ncid);
  put_independently(ncid);
  define_again(ncid);
  expect_all(ncid);
  OK(nc_close(ncid));
  OK(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid));
  expect_all(ncid);
  EXPECT(nc_redef(ncid), NC_EPERM);
  OK(nc_close(ncid));
  return finish();
}
