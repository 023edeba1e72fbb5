// What the test programs of PnetCDF's interface share. They are compiled with PnetCDF's header, and run with
// its library, too: what they expect is what it does.
#pragma once

#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int n_wrong = 0;

/// The call returns this code.
#define EXPECT(call, expected)                                                                          \
  do {                                                                                                  \
    const int code_ = (call);                                                                           \
    if (code_ != (expected)) {                                                                          \
      fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call, ncmpi_strerrno(code_), \
              #expected);                                                                               \
      ++n_wrong;                                                                                        \
    }                                                                                                   \
  } while (0)
#define OK(call) EXPECT(call, NC_NOERR)
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++n_wrong;                                                              \
    }                                                                         \
  } while (0)

/// Prints the result once, and returns the exit status.
static int finish(void) {
  int all = 0, rank = 0;
  const char* wanted = getenv("PNETCDF_TEST_LIBRARY");
  CHECK(wanted == NULL || strstr(ncmpi_inq_libvers(), wanted) != NULL);
  MPI_Allreduce(&n_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%s: %d wrong\n", ncmpi_inq_libvers(), all);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
