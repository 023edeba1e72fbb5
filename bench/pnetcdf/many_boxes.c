/* Writes variables in many small boxes, as codes with unstructured grids do, through PnetCDF's functions alone.
 *
 *     mpiexec -n 4 many_boxes FILE BOXES [METHOD [LEVELS [VARIABLES [RECORDS]]]]
 *
 * The columns of a grid are cut into runs of 1 to 16, each of which belongs to a random rank. Each rank brings BOXES boxes
 * on average: its runs on each level. METHOD is "iput" (iput_varn for each variable, and wait_all), "put" (put_varn_all),
 * "steps" (iput_vars: every second column of a part of each level), or "map" (iput_varm of all levels of a block of columns,
 * whose values are in the order of columns). Prints the seconds of all records, with opening and closing; then reads the
 * variables in slabs, and compares each value. Exit status 1 if one is wrong. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostVariables = 16, kMostRun = 16 };

static int rank, n_ranks;

static void check(int code, const char *what) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static uint64_t next_random(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The value of a sample, which floats hold exactly. */
static float value_at(int variable, int record, int64_t level, int64_t column, int64_t n_columns) {
  return (float)((level * n_columns + column + 131 * variable + 1009 * record) % 4194301);
}

/* Boxes of the dimensions record, level, column; the values of box b begin at offset[b]. */
typedef struct {
  int n;
  int64_t n_values;
  MPI_Offset **starts, **counts;
} Boxes;

static void add_box(Boxes *boxes, int64_t level, int64_t column, int64_t length) {
  MPI_Offset *box = malloc(6 * sizeof(MPI_Offset));
  boxes->starts[boxes->n] = box;
  boxes->counts[boxes->n] = box + 3;
  box[0] = 0, box[1] = level, box[2] = column;
  box[3] = 1, box[4] = 1, box[5] = length;
  ++boxes->n;
  boxes->n_values += length;
}

/* Cuts the columns into runs; `boxes` null: only counts the columns. */
static int64_t cut_columns(int64_t n_runs, int n_levels, Boxes *boxes) {
  int64_t column = 0;
  for (int level = 0; level < n_levels; ++level) {
    uint64_t random = 1;
    column = 0;
    for (int64_t run = 0; run < n_runs; ++run) {
      const uint64_t drawn = next_random(&random);
      const int64_t length = 1 + (int64_t)(drawn % kMostRun);
      if (boxes && (int)((drawn >> 32) % (uint64_t)n_ranks) == rank) add_box(boxes, level, column, length);
      column += length;
    }
  }
  return column;
}

static void fill_values(const Boxes *boxes, int variable, int record, int64_t n_columns, float *values) {
  for (int b = 0; b < boxes->n; ++b) {
    for (int64_t i = 0; i < boxes->counts[b][2]; ++i) {
      *values++ = value_at(variable, record, boxes->starts[b][1], boxes->starts[b][2] + i, n_columns);
    }
  }
}

typedef struct {
  int file, variables[kMostVariables], n_variables, n_records, n_levels;
  int64_t n_columns;
} Output;

static Output create(const char *path, int n_variables, int n_records, int n_levels, int64_t n_columns) {
  Output out = {0, {0}, n_variables, n_records, n_levels, n_columns};
  int dims[3];
  check(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &out.file), "create");
  check(ncmpi_def_dim(out.file, "time", NC_UNLIMITED, &dims[0]), "def_dim");
  check(ncmpi_def_dim(out.file, "lev", n_levels, &dims[1]), "def_dim");
  check(ncmpi_def_dim(out.file, "ncol", n_columns, &dims[2]), "def_dim");
  for (int v = 0; v < n_variables; ++v) {
    char name[16];
    snprintf(name, sizeof name, "v%d", v);
    check(ncmpi_def_var(out.file, name, NC_FLOAT, 3, dims, &out.variables[v]), "def_var");
  }
  check(ncmpi_enddef(out.file), "enddef");
  return out;
}

static void put_boxes(const Output *out, const Boxes *boxes, float **values, int pends) {
  int requests[kMostVariables];
  for (int r = 0; r < out->n_records; ++r) {
    for (int b = 0; b < boxes->n; ++b) boxes->starts[b][0] = r;
    for (int v = 0; v < out->n_variables; ++v) {
      fill_values(boxes, v, r, out->n_columns, values[v]);
      if (pends) {
        check(ncmpi_iput_varn_float(out->file, out->variables[v], boxes->n, boxes->starts, boxes->counts, values[v],
                                    &requests[v]),
              "iput_varn");
      } else {
        check(ncmpi_put_varn_float_all(out->file, out->variables[v], boxes->n, boxes->starts, boxes->counts, values[v]),
              "put_varn");
      }
    }
    if (pends) check(ncmpi_wait_all(out->file, out->n_variables, requests, NULL), "wait_all");
  }
}

static int64_t share(int64_t n, int part, int n_parts) { return n / n_parts * part + n % n_parts * part / n_parts; }

/* Rank r has the columns r, r + n_ranks ...: one access with a step, or with a map. */
static void put_strided(const Output *out, float **values, int has_map) {
  const int64_t n = (out->n_columns - rank + n_ranks - 1) / n_ranks;
  int requests[kMostVariables];
  for (int r = 0; r < out->n_records; ++r) {
    const MPI_Offset start[3] = {r, 0, rank}, count[3] = {1, out->n_levels, n}, step[3] = {1, 1, n_ranks};
    const MPI_Offset map[3] = {0, has_map ? 1 : n, has_map ? out->n_levels : 1};
    for (int v = 0; v < out->n_variables; ++v) {
      for (int64_t level = 0; level < out->n_levels; ++level) {
        for (int64_t i = 0; i < n; ++i) {
          values[v][level * map[1] + i * map[2]] = value_at(v, r, level, rank + i * n_ranks, out->n_columns);
        }
      }
      check(ncmpi_iput_varm_float(out->file, out->variables[v], start, count, step, map, values[v], &requests[v]),
            "iput_varm");
    }
    check(ncmpi_wait_all(out->file, out->n_variables, requests, NULL), "wait_all");
  }
}

/* Each rank reads a slab of the columns. The number of wrong values of this rank. */
static int64_t count_wrong(const char *path, const Output *out) {
  int file;
  int64_t wrong = 0;
  const int64_t first = share(out->n_columns, rank, n_ranks), n = share(out->n_columns, rank + 1, n_ranks) - first;
  float *values = malloc((size_t)(n + 1) * sizeof(float));
  check(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), "open");
  for (int v = 0; v < out->n_variables; ++v) {
    for (int r = 0; r < out->n_records; ++r) {
      for (int level = 0; level < out->n_levels; ++level) {
        const MPI_Offset start[3] = {r, level, first}, count[3] = {1, 1, n};
        check(ncmpi_get_vara_float_all(file, out->variables[v], start, count, values), "get_vara");
        for (int64_t i = 0; i < n; ++i) {
          wrong += values[i] != value_at(v, r, level, first + i, out->n_columns);
        }
      }
    }
  }
  check(ncmpi_close(file), "close");
  free(values);
  return wrong;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  if (argc < 3) {
    if (rank == 0) fprintf(stderr, "usage: many_boxes FILE BOXES [METHOD [LEVELS [VARIABLES [RECORDS]]]]\n");
    MPI_Finalize();
    return 2;
  }
  const char *method = argc > 3 ? argv[3] : "iput";
  const int n_levels = argc > 4 ? atoi(argv[4]) : 1;
  const int n_variables = argc > 5 ? atoi(argv[5]) : 1;
  const int n_records = argc > 6 ? atoi(argv[6]) : 1;
  if (n_variables > kMostVariables) MPI_Abort(MPI_COMM_WORLD, 2);
  const int64_t n_runs = atoll(argv[2]) * n_ranks / n_levels;
  const int is_strided = strcmp(method, "steps") == 0 || strcmp(method, "map") == 0;
  Boxes boxes = {0, 0, NULL, NULL};
  boxes.starts = malloc((size_t)(n_runs * n_levels + 1) * sizeof(MPI_Offset *));
  boxes.counts = malloc((size_t)(n_runs * n_levels + 1) * sizeof(MPI_Offset *));
  const int64_t n_columns = cut_columns(n_runs, n_levels, is_strided ? NULL : &boxes);
  if (is_strided) boxes.n_values = n_levels * (n_columns / n_ranks + 1);
  float *values[kMostVariables];
  for (int v = 0; v < n_variables; ++v) values[v] = malloc((size_t)(boxes.n_values + 1) * sizeof(float));

  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  Output out = create(argv[1], n_variables, n_records, n_levels, n_columns);
  const double opened = MPI_Wtime();
  if (is_strided) {
    put_strided(&out, values, strcmp(method, "map") == 0);
  } else {
    put_boxes(&out, &boxes, values, strcmp(method, "iput") == 0);
  }
  const double put = MPI_Wtime();
  check(ncmpi_close(out.file), "close");
  double seconds[2] = {MPI_Wtime() - begin, put - opened}, slowest[2];
  MPI_Reduce(seconds, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);

  int64_t wrong = count_wrong(argv[1], &out), all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.6f puts %.6f wrong %lld\n", slowest[0], slowest[1], (long long)all_wrong);
  MPI_Finalize();
  return all_wrong != 0;
}
