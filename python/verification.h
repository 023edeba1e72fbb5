// What looks over a dataset and mends it, in Python's words.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_verification(nanobind::module_& m);

}  // namespace esker::python
