// What the functions of transfers do: PnetCDF's put, get, iput, iget, bput, mput and mget, in any form and
// type.
#pragma once

#include <functional>

#include "mirror.h"
#include "place.h"

namespace esker::pnetcdf {

/// One variable of a call.
struct Part {
  int variable = 0;
  Place place;
  Memory memory;
};

/// Collective if `all`: an error of this rank's arguments is returned to it alone, and it takes part with
/// nothing.
int move_now(Direction direction, bool all, int ncid, const Part& part);
/// Pending until wait; local. `copy`: whether values to put may change when the call has returned.
enum class Copy { kNo, kYes, kToAttachedBuffer };
int move_later(Direction direction, Copy copy, int ncid, const Part& part, int* request);
/// As move_now() for several variables in one transfer.
int move_many(Direction direction, bool all, int ncid, int n, const std::function<Part(int)>& part);

/// The accesses of one part of a call, with memory, and what has to live as long as they do.
struct Prepared {
  std::vector<cdf::Access> accesses;
  std::vector<std::byte> copy;
  UnpackLater unpack;
  Mirror mirror;
  Index bytes = 0;   ///< in the file
  bool fits = true;  ///< no value to put is out of range
};
/// The place has been checked. Empty boxes are left out.
int prepare(const OpenFile& file, Direction direction, const Part& part, Prepared& prepared);

}  // namespace esker::pnetcdf
