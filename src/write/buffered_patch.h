// BufferedPatch: samples that the writer keeps a copy of, in the type of the field.
#pragma once

#include <cstddef>
#include <memory>

#include "esker/types/patch.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// A copy, and the patch that describes it.
struct BufferedPatch {
  std::unique_ptr<std::byte[]> memory;
  Patch patch;
};

/// Size of the copy of a patch that is inside its grid.
Index buffered_bytes(const Field& field, const Patch& patch);

/// A patch without memory whose values of `type` are dense, in the order that the axes and components of
/// `patch` have in memory: the form of its copy. Pure.
Patch dense_form(const Patch& patch, int components, SampleType type);

/// Copies the patch; the copy is dense and keeps the order of the axes in memory. Its type may differ from
/// that of the field. Errors: kOutOfRange (names the first value that the field's type cannot hold),
/// kOutOfMemory. Pure.
Result<BufferedPatch> copy_patch(const Field& field, const Patch& patch);

}  // namespace esker
