// Fields: what the model writes of a step, as patches of its memory.
//
// The own columns are described in place: z is the fastest axis in memory, with ghost columns around. With
// float32 output they are first converted, as PISM does, into an array of the same layout.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/types/patch.hpp"
#include "esker/types/sample_type.hpp"
#include "state.h"

namespace pism {

struct FieldSpec {
  const char* name;
  Array<double> State::*array;  ///< nullptr: enthalpy, which is not part of the state
  bool volume, fixed;
  const char *units, *long_name, *standard_name;  ///< CF; "" if it has no name
};

/// All fields, in the order in which they are written.
std::span<const FieldSpec> output_fields();

/// The patch of one field that this rank put. Its memory belongs to StepFields or to the state.
struct PutField {
  std::string name;
  std::size_t number = 0;  ///< in output_fields()
  esker::Patch patch;
};

class StepFields {
 public:
  /// Local. `grid` outlives it. `type`: float32 or float64.
  StepFields(const Grid& grid, esker::SampleType type);

  /// The patches of `state`, without the fixed fields unless `with_fixed`. Local; valid until the state or
  /// the next step changes them.
  const std::vector<PutField>& of(const State& state, bool with_fixed);
  [[nodiscard]] const std::vector<PutField>& last() const { return put_; }

 private:
  esker::Patch patch_of(std::size_t number, const State& state);

  const Grid& grid_;
  esker::SampleType type_;
  Array<double> enthalpy_;  ///< J kg^-1
  std::vector<std::optional<Array<float>>> converted_;
  std::vector<PutField> put_;
};

}  // namespace pism
