// Buffer: a reference to a NumPy array, or another object with the buffer protocol, while Esker may read it.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <vector>

#include "esker/types/schema.hpp"
#include "esker/writer.hpp"

namespace esker::python {

/// Supports any strides, also negative ones and ones that are not a multiple of the item size. Does not copy
/// the data. Movable. Construct, move and destroy it with the GIL held.
class Buffer {
 public:
  /// Throws the object's Python exception if it does not export a buffer.
  explicit Buffer(nanobind::handle array);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// The array as a patch of `field`. Its axes are (z, y, x), followed by the component if the field has
  /// several; `offset`, x first, is the position of its first sample in the grid. Throws Error if the axes or
  /// the type do not match.
  [[nodiscard]] Patch patch(const Field& field, const std::vector<Index>& offset) const;

 private:
  Py_buffer view_{};
};

}  // namespace esker::python
