#include "names.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "errors.h"
#include "esker/dataset_name.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {

void bind_names(nb::module_& m) {
  nb::class_<DatasetName>(m, "DatasetName")
      .def_ro("stem", &DatasetName::stem)
      .def_ro("suffix", &DatasetName::suffix)
      .def_ro("format", &DatasetName::format);
  nb::class_<FoundDataset>(m, "FoundDataset")
      .def_ro("path", &FoundDataset::path)
      .def_ro("format", &FoundDataset::format);
  m.def(
      "split_name", [](const std::string& path) { return split_name(path); }, "path"_a);
  m.def("dataset_suffixes", &dataset_suffixes);
  m.def(
      "find_dataset", [](const std::string& path) { return find_dataset(path).value(); }, "path"_a,
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace esker::python
