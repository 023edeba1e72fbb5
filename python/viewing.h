// Python bindings of cameras and views.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_viewing(nanobind::module_& m);

}  // namespace esker::python
