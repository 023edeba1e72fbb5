// Python bindings of dataset names.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_names(nanobind::module_& m);

}  // namespace esker::python
