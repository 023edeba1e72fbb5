// What the Fortran 90 procedures of transfers do (fortran90_transfers.cc has them). Arguments that a program
// left out are null.
#pragma once

#include "fortran_array.h"
#include "transfer.h"

namespace esker::pnetcdf {

/// Which procedure was called, for what. Pending if there is a `request`.
struct Fortran90Call {
  int ncid;
  int variable;
  Direction direction;
  bool all = false;
  Copy copy = Copy::kNo;
  MPI_Fint* request = nullptr;
};

struct Lists {
  const FortranArray *start, *count, *stride, *map;
};

/// What the program says of memory by an MPI datatype.
struct Items {
  const MPI_Offset* n = nullptr;
  const MPI_Fint* datatype = nullptr;
};

/// One value. `start` may have columns: the first counts.
int move_value(const Fortran90Call& call, const Section& value, const FortranArray* start, int start_rank,
               const Items& items = {});
/// Without `count` the values are a box of the variable. Further dimensions of the variable have one index
/// each.
int move_array(const Fortran90Call& call, const Section& values, const Lists& lists, const Items& items = {});
/// Several boxes, by default of one value each.
int move_boxes(const Fortran90Call& call, const Section& values, int n, const FortranArray* starts,
               const FortranArray* counts);

}  // namespace esker::pnetcdf
