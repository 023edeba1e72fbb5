// Conversion of attribute values and coordinates: texts, and numbers as (type, bytes in native byte order).
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "esker/types/schema.hpp"

namespace esker::python {

/// Their types in the extension's signatures.
#define ESKER_PYTHON_NUMBERS "tuple[str, bytes]"
#define ESKER_PYTHON_VALUE "str | list[str] | tuple[str, bytes] | tuple[str, str, bytes]"

/// A str; a list of str; ("int8", bytes); or ("text", str, bytes) of a StoredText.
nanobind::object to_python(const AttributeValue& value);
nanobind::object to_python(const Numbers& numbers);
/// Name to value.
nanobind::dict to_python(const Attributes& attributes);

/// The inverse conversions. Throw Error for other objects.
AttributeValue to_attribute_value(nanobind::handle value);
Numbers to_numbers(nanobind::handle value);

}  // namespace esker::python
