// Place: which values of a variable a call names, and whether they exist. Memory: where the caller has them.
#pragma once

#include <mpi.h>

#include <vector>

#include "elements.h"
#include "open_file.h"

namespace esker::pnetcdf {

/// Lists have a number per dimension, slowest first; null where the form has none. varn has lists of lists.
struct Place {
  enum class Form { kAll, kOne, kBox, kStrides, kMap, kBoxes };
  Form form = Form::kAll;
  const MPI_Offset* start = nullptr;
  const MPI_Offset* count = nullptr;
  const MPI_Offset* step = nullptr;
  const MPI_Offset* map = nullptr;  ///< values between neighbors in memory
  int n_boxes = 1;
  MPI_Offset* const* starts = nullptr;
  MPI_Offset* const* counts = nullptr;
};

/// A dense list of values of a type of C, or `n` items of an MPI datatype.
struct Memory {
  void* values = nullptr;
  bool is_flexible = false;
  Type type = Type::kByte;                    ///< if not flexible
  MPI_Offset n = 0;                           ///< if flexible
  MPI_Datatype datatype = MPI_DATATYPE_NULL;  ///< if flexible; null: the type of the variable, dense
};

enum class Direction { kIn, kOut };  ///< to the file, from the file

/// The first error of a call, as PnetCDF checks: of the variable and the types, and then of the place.
int check_variable(const OpenFile& file, int variable, const Memory& memory);
int check_place(const OpenFile& file, int variable, Direction direction, const Place& place);

/// Without memory; boxes without values are left out. The place has been checked.
cdf::Access access_of(const OpenFile& file, int variable, const Place& place);
Index n_values(const OpenFile& file, const cdf::Access& access);

}  // namespace esker::pnetcdf
