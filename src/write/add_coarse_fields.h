// CoarseFieldAdder: the coarse fields (model/coarse_fields.h) of steps, for a format that stores levels
// separately.
//
// The patches of a coarse field are those of its field, with larger strides: they refer to the same memory.
// Exchange and files are then those of any other field.
#pragma once

#include <memory>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "write/step_input.h"

namespace esker {

class CoarseFieldAdder {
 public:
  /// Adds the coarse fields of levels 1 ... num_levels of a dataset. The schema with them is made once.
  /// Local.
  Status add(const Schema& schema, int num_levels, StepInput& input);

 private:
  std::shared_ptr<const Schema> with_;  // null: no step had any
};

}  // namespace esker
