#include "buffer.h"

#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "esker/types/status.hpp"

namespace esker::python {
namespace {

/// Uses the format characters of Python's struct module. The size comes from the item size, because the sizes
/// of int and long depend on the platform.
SampleType sample_type(const Py_buffer& view) {
  std::string_view format = view.format ? view.format : "B";
  constexpr char kNative = std::endian::native == std::endian::little ? '<' : '>';
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == kNative))
    format.remove_prefix(1);
  const auto one_of = [&](std::string_view kinds) {
    return format.size() == 1 && kinds.find(format[0]) != std::string_view::npos;
  };
  const char* kind = one_of("fd") ? "float" : one_of("bhilq") ? "int" : one_of("BHILQ") ? "uint" : nullptr;
  if (!kind) {
    throw Error(Code::kInvalidArgument,
                "expected an array of integers or reals in native byte order, found buffer format '" +
                    std::string(format) + "'");
  }
  return parse_sample_type(kind + std::to_string(8 * view.itemsize)).value();
}

}  // namespace

Buffer::Buffer(nanobind::handle array) {
  if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
    nanobind::raise_python_error();
}

Buffer::Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

Buffer::~Buffer() { PyBuffer_Release(&view_); }

Patch Buffer::patch(const Field& field, const std::vector<Index>& offset) const {
  const bool has_components = field.components > 1;
  const int rank = view_.ndim - (has_components ? 1 : 0);
  if (rank != static_cast<int>(offset.size()) || rank < 1 || rank > kMaxRank ||
      (has_components && view_.shape[rank] != field.components)) {
    throw Error(Code::kInvalidArgument,
                "expected an array with the grid's axes, slowest first, followed by one for the components "
                "if there are "
                "several, and an offset with one index per axis");
  }
  Patch patch;
  patch.type = sample_type(view_);
  patch.repeats = true;  // strides of 0 are numpy.broadcast_to's
  patch.data = view_.buf;
  patch.box.rank = rank;
  for (int a = 0; a < rank; ++a) {
    constexpr Index kFarthest = Index{1} << 62;
    if (offset[a] < 0 || offset[a] > kFarthest)
      throw Error(Code::kOutOfRange, "the offset is outside the grid");
    const int axis = rank - 1 - a;
    patch.box.lo[a] = offset[a];
    patch.box.hi[a] = offset[a] + view_.shape[axis];
    patch.stride_bytes[a] = view_.strides[axis];
  }
  patch.component_stride_bytes = has_components ? view_.strides[rank] : view_.itemsize;
  return patch;
}

}  // namespace esker::python
