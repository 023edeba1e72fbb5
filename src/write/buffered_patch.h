// BufferedPatch: samples that a writer keeps itself, as numbers of the field's type.
#pragma once

#include <cstddef>
#include <memory>

#include "esker/patch.hpp"
#include "esker/schema.hpp"
#include "esker/status.hpp"

namespace esker {

/// A copy, and the patch that it is.
struct BufferedPatch {
  std::unique_ptr<std::byte[]> memory;
  Patch patch;
};

/// Bytes of the copy of a patch, which lies in its grid.
Index buffered_bytes(const Field& field, const Patch& patch);

/// Copies the patch, dense and with its axes in the order that they have in memory. Its type may be another
/// than the field's. Errors: kOutOfRange (names the first value that the field's type cannot hold),
/// kOutOfMemory. Pure.
Result<BufferedPatch> copy_patch(const Field& field, const Patch& patch);

}  // namespace esker
