// Values of a CDF file as a schema has them: attributes, coordinates, times; and back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "formats/netcdf/model/stored_schema.h"

namespace esker::netcdf {

/// kChar has none.
std::optional<SampleType> sample_type_of(Type type);
Type type_of(SampleType type);

/// The values of a variable: numbers of its type, or its characters as a text. All of them, or those of one
/// record.
using ReadValues = std::function<Result<AttributeValue>(int variable, Index step)>;

/// Characters of a file as a text: without NULs, from Latin-1 where they are not UTF-8.
AttributeValue to_text(std::string bytes);
/// Numbers keep their type.
AttributeValue to_value(const Attribute& attribute);
/// As a file holds it: numbers in their type, a text as UTF-8 or as the bytes that it had.
Attribute to_attribute(const std::string& name, const AttributeValue& value);
std::vector<Attribute> to_attributes(const Attributes& attributes);
/// Big-endian.
std::vector<std::byte> to_bytes(const Numbers& numbers);

/// Those that every format and binding can carry, without the schema's outline. `warnings` gets the others,
/// and texts whose encoding is a guess; `of` is what has the attributes, "" the file.
Attributes to_attributes(const std::vector<Attribute>& list, const std::string& of = "",
                         std::vector<std::string>* warnings = nullptr);

/// The time of each record, by the variable of the times; 0, 1 ... without one. `warnings` gets times that
/// float64 cannot hold exactly.
Result<std::vector<double>> read_times(const StoredSchema& of, const ReadValues& read_values,
                                       std::vector<std::string>& warnings);

}  // namespace esker::netcdf
