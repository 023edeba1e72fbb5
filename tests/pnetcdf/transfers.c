// Values through every form of transfer, and the codes of wrong places.
#include "check.h"

enum { kX = 12, kRecords = 3 };
static int rank, n_ranks;

static int value(int record, int x) { return 1000 * record + x; }

/// Rank r has the values [first, first + count) of each record.
static void part(MPI_Offset* first, MPI_Offset* count) {
  *first = kX * rank / n_ranks;
  *count = kX * (rank + 1) / n_ranks - *first;
}

static void expect_records(int ncid, int varid) {
  int back[kRecords * kX];
  memset(back, 0, sizeof back);
  OK(ncmpi_get_var_int_all(ncid, varid, back));
  for (int i = 0; i < kRecords * kX; ++i) CHECK(back[i] == value(i / kX, i % kX));
}

static void blocking(int ncid, int a) {
  for (int record = 0; record < kRecords; ++record) {
    MPI_Offset start[2] = {record, 0}, count[2] = {1, 0};
    double values[kX];
    part(&start[1], &count[1]);
    for (int i = 0; i < count[1]; ++i) values[i] = value(record, (int)start[1] + i);
    OK(ncmpi_put_vara_double_all(ncid, a, start, count, values));
  }
  expect_records(ncid, a);
}

static void pending(int ncid, int b, int buffered) {
  int values[kRecords][kX], requests[kRecords], statuses[kRecords], n;
  MPI_Offset usage;
  if (buffered) OK(ncmpi_buffer_attach(ncid, kRecords * kX * sizeof(int)));
  for (int record = 0; record < kRecords; ++record) {
    MPI_Offset start[2] = {record, 0}, count[2] = {1, 0};
    part(&start[1], &count[1]);
    for (int i = 0; i < count[1]; ++i) values[record][i] = value(record, (int)start[1] + i);
    if (buffered) {
      OK(ncmpi_bput_vara_int(ncid, b, start, count, values[record], &requests[record]));
      OK(ncmpi_inq_buffer_usage(ncid, &usage));
      CHECK(usage == (record + 1) * count[1] * (MPI_Offset)sizeof(int));
      memset(values[record], 0, sizeof values[record]);
    } else {
      OK(ncmpi_iput_vara_int(ncid, b, start, count, values[record], &requests[record]));
    }
  }
  OK(ncmpi_inq_nreqs(ncid, &n));
  CHECK(n == kRecords);
  OK(ncmpi_wait_all(ncid, kRecords, requests, statuses));
  for (int i = 0; i < kRecords; ++i) CHECK(statuses[i] == NC_NOERR && requests[i] == NC_REQ_NULL);
  if (buffered) OK(ncmpi_buffer_detach(ncid));
  expect_records(ncid, b);
}

static void pending_gets(int ncid, int a) {
  int first[kX], second[kX], requests[2];
  MPI_Offset start[2] = {0, 0}, count[2] = {1, kX};
  OK(ncmpi_iget_vara_int(ncid, a, start, count, first, &requests[0]));
  start[0] = 2;
  OK(ncmpi_iget_vara_int(ncid, a, start, count, second, &requests[1]));
  OK(ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL));
  for (int i = 0; i < kX; ++i) CHECK(first[i] == value(0, i) && second[i] == value(2, i));
  int request = 41;
  EXPECT(ncmpi_cancel(ncid, 1, &request, NULL), NC_EINVAL_REQUEST);
}

static void strides_and_maps(int ncid, int c) {
  // Rank 0 writes the even places, the last rank the odd ones, from memory in reverse order.
  MPI_Offset start[1] = {rank == 0 ? 0 : 1}, count[1] = {0}, step[1] = {2}, map[1] = {2};
  int values[kX], back[kX];
  if (rank == 0 || rank == n_ranks - 1) count[0] = kX / 2;
  for (int i = 0; i < kX; ++i) values[i] = (int)start[0] + i;
  if (n_ranks == 1) {
    OK(ncmpi_put_varm_int_all(ncid, c, start, count, step, map, values));
    start[0] = 1;
    OK(ncmpi_put_varm_int_all(ncid, c, start, count, step, map, values + 1));
  } else {
    OK(ncmpi_put_varm_int_all(ncid, c, start, count, step, map, values));
  }
  OK(ncmpi_get_var_int_all(ncid, c, back));
  for (int i = 0; i < kX; ++i) CHECK(back[i] == i);
}

static void many_boxes(int ncid, int c) {
  MPI_Offset places[kX][1], ones[kX][1], *starts[kX], *counts[kX];
  float values[kX];
  int n = 0, back[kX];
  for (int x = rank; x < kX; x += n_ranks, ++n) {
    places[n][0] = x, ones[n][0] = 1;
    starts[n] = places[n], counts[n] = ones[n];
    values[n] = (float)(100 + x);
  }
  OK(ncmpi_put_varn_float_all(ncid, c, n, starts, counts, values));
  OK(ncmpi_get_var_int_all(ncid, c, back));
  for (int i = 0; i < kX; ++i) CHECK(back[i] == 100 + i);
}

static void datatypes(int ncid, int c) {
  // Memory with a gap between values.
  MPI_Datatype spread;
  MPI_Offset start[1], count[1];
  int values[2 * kX], back[2 * kX];
  part(&start[0], &count[0]);
  for (int i = 0; i < 2 * kX; ++i) values[i] = i % 2 == 0 ? (int)start[0] + i / 2 + 7 : -1, back[i] = -2;
  MPI_Type_vector((int)count[0], 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  OK(ncmpi_put_vara_all(ncid, c, start, count, values, 1, spread));
  OK(ncmpi_get_vara_all(ncid, c, start, count, back, 1, spread));
  for (int i = 0; i < count[0]; ++i)
    CHECK(back[2 * i] == start[0] + i + 7 && (i == count[0] - 1 || back[2 * i + 1] == -2));
  if (count[0] > 0) EXPECT(ncmpi_put_vara_all(ncid, c, start, count, values, 2, spread), NC_EIOMISMATCH);
  if (count[0] == 0) OK(ncmpi_put_vara_all(ncid, c, start, count, values, 0, MPI_INT));
  MPI_Type_free(&spread);
  // -1 of MPI's own datatype: as many as the place has.
  int request, dense[kX];
  for (int i = 0; i < count[0]; ++i) values[i] = (int)start[0] + i + 9;
  OK(ncmpi_put_vara_all(ncid, c, start, count, values, -1, MPI_INT));
  OK(ncmpi_get_vara_all(ncid, c, start, count, back, -1, MPI_INT));
  OK(ncmpi_iget_vara(ncid, c, start, count, dense, -1, MPI_INT, &request));
  OK(ncmpi_wait_all(ncid, 1, &request, NULL));
  for (int i = 0; i < count[0]; ++i) CHECK(back[i] == values[i] && dense[i] == values[i]);
}

// A part of an array: [record][x][component] in C, the other way round in Fortran. `is_list`: of another
// shape than the box.
static MPI_Datatype subarray(int order, int is_list, int n, MPI_Datatype type) {
  int sizes[3] = {kRecords + 1, n + 2, 2}, parts[3] = {kRecords, n, 1}, starts[3] = {1, 1, 1};
  MPI_Datatype made;
  if (is_list) sizes[0] = 1 + kRecords * n, parts[0] = kRecords * n;
  if (order == MPI_ORDER_FORTRAN) {
    sizes[0] = 2, sizes[2] = kRecords + 1;
    parts[0] = 1, parts[2] = kRecords;
  }
  MPI_Type_create_subarray(is_list ? 1 : 3, sizes, parts, starts, order, type, &made);
  MPI_Type_commit(&made);
  return made;
}

static void subarrays(int ncid, int b2) {
  enum { kMost = (kRecords + 1) * (kX + 2) * 2 };
  MPI_Offset start[2] = {0, 0}, count[2] = {kRecords, 0};
  part(&start[1], &count[1]);
  const int n = (int)count[1];
  for (int way = 0; way < 18; ++way) {  // 3 shapes, 2 types, 3 functions
    const int shape = way % 3, has_doubles = way / 3 % 2, function = way / 6;
    const MPI_Datatype of = has_doubles ? MPI_DOUBLE : MPI_INT;
    MPI_Datatype type = subarray(shape == 1 ? MPI_ORDER_FORTRAN : MPI_ORDER_C, shape == 2, n, of);
    int ints[kMost], back[kRecords * kX], request;
    double doubles[kMost];
    void* values = has_doubles ? (void*)doubles : (void*)ints;
    for (int i = 0; i < kMost; ++i) ints[i] = -1, doubles[i] = -1;
    for (int i = 0; i < kRecords * n; ++i) {
      const int at = shape == 2 ? 1 + i : ((1 + i / n) * (n + 2) + 1 + i % n) * 2 + 1;
      ints[at] = value(i / n, (int)start[1] + i % n) + way;
      doubles[at] = ints[at];
    }
    if (function == 0) OK(ncmpi_put_vara_all(ncid, b2, start, count, values, 1, type));
    if (function == 1) OK(ncmpi_iput_vara(ncid, b2, start, count, values, 1, type, &request));
    if (function == 2) {
      OK(ncmpi_buffer_attach(ncid, kMost * (MPI_Offset)sizeof(double)));
      OK(ncmpi_bput_vara(ncid, b2, start, count, values, 1, type, &request));
      for (int i = 0; i < kMost; ++i) ints[i] = -2, doubles[i] = -2;
    }
    if (function > 0) OK(ncmpi_wait_all(ncid, 1, &request, NULL));
    if (function == 2) OK(ncmpi_buffer_detach(ncid));
    OK(ncmpi_get_var_int_all(ncid, b2, back));
    for (int i = 0; i < kRecords * kX; ++i) CHECK(back[i] == value(i / kX, i % kX) + way);
    MPI_Type_free(&type);
  }
}

static void ranges(int ncid, int d) {
  int values[2] = {40000, 5};
  short back[2] = {0, 0};
  signed char small[2];
  MPI_Offset start[1] = {0}, count[1] = {2};
  EXPECT(ncmpi_put_vara_int_all(ncid, d, start, count, values), NC_ERANGE);
  OK(ncmpi_get_vara_short_all(ncid, d, start, count, back));
  CHECK(back[0] == NC_FILL_SHORT && back[1] == 5);
  values[0] = 300;
  OK(ncmpi_put_vara_int_all(ncid, d, start, count, values));
  EXPECT(ncmpi_get_vara_schar_all(ncid, d, start, count, small), NC_ERANGE);
  CHECK(small[1] == 5);
}

// A value out of range becomes the fill value of its variable, whether it is put at once or later.
static void fill_values(int ncid, int e) {
  const double values[4] = {127.5, 1, -129, 2};
  const signed char zeros[4] = {0};
  MPI_Offset start[1] = {0}, count[1] = {4};
  for (int later = 0; later < 2; ++later) {
    signed char back[4] = {0};
    int request, status;
    OK(ncmpi_put_vara_schar_all(ncid, e, start, count, zeros));
    if (later) {
      EXPECT(ncmpi_iput_vara_double(ncid, e, start, count, values, &request), NC_ERANGE);
      OK(ncmpi_wait_all(ncid, 1, &request, &status));
    } else {
      EXPECT(ncmpi_put_vara_double_all(ncid, e, start, count, values), NC_ERANGE);
    }
    OK(ncmpi_get_vara_schar_all(ncid, e, start, count, back));
    CHECK(back[0] == -7 && back[1] == 1 && back[2] == -7 && back[3] == 2);
  }
}

static void wrong_places(int ncid, int a, int c) {
  MPI_Offset start[2] = {0, kX + 1}, count[2] = {1, 1}, step[2] = {1, 0};
  int values[2 * kX] = {0};
  char text[kX] = "";
  EXPECT(ncmpi_put_vara_int_all(ncid, a, start, count, values), NC_EINVALCOORDS);
  start[1] = 1, count[1] = kX;
  EXPECT(ncmpi_put_vara_int_all(ncid, a, start, count, values), NC_EEDGE);
  count[1] = -1;
  EXPECT(ncmpi_put_vara_int_all(ncid, a, start, count, values), NC_ENEGATIVECNT);
  count[1] = 1;
  EXPECT(ncmpi_put_vars_int_all(ncid, a, start, count, step, values), NC_ESTRIDE);
  EXPECT(ncmpi_put_vara_text_all(ncid, a, start, count, text), NC_ECHAR);
  EXPECT(ncmpi_put_vara_int_all(ncid, 77, start, count, values), NC_ENOTVAR);
  EXPECT(ncmpi_put_vara_int_all(ncid, NC_GLOBAL, start, count, values), NC_EGLOBAL);
  start[0] = kRecords;
  EXPECT(ncmpi_get_vara_int_all(ncid, a, start, count, values), NC_EINVALCOORDS);
  // One rank alone is wrong: the others write.
  start[0] = rank == 0 ? kX + 5 : 0, count[0] = rank == n_ranks - 1 ? 2 : 0;
  values[0] = 71, values[1] = 72;
  EXPECT(ncmpi_put_vara_int_all(ncid, c, start, count, values), rank == 0 ? NC_EINVALCOORDS : NC_NOERR);
  if (n_ranks > 1) {
    start[0] = 0, count[0] = 2, values[0] = values[1] = 0;
    OK(ncmpi_get_vara_int_all(ncid, c, start, count, values));
    CHECK(values[0] == 71 && values[1] == 72);
  }
}

static void alone(int ncid, int c) {
  MPI_Offset start[1], count[1];
  int values[kX], back[kX];
  part(&start[0], &count[0]);
  for (int i = 0; i < count[0]; ++i) values[i] = (int)start[0] + i + 50;
  OK(ncmpi_begin_indep_data(ncid));
  OK(ncmpi_put_vara_int(ncid, c, start, count, values));
  OK(ncmpi_end_indep_data(ncid));
  OK(ncmpi_sync(ncid));
  OK(ncmpi_get_var_int_all(ncid, c, back));
  for (int i = 0; i < kX; ++i) CHECK(back[i] == i + 50);
}

/// Ranks in different calls get an error; PnetCDF's wait for each other.
static void different_calls(int ncid) {
  if (n_ranks == 1 || strstr(ncmpi_inq_libvers(), "Esker") == NULL) return;
  EXPECT(rank == 0 ? ncmpi_wait_all(ncid, 0, NULL, NULL) : ncmpi_sync(ncid), NC_EMULTIDEFINE_FNC_ARGS);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  const signed char fill = -7;
  int ncid, dims[2], a, b, b2, c, d, e;
  OK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &ncid));
  OK(ncmpi_def_dim(ncid, "t", NC_UNLIMITED, &dims[0]));
  OK(ncmpi_def_dim(ncid, "x", kX, &dims[1]));
  OK(ncmpi_def_var(ncid, "a", NC_INT, 2, dims, &a));
  OK(ncmpi_def_var(ncid, "b", NC_FLOAT, 2, dims, &b));
  OK(ncmpi_def_var(ncid, "b2", NC_INT, 2, dims, &b2));
  OK(ncmpi_def_var(ncid, "c", NC_INT, 1, &dims[1], &c));
  OK(ncmpi_def_var(ncid, "d", NC_SHORT, 1, &dims[1], &d));
  OK(ncmpi_def_var(ncid, "e", NC_BYTE, 1, &dims[1], &e));
  OK(ncmpi_put_att_schar(ncid, e, "_FillValue", NC_BYTE, 1, &fill));
  OK(ncmpi_enddef(ncid));
  blocking(ncid, a);
  pending(ncid, b, 0);
  pending(ncid, b2, 1);
  pending_gets(ncid, a);
  strides_and_maps(ncid, c);
  many_boxes(ncid, c);
  datatypes(ncid, c);
  subarrays(ncid, b2);
  ranges(ncid, d);
  fill_values(ncid, e);
  wrong_places(ncid, a, c);
  alone(ncid, c);
  different_calls(ncid);
  OK(ncmpi_close(ncid));
  return finish();
}
