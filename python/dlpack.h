// Python bindings of arrays that other packages give as DLPack capsules.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_dlpack(nanobind::module_& m);

}  // namespace esker::python
