// The writer and its options in Python's words.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "esker/options.hpp"

namespace esker::python {

using OptionTexts = std::map<std::string, std::string>;

/// Configuration file, environment, and then `texts`. A Result, because on several ranks an error must
/// travel.
Result<Options> make_options(const OptionTexts& texts);

void bind_options(nanobind::module_& m);
void bind_writer(nanobind::module_& m);

}  // namespace esker::python
