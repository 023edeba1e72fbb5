// Buffer: a NumPy array, or whatever exports a buffer, held in place for as long as Esker may read it.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <vector>

#include "esker/schema.hpp"
#include "esker/writer.hpp"

namespace esker::python {

/// Any strides, also negative ones and ones that are no multiple of the item; nothing is copied. Movable;
/// made, moved and dropped with the GIL held.
class Buffer {
 public:
  /// Throws what the object says when it exports no buffer.
  explicit Buffer(nanobind::handle array);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// The patch that the array is of `field`: its axes are (z, y, x), with a last one for the components of a
  /// field that has several; `offset`, x first, is where it stands in the grid. Throws Error when the axes or
  /// the type are none that a field can have.
  [[nodiscard]] Patch patch(const Field& field, const std::vector<Index>& offset) const;

 private:
  Py_buffer view_{};
};

}  // namespace esker::python
