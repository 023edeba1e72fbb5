// Queries of one process, in Python's words.
#pragma once

#include <nanobind/nanobind.h>

#include "esker/dataset.hpp"

namespace esker::python {

/// What select() and read_into() are called with is added to the class.
void bind_reading(nanobind::module_& m, nanobind::class_<Dataset>& dataset);

}  // namespace esker::python
