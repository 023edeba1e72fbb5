// Values of attributes and coordinates in Python's words: texts, and numbers as (type, bytes of this machine).
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "esker/schema.hpp"

namespace esker::python {

/// How the extension's signatures show them.
#define ESKER_PYTHON_NUMBERS "tuple[str, bytes]"
#define ESKER_PYTHON_VALUE "str | tuple[str, bytes] | tuple[str, str, bytes]"

/// A str; ("int8", bytes); or ("text", str, bytes) of a StoredText.
nanobind::object to_python(const AttributeValue& value);
nanobind::object to_python(const Numbers& numbers);
/// Name to value.
nanobind::dict to_python(const Attributes& attributes);

/// The same back. Throws Error for anything else.
AttributeValue to_attribute_value(nanobind::handle value);
Numbers to_numbers(nanobind::handle value);

}  // namespace esker::python
