// KeepCall: a rule that a rank gave for the open step.
#pragma once

#include "esker/types/keep.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

struct KeepCall {
  int grid = -1;   ///< position in Schema::grids()
  int field = -1;  ///< of that grid, position in Schema::fields(); -1: all of them
  KeepRule rule;
};

/// What can be checked without the other ranks: kInvalidArgument or kOutOfRange. Pure.
Status check_rule(const Schema& schema, const KeepCall& call);

}  // namespace esker
