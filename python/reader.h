// Python bindings of collective reading.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_reader(nanobind::module_& m);

}  // namespace esker::python
