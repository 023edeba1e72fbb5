// Python bindings of reading in one process.
#pragma once

#include <nanobind/nanobind.h>

#include "esker/dataset.hpp"

namespace esker::python {

/// Adds ReadStatistics and Selection to the module, and select() and read_into() to the class.
void bind_reading(nanobind::module_& m, nanobind::class_<Dataset>& dataset);

}  // namespace esker::python
