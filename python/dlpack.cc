#include "dlpack.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

/// An array that another package has given as a DLPack capsule; freed with the last reference to this.
struct DlpackArray {
  nb::ndarray<nb::ro> array;
  bool is_writeable = true;

  static DlpackArray of(nb::handle capsule) {
    nb::ndarray<> writeable;
    if (nb::try_cast(capsule, writeable)) return {nb::ndarray<nb::ro>(writeable)};
    return {nb::cast<nb::ndarray<nb::ro>>(capsule), false};
  }
  [[nodiscard]] nb::tuple axes(bool strides) const {
    nb::list made;
    for (std::size_t a = 0; a < array.ndim(); ++a) {
      made.append(strides ? array.stride(a) * static_cast<std::int64_t>(array.itemsize())
                          : static_cast<std::int64_t>(array.shape(a)));
    }
    return nb::tuple(made);
  }
};

}  // namespace

void bind_dlpack(nb::module_& m) {
  nb::class_<DlpackArray>(m, "DlpackArray",
                          "The array of a DLPack capsule, for as long as this object exists.")
      .def(
          "__init__",
          [](DlpackArray* self, nb::handle capsule) { new (self) DlpackArray(DlpackArray::of(capsule)); },
          "capsule"_a, nb::sig("def __init__(self, capsule: object) -> None"))
      .def_ro("is_writeable", &DlpackArray::is_writeable, "Unless the capsule says that it is not.")
      .def_prop_ro("address",
                   [](const DlpackArray& d) { return reinterpret_cast<std::uintptr_t>(d.array.data()); })
      .def_prop_ro(
          "shape", [](const DlpackArray& d) { return d.axes(false); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "strides", [](const DlpackArray& d) { return d.axes(true); }, "In bytes.",
          nb::sig("def strides(self) -> tuple[int, ...]"))
      .def_prop_ro(
          "type",
          [](const DlpackArray& d) {
            const nb::dlpack::dtype type = d.array.dtype();
            return std::make_tuple(int{type.code}, int{type.bits}, int{type.lanes});
          },
          "Code, bits and lanes.");
}

}  // namespace esker::python
