// What a planned step keeps: the blocks of regions, without ranks and samples.
#pragma once

#include <functional>

#include "esker/plan.hpp"
#include "format/format_writer.h"
#include "layout/kept_fields.h"

namespace esker {

struct PlannedRegions {
  KeptFields fields;       ///< empty without rules
  bool is_sparse = false;  ///< some blocks are not stored
};

/// The blocks that a first step of all fields stores by the rules of `keep`, or where these have none, by
/// options.keep_level. Chooses bits_per_block of `format` as Writer does. Local; time and memory follow the
/// rules and the blocks that are stored. Errors: those of Writer::keep, and kInvalidArgument for rules that
/// look at samples. `pulse` is called often, and may throw to end the search.
Result<PlannedRegions> plan_regions(const Schema& schema, const KeepOfGrid& keep, const Options& options,
                                    FormatWriter& format, const std::function<void()>& pulse);

}  // namespace esker
