// What a step would move on N ranks, in Python's words.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_planning(nanobind::module_& m);

}  // namespace esker::python
