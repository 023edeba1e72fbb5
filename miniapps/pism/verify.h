// Verification: a step read back from storage is, bit for bit, what lies in memory.
#pragma once

#include <string>
#include <vector>

#include "output.h"

namespace pism {

/// Local: opens the dataset anew with the serial reader and compares this rank's patches `fields` of step
/// `step`. Throws std::runtime_error that names the field and the first differing index.
void verify_step(const std::string& path, Index step, const std::vector<PutField>& fields);

}  // namespace pism
