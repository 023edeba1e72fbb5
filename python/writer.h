// The writer and its options in Python's words.
#pragma once

#include <nanobind/nanobind.h>

namespace esker::python {

void bind_options(nanobind::module_& m);
void bind_writer(nanobind::module_& m);

}  // namespace esker::python
