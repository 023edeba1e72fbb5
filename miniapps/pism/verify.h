// Verification: compares a step that is read back from storage with memory, bit by bit.
#pragma once

#include <string>
#include <vector>

#include "output.h"

namespace pism {

/// Local: reopens the dataset with the serial reader and compares this rank's patches `fields` of step
/// `step`. Throws std::runtime_error that names the field and the first differing index.
void verify_step(const std::string& path, Index step, const std::vector<PutField>& fields);

}  // namespace pism
