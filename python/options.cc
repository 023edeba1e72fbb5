// Python bindings of the current options.
#include "esker/types/options.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "writer.h"

namespace nb = nanobind;

namespace esker::python {

void bind_options(nb::module_& m) {
  using Entry = Options::Entry;
  nb::class_<Entry>(m, "Option")
      .def_ro("name", &Entry::name)
      .def_ro("value", &Entry::value)
      .def_ro("source", &Entry::source)
      .def_ro("help", &Entry::help)
      .def_prop_ro("group", [](const Entry& option) { return name(option.group); });
  m.def(
      "options", [] { return value_or_no_dataset(Options::load()).entries(); },
      "All options, as set by the configuration file and the environment.");
}

}  // namespace esker::python
