#include "buffer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "esker/types/status.hpp"

namespace nb = nanobind;

namespace esker::python {
namespace {

[[noreturn]] void throw_type(const std::string& found) {
  throw Error(Code::kInvalidArgument,
              "expected an array of integers or reals in native byte order, found " + found);
}

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
  if (!kind) throw_type("buffer format '" + std::string(format) + "'");
  return parse_sample_type(kind + std::to_string(8 * view.itemsize)).value();
}

}  // namespace

Buffer::Buffer(nb::handle array, bool is_filled) {
  const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (is_filled ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(array.ptr(), &view_, flags) != 0) nb::raise_python_error();
}

Buffer::Buffer(Buffer&& other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

Buffer::~Buffer() { PyBuffer_Release(&view_); }

MutablePatch Buffer::patch(const Field& field, const std::vector<Index>& offset) const {
  const auto axes = static_cast<std::size_t>(view_.ndim);
  return make_patch(field, {view_.buf, sample_type(view_), {view_.shape, axes}, {view_.strides, axes}},
                    offset);
}

SampleType named_type(const std::string& name) {
  const auto type = parse_sample_type(name);
  if (!type.ok()) throw_type("'" + name + "'");
  return *type;
}

MutablePatch make_patch(const Field& field, const ArrayMemory& array, const std::vector<Index>& offset) {
  const bool has_components = field.components > 1;
  const int rank = static_cast<int>(array.shape.size()) - (has_components ? 1 : 0);
  if (rank != static_cast<int>(offset.size()) || rank < 1 || rank > kMaxRank ||
      array.strides.size() != array.shape.size() ||
      (has_components && array.shape[rank] != field.components)) {
    throw Error(Code::kInvalidArgument,
                "expected an array with the grid's axes, slowest first, followed by one for the components "
                "if there are several, and an offset with one index per axis");
  }
  MutablePatch patch;
  patch.type = array.type;
  patch.repeats = true;  // strides of 0 are numpy.broadcast_to's
  patch.data = array.data;
  patch.box.rank = rank;
  for (int a = 0; a < rank; ++a) {
    constexpr Index kFarthest = Index{1} << 62;
    if (offset[a] < 0 || offset[a] > kFarthest)
      throw Error(Code::kOutOfRange, "the offset is outside the grid");
    const int axis = rank - 1 - a;
    patch.box.lo[a] = offset[a];
    patch.box.hi[a] = offset[a] + array.shape[axis];
    patch.stride_bytes[a] = array.strides[axis];
  }
  patch.component_stride_bytes = has_components ? array.strides[rank] : size_bytes(array.type);
  return patch;
}

namespace {

void* pointer(nb::handle array, const char* name) {
  return reinterpret_cast<void*>(nb::cast<std::uintptr_t>(array.attr(name)));
}

}  // namespace

MutablePatch make_device_patch(const Field& field, nb::handle array, SampleType type,
                               const std::vector<Index>& offset) {
  const auto shape = nb::cast<std::vector<Py_ssize_t>>(array.attr("shape"));
  const auto strides = nb::cast<std::vector<Py_ssize_t>>(array.attr("strides"));
  MutablePatch patch = make_patch(field, {pointer(array, "address"), type, shape, strides}, offset);
  patch.is_on_device = true;
  return patch;
}

void* stream_of(nb::handle array) { return pointer(array, "stream"); }

Output::Output(const Dataset& dataset, const Query& query, nb::handle array) {
  (void)dataset.box(query.field).value();  // throws if there is no such field
  const Field& field = *dataset.schema().find_field(query.field);
  const auto axes = nb::cast<std::size_t>(array.attr("ndim"));
  const std::vector<Index> offset(field.components > 1 && axes > 0 ? axes - 1 : axes);
  if (PyObject_CheckBuffer(array.ptr()) != 0) {
    patch = buffer_.emplace(array, true).patch(field, offset);
    return;
  }
  const auto type = nb::cast<std::string>(array.attr("dtype").attr("name"));
  patch = make_device_patch(field, array, named_type(type), offset);
  stream = stream_of(array);
}

}  // namespace esker::python
