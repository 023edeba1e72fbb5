// ReadOriginal: reads samples of the data that a dataset was made from.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "esker/types/box.hpp"
#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Stores the original values of the points `samples` of a field's grid in `out`: dense, x fastest,
/// components innermost, of the field's type, in host byte order. `step` is a position in the steps of the
/// dataset, 0 for fixed fields. False: the original does not have that field or step.
using ReadOriginal = std::function<Result<bool>(const std::string& field, Index step, const Lattice& samples,
                                                std::span<std::byte> out)>;

}  // namespace esker
