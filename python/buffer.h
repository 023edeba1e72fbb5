// Buffer: a reference to a NumPy array, or another object with the buffer protocol, while Esker may use it.
// Output: an array that is filled, on the host or on a GPU.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/types/schema.hpp"
#include "esker/writer.hpp"

namespace esker::python {

/// The memory of an array: its axes are (z, y, x), followed by the component if a field has several.
struct ArrayMemory {
  void* data = nullptr;  ///< not written to when a patch is put
  SampleType type = SampleType::kFloat32;
  std::span<const Py_ssize_t> shape, strides;  ///< in bytes
};

/// An array as a patch of `field`; `offset`, x first, is the position of its first sample in the grid. Throws
/// Error if the axes do not match.
MutablePatch make_patch(const Field& field, const ArrayMemory& array, const std::vector<Index>& offset);

/// The same for a DeviceArray of esker/base/device_arrays.py, whose memory it claims to be that of a GPU.
MutablePatch make_device_patch(const Field& field, nanobind::handle array, SampleType type,
                               const std::vector<Index>& offset);
/// The stream of a DeviceArray.
void* stream_of(nanobind::handle array);

/// The type with NumPy's name for it, as "float32". Throws Error for any other text.
SampleType named_type(const std::string& name);

/// Supports any strides, also negative ones and ones that are not a multiple of the item size. Does not copy
/// the data. Movable. Construct, move and destroy it with the GIL held.
class Buffer {
 public:
  /// Throws the object's Python exception if it does not export a buffer, or if it is to be filled and is
  /// read-only.
  explicit Buffer(nanobind::handle array, bool is_filled = false);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  /// The array as a patch of `field`, see make_patch(). Throws Error if the axes or the type do not match.
  [[nodiscard]] MutablePatch patch(const Field& field, const std::vector<Index>& offset) const;

 private:
  Py_buffer view_{};
};

/// A NumPy array or a DeviceArray as memory for the samples of a query. Construct and destroy it with the GIL
/// held; the array must live as long as the patch is used.
class Output {
 public:
  /// Throws Error if there is no such field, or if the axes or the type do not match.
  Output(const Dataset& dataset, const Query& query, nanobind::handle array);

  MutablePatch patch;
  void* stream = nullptr;  ///< see ReadOptions

 private:
  std::optional<Buffer> buffer_;
};

}  // namespace esker::python
