// Memory of a GPU, which the double of the CUDA driver has, in every kind of transfer.
#include "check.h"

// Those functions of the driver that a program calls.
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxPushCurrent_v2(void* context);
int cuMemAlloc_v2(unsigned long long* address, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes);
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes);
void esker_double_fail(const char* function, int nth, int result);

enum { kX = 12, kY = 5, kWide = kX + 4, kValues = kX * kY, kSteps = 3 };

/// A copy in memory of the GPU.
static void* on_device(const void* values, size_t bytes) {
  unsigned long long address = 0;
  CHECK(cuMemAlloc_v2(&address, bytes) == 0);
  CHECK(cuMemcpyHtoD_v2(address, values, bytes) == 0);
  return (void*)(size_t)address;
}

static void fetch(void* to, const void* from, size_t bytes) {
  CHECK(cuMemcpyDtoH_v2(to, (size_t)from, bytes) == 0);
}

static double value(int step, int place) { return 1000.0 * step + place; }

/// This rank has the rows [first, first + count).
static int rank, n_ranks;
static MPI_Offset first_row(int of) { return kY * of / n_ranks; }

static void rows(int step, MPI_Offset* start, MPI_Offset* count) {
  start[0] = step, start[1] = first_row(rank), start[2] = 0;
  count[0] = 1, count[1] = first_row(rank + 1) - start[1], count[2] = kX;
}

/// Step 0: put now, other type than the file's. 1: pending, in wide rows by a datatype. 2: buffered, columns
/// first.
static void put_all(int ncid, int varid) {
  MPI_Offset start[3], count[3];
  float now[kValues];
  double wide[kY * kWide], turned[kValues];
  int requests[2];
  rows(0, start, count);
  for (int i = 0; i < count[1] * kX; ++i) now[i] = (float)value(0, (int)start[1] * kX + i);
  OK(ncmpi_put_vara_float_all(ncid, varid, start, count, on_device(now, sizeof now)));

  MPI_Datatype inner;
  const int sizes[2] = {kY, kWide}, inner_sizes[2] = {(int)count[1], kX}, corner[2] = {0, 2};
  for (int i = 0; i < kY * kWide; ++i) wide[i] = value(1, ((int)start[1] + i / kWide) * kX + i % kWide - 2);
  if (count[1] > 0) {
    MPI_Type_create_subarray(2, sizes, inner_sizes, corner, MPI_ORDER_C, MPI_DOUBLE, &inner);
  } else {
    MPI_Type_dup(MPI_DOUBLE, &inner);
  }
  MPI_Type_commit(&inner);
  start[0] = 1;
  OK(ncmpi_iput_vara(ncid, varid, start, count, on_device(wide, sizeof wide), count[1] > 0, inner,
                     &requests[0]));
  MPI_Type_free(&inner);

  start[0] = 2;
  const MPI_Offset map[3] = {kValues, 1, count[1]};
  for (int i = 0; i < count[1] * kX; ++i) {
    turned[i] = value(2, ((int)start[1] + i % (int)count[1]) * kX + i / (int)count[1]);
  }
  OK(ncmpi_buffer_attach(ncid, sizeof turned));
  OK(ncmpi_bput_varm_double(ncid, varid, start, count, NULL, map, on_device(turned, sizeof turned),
                            &requests[1]));
  OK(ncmpi_wait_all(ncid, 2, requests, NULL));
  OK(ncmpi_buffer_detach(ncid));
}

static void expect_in_file(int ncid, int varid) {
  double found[kSteps * kValues];
  OK(ncmpi_get_var_double_all(ncid, varid, found));
  for (int i = 0; i < kSteps * kValues; ++i) CHECK(found[i] == value(i / kValues, i % kValues));
}

/// Two pending gets that fill the even and the odd values of one array, by maps: neither changes the other's.
static void get_interleaved(int ncid, int varid) {
  MPI_Offset start[3] = {0, 0, 0}, count[3] = {1, kY, kX};
  const MPI_Offset map[3] = {2 * kValues, 2 * kX, 2};
  double found[2 * kValues];
  int requests[2];
  memset(found, 0, sizeof found);
  double* const device = on_device(found, sizeof found);
  OK(ncmpi_iget_varm_double(ncid, varid, start, count, NULL, map, device, &requests[0]));
  start[0] = 1;
  OK(ncmpi_iget_varm_double(ncid, varid, start, count, NULL, map, device + 1, &requests[1]));
  OK(ncmpi_wait_all(ncid, 2, requests, NULL));
  fetch(found, device, sizeof found);
  for (int i = 0; i < 2 * kValues; ++i) CHECK(found[i] == value(i % 2, i / 2));
}

static void get_all(int ncid, int varid) {
  int found[kSteps * kValues];
  memset(found, 0, sizeof found);
  int* const device = on_device(found, sizeof found);
  OK(ncmpi_get_var_int_all(ncid, varid, device));
  fetch(found, device, sizeof found);
  for (int i = 0; i < kSteps * kValues; ++i) CHECK(found[i] == (int)value(i / kValues, i % kValues));

  MPI_Datatype wide;
  double inner[kY * kWide];
  MPI_Offset start[3] = {2, 0, 0}, count[3] = {1, kY, kX};
  MPI_Type_vector(kY, kX, kWide, MPI_DOUBLE, &wide);
  MPI_Type_commit(&wide);
  for (int i = 0; i < kY * kWide; ++i) inner[i] = -1;
  double* const rows_on_device = on_device(inner, sizeof inner);
  OK(ncmpi_get_vara_all(ncid, varid, start, count, rows_on_device, 1, wide));
  MPI_Type_free(&wide);
  fetch(inner, rows_on_device, sizeof inner);
  for (int i = 0; i < kY * kWide; ++i) {
    CHECK(inner[i] == (i % kWide < kX ? value(2, i / kWide * kX + i % kWide) : -1));
  }
}

/// Items of one of MPI's own datatypes: as many as there are values (-1), and too many, which nothing is
/// copied for.
static void count_items(int ncid, int varid) {
  double found[kValues];
  MPI_Offset start[3] = {1, 0, 0}, count[3] = {1, kY, kX};
  memset(found, 0, sizeof found);
  double* const device = on_device(found, sizeof found);
  EXPECT(ncmpi_get_vara_all(ncid, varid, start, count, device, 1000000, MPI_DOUBLE), NC_EIOMISMATCH);
  OK(ncmpi_get_vara_all(ncid, varid, start, count, device, -1, MPI_DOUBLE));
  fetch(found, device, sizeof found);
  for (int i = 0; i < kValues; ++i) CHECK(found[i] == value(1, i));
}

/// Two boxes, the last rows first; and a datatype with absolute addresses.
static void get_boxes(int ncid, int varid) {
  double found[kValues];
  MPI_Offset first[3] = {0, 0, 0}, last[3] = {0, 2, 0}, two[3] = {1, 2, kX}, three[3] = {1, kY - 2, kX};
  MPI_Offset *starts[2] = {last, first}, *counts[2] = {three, two};
  memset(found, 0, sizeof found);
  double* const device = on_device(found, sizeof found);
  OK(ncmpi_get_varn_double_all(ncid, varid, 2, starts, counts, device));
  fetch(found, device, sizeof found);
  for (int i = 0; i < kValues; ++i) CHECK(found[i] == value(0, (i + 2 * kX) % kValues));

  MPI_Datatype absolute;
  const int n = kValues;
  const MPI_Aint address = (MPI_Aint)device;
  MPI_Offset whole[3] = {1, kY, kX};
  MPI_Type_create_hindexed(1, &n, &address, MPI_DOUBLE, &absolute);
  MPI_Type_commit(&absolute);
  OK(ncmpi_get_vara_all(ncid, varid, first, whole, MPI_BOTTOM, 1, absolute));
  MPI_Type_free(&absolute);
  fetch(found, device, sizeof found);
  for (int i = 0; i < kValues; ++i) CHECK(found[i] == value(0, i));
}

/// Of several gets one cannot be copied to the GPU: the others are handed over. A cancelled one is forgotten.
static void get_in_spite_of_errors(int ncid, int varid) {
  enum { kInvalid = 1, kRequests = 3 };
  double found[kValues];
  MPI_Offset start[3] = {0, 0, 0}, count[3] = {1, kY, kX};
  int requests[kRequests], statuses[2];
  double* device[kRequests];
  memset(found, 0, sizeof found);
  for (int i = 0; i < kRequests; ++i) {
    device[i] = on_device(found, sizeof found);
    OK(ncmpi_iget_vara_double(ncid, varid, start, count, device[i], &requests[i]));
  }
  OK(ncmpi_cancel(ncid, 1, &requests[2], NULL));
  esker_double_fail("cuMemcpyHtoDAsync_v2", 0, kInvalid);
  EXPECT(ncmpi_wait_all(ncid, 2, requests, statuses), NC_EFILE);
  CHECK(statuses[0] == NC_EFILE && statuses[1] == NC_NOERR);
  fetch(found, device[1], sizeof found);
  for (int i = 0; i < kValues; ++i) CHECK(found[i] == value(0, i));
  fetch(found, device[2], sizeof found);
  CHECK(found[kValues - 1] == 0);

  double on_host[kValues];
  int varids[2] = {varid, varid};
  MPI_Offset *starts[2] = {start, start}, *counts[2] = {count, count};
  double* targets[2] = {device[2], on_host};
  memset(on_host, 0, sizeof on_host);
  esker_double_fail("cuMemcpyHtoDAsync_v2", 0, kInvalid);
  EXPECT(ncmpi_mget_vara_double_all(ncid, 2, varids, starts, counts, targets), NC_EFILE);
  esker_double_fail(NULL, 0, 0);
  for (int i = 0; i < kValues; ++i) CHECK(on_host[i] == value(0, i));
}

int main(int argc, char** argv) {
  int ncid, dims[3], varid;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (argc != 2) {
    fprintf(stderr, "usage: device FILE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  void* context = NULL;
  CHECK(cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxPushCurrent_v2(context) == 0);
  OK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &ncid));
  OK(ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]));
  OK(ncmpi_def_dim(ncid, "y", kY, &dims[1]));
  OK(ncmpi_def_dim(ncid, "x", kX, &dims[2]));
  OK(ncmpi_def_var(ncid, "v", NC_DOUBLE, 3, dims, &varid));
  OK(ncmpi_enddef(ncid));
  put_all(ncid, varid);
  expect_in_file(ncid, varid);
  get_interleaved(ncid, varid);
  get_all(ncid, varid);
  count_items(ncid, varid);
  get_boxes(ncid, varid);
  get_in_spite_of_errors(ncid, varid);
  OK(ncmpi_close(ncid));
  return finish();
}
