// The writer, and what mends a dataset, in Python's words.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_writer(nanobind::module_& m);

}  // namespace esker::python
