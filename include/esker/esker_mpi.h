// esker_mpi.h: esker.h for programs with MPI; link esker_mpi and esker.
//
// MPI is initialised (MPI_THREAD_FUNNELED is enough), and all calls come from the thread that initialised it.
#ifndef ESKER_ESKER_MPI_H
#define ESKER_ESKER_MPI_H

#include <mpi.h>

#include "esker/esker.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Esker's communicator for the ranks of `comm`, which is duplicated: Esker's messages never meet the
/// caller's. Collective over `comm`. `*out` is freed by esker_comm_free, also after an error, which every
/// call with it then returns; NULL only without memory. Errors: ESKER_WRONG_ORDER (MPI is not initialised, or
/// finalised), ESKER_INVALID_ARGUMENT (MPI_COMM_NULL), ESKER_OUT_OF_MEMORY.
ESKER_API esker_status esker_comm_from_mpi(MPI_Comm comm, esker_comm** out);

/// The same for a communicator of Fortran (mpif.h, `use mpi`, or MPI_VAL of mpi_f08's). Collective.
ESKER_API esker_status esker_comm_from_fortran(MPI_Fint comm, esker_comm** out);

/// Called by esker_comm_from_fortran(comm, out, ierr) of the Fortran module, which so needs no MPI itself.
/// Collective. `ierr` may be NULL; the first call that takes the communicator returns the error again.
ESKER_API void esker_fortran_comm(const MPI_Fint* comm, esker_comm** out, esker_status* ierr);

#ifdef __cplusplus
}
#endif

#endif
