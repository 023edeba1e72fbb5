// Python bindings of the writer and its options.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include "esker/types/options.hpp"

namespace esker::python {

using OptionTexts = std::map<std::string, std::string>;

/// Options from the configuration file and the environment, overridden by `texts`. Returns a Result, so that
/// an error can be passed to the other ranks.
Result<Options> make_options(const OptionTexts& texts);

void bind_options(nanobind::module_& m);
void bind_writer(nanobind::module_& m);

}  // namespace esker::python
