// Buffer: a reference to a NumPy array, or another object with the buffer protocol, while Esker may read it.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/writer.hpp"

namespace esker::python {

/// The memory of an array: its axes are (z, y, x), followed by the component if a field has several.
struct ArrayMemory {
  const void* data = nullptr;
  SampleType type = SampleType::kFloat32;
  std::span<const Py_ssize_t> shape, strides;  ///< in bytes
};

/// An array as a patch of `field`; `offset`, x first, is the position of its first sample in the grid. Throws
/// Error if the axes do not match.
Patch make_patch(const Field& field, const ArrayMemory& array, const std::vector<Index>& offset);

/// The type with NumPy's name for it, as "float32". Throws Error for any other text.
SampleType named_type(const std::string& name);

/// Supports any strides, also negative ones and ones that are not a multiple of the item size. Does not copy
/// the data. Movable. Construct, move and destroy it with the GIL held.
class Buffer {
 public:
  /// Throws the object's Python exception if it does not export a buffer.
  explicit Buffer(nanobind::handle array);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// The array as a patch of `field`, see make_patch(). Throws Error if the axes or the type do not match.
  [[nodiscard]] Patch patch(const Field& field, const std::vector<Index>& offset) const;

 private:
  Py_buffer view_{};
};

}  // namespace esker::python
