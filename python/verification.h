// Python bindings of verify, repair and rebuild.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_verification(nanobind::module_& m);

}  // namespace esker::python
