// What a camera sees, in Python's words.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_viewing(nanobind::module_& m);

}  // namespace esker::python
