// Python bindings of planning.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_planning(nanobind::module_& m);

}  // namespace esker::python
