/* Reads one CDF file by PnetCDF's interface in several ways, and prints the seconds of each.
 *
 *   mpiexec -n 4 reads write FILE N        fields of N^3 doubles, as S3D has them, and small variables
 *   mpiexec -n 4 reads read FILE N REPEAT  prints "CASE FIRST LEAST": seconds of the first and of the fastest time
 *
 * restart: each rank its block of 2 x 2 x 1 of all fields. columns: each rank N / ranks columns along x of them. thin: the same
 * of a variable whose rows have 16 values. same: each rank all of 50 variables of 4 KiB. same_large: each rank all of one field.
 * Pages of the file are dropped from the cache before each time if the file system can do that. Values are checked. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kFields = 4, kSmall = 50, kSmallLength = 512, kThin = 16 };

static const char* const kNames[kFields] = {"pressure", "temp", "velocity", "yspecies"};
static const MPI_Offset kComponents[kFields] = {1, 1, 3, 11};

static int rank, n_ranks;
static MPI_Offset n;

static void check(int code, const char* what) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", what, ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The value at an index of a variable, whose dimensions have these lengths. */
static double value_at(int varid, int ndims, const MPI_Offset* length, const MPI_Offset* index) {
  double position = 0;
  for (int d = 0; d < ndims; ++d) position = position * (double)length[d] + (double)index[d];
  return position + 0.5 * varid;
}

/* Calls for each value of a box whose values are dense: sets it, or compares it. */
static void for_values(int varid, int ndims, const MPI_Offset* length, const MPI_Offset* start,
                       const MPI_Offset* count, double* values, int sets) {
  MPI_Offset total = 1;
  for (int d = 0; d < ndims; ++d) total *= count[d];
  for (MPI_Offset i = 0; i < total; ++i) {
    MPI_Offset index[4], rest = i;
    for (int d = ndims; d-- > 0;) {
      index[d] = start[d] + rest % count[d];
      rest /= count[d];
    }
    const double expected = value_at(varid, ndims, length, index);
    if (sets) values[i] = expected;
    if (values[i] == expected) continue;
    fprintf(stderr, "variable %d, value %lld: %g, expected %g\n", varid, (long long)i, values[i], expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* The dimensions of a variable: fields, then the thin one, then small ones. */
static int shape_of(int varid, MPI_Offset* length) {
  if (varid < kFields) {
    length[0] = kComponents[varid];
    length[1] = length[2] = length[3] = n;
    return 4;
  }
  if (varid == kFields) {
    length[0] = length[1] = n;
    length[2] = kThin;
    return 3;
  }
  length[0] = kSmallLength;
  return 1;
}

/* The box of this rank: the domain cut into that many parts along the last three dimensions. */
static void box_of(int ndims, const MPI_Offset* length, const int* parts, MPI_Offset* start, MPI_Offset* count) {
  int rest = rank;
  for (int d = ndims; d-- > 0;) {
    const int p = parts[d + 4 - ndims];
    start[d] = length[d] * (rest % p) / p;
    count[d] = length[d] * (rest % p + 1) / p - start[d];
    rest /= p;
  }
}

static void write_file(const char* path) {
  int file, dim[8];
  check(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file), "create");
  ncmpi_def_dim(file, "n", n, &dim[0]);
  ncmpi_def_dim(file, "thin", kThin, &dim[1]);
  ncmpi_def_dim(file, "small", kSmallLength, &dim[2]);
  for (int f = 0; f < kFields; ++f) {
    char name[32];
    snprintf(name, sizeof(name), "components%d", f);
    int dims[4] = {0, dim[0], dim[0], dim[0]}, id;
    ncmpi_def_dim(file, name, kComponents[f], &dims[0]);
    check(ncmpi_def_var(file, kNames[f], NC_DOUBLE, 4, dims, &id), "def_var");
  }
  int dims[3] = {dim[0], dim[0], dim[1]}, id;
  check(ncmpi_def_var(file, "thin", NC_DOUBLE, 3, dims, &id), "def_var");
  for (int s = 0; s < kSmall; ++s) {
    char name[32];
    snprintf(name, sizeof(name), "small%d", s);
    check(ncmpi_def_var(file, name, NC_DOUBLE, 1, &dim[2], &id), "def_var");
  }
  check(ncmpi_enddef(file), "enddef");
  const int slabs[4] = {1, n_ranks, 1, 1};
  for (int v = 0; v < kFields + 1 + kSmall; ++v) {
    MPI_Offset length[4], start[4] = {0}, count[4];
    const int ndims = shape_of(v, length);
    memcpy(count, length, sizeof(count));
    if (v <= kFields) box_of(ndims, length, slabs, start, count);
    MPI_Offset total = 1;
    for (int d = 0; d < ndims; ++d) total *= count[d];
    double* values = malloc((size_t)total * sizeof(double));
    for_values(v, ndims, length, start, count, values, 1);
    check(ncmpi_put_vara_double_all(file, v, start, count, values), "put");
    free(values);
  }
  check(ncmpi_close(file), "close");
}

static void drop_pages(const char* path) {
  if (rank == 0) {
    const int fd = open(path, O_RDONLY);
    fsync(fd);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Reads variables [first, last), cut into parts; the seconds of the slowest rank. */
static double time_of(const char* path, int file, int first, int last, const int* parts) {
  double* values[kSmall];
  MPI_Offset length[kSmall][4], start[kSmall][4], count[kSmall][4];
  int ndims[kSmall];
  for (int v = first; v < last; ++v) {
    const int i = v - first;
    ndims[i] = shape_of(v, length[i]);
    box_of(ndims[i], length[i], parts, start[i], count[i]);
    size_t bytes = sizeof(double);
    for (int d = 0; d < ndims[i]; ++d) bytes *= (size_t)count[i][d];
    values[i] = malloc(bytes);
    memset(values[i], 1, bytes);
  }
  drop_pages(path);
  double seconds = -MPI_Wtime();
  for (int i = 0; i < last - first; ++i) {
    check(ncmpi_get_vara_double_all(file, first + i, start[i], count[i], values[i]), "get");
  }
  seconds += MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < last - first; ++i) {
    for_values(first + i, ndims[i], length[i], start[i], count[i], values[i], 0);
    free(values[i]);
  }
  return seconds;
}

static void read_file(const char* path, int repeat) {
  const int blocks[4] = {1, 1, 2, 2}, columns[4] = {1, 1, 1, n_ranks}, whole[4] = {1, 1, 1, 1};
  const struct {
    const char* name;
    int first, last;
    const int* parts;
  } cases[] = {{"restart", 0, kFields, blocks},
               {"columns", 0, kFields, columns},
               {"thin", kFields, kFields + 1, columns},
               {"same", kFields + 1, kFields + 1 + kSmall, whole},
               {"same_large", 0, 1, whole}};
  int file;
  check(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), "open");
  for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
    double first = 0, least = 1e30;
    for (int r = 0; r < repeat; ++r) {
      const double seconds = time_of(path, file, cases[c].first, cases[c].last, cases[c].parts);
      if (r == 0) first = seconds;
      if (seconds < least) least = seconds;
    }
    if (rank == 0) printf("%s %.6f %.6f\n", cases[c].name, first, least);
  }
  check(ncmpi_close(file), "close");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (argc < 4 || n_ranks != 4) {
    if (rank == 0) fprintf(stderr, "usage: mpiexec -n 4 reads write|read FILE N [REPEAT]\n");
    MPI_Finalize();
    return 2;
  }
  n = atoll(argv[3]);
  if (strcmp(argv[1], "write") == 0) {
    write_file(argv[2]);
  } else {
    read_file(argv[2], argc > 4 ? atoi(argv[4]) : 1);
  }
  MPI_Finalize();
  return 0;
}
