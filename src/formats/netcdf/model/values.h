// Converts values (attributes, coordinates, times) between a CDF file and a schema.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "formats/netcdf/model/stored_schema.h"

namespace esker::netcdf {

/// kChar has none.
std::optional<SampleType> sample_type_of(Type type);
Type type_of(SampleType type);

/// A field of texts has samples of uint8, the characters, and this attribute, NumPy's name of their type. The
/// fastest axis, if any, is along the characters of a text, which NULs pad. In files they are NC_CHAR.
inline constexpr const char* kSampleTypeAttribute = "dtype";
inline constexpr const char* kCharacters = "S1";
bool has_characters(const Field& field);
Type type_of(const Field& field);

/// The values of a variable: numbers of its type, or its characters as a text. Either all values or those of
/// one record.
using ReadValues = std::function<Result<AttributeValue>(int variable, Index step)>;

/// Converts characters of a file to a text: drops NULs, and reads the bytes as Latin-1 if they are not UTF-8.
AttributeValue to_text(std::string bytes);
/// Numbers keep their type.
AttributeValue to_value(const Attribute& attribute);
/// The stored form: numbers in their type, a text as UTF-8 or as its original bytes.
Attribute to_attribute(const std::string& name, const AttributeValue& value);
std::vector<Attribute> to_attributes(const Attributes& attributes);

/// The attribute of a CDF file that names the attributes of the same variable (or of the file) that are lists
/// of texts, one name per line; to_attributes() splits those.
inline constexpr const char* kListsAttribute = "esker_lists";
/// Adds that attribute if there are such lists. Lists with newlines in a text are not named.
void note_lists(std::vector<Attribute>& attributes);
/// netCDF's name for the bits that its quantization BitRound keeps.
inline constexpr const char* kBitRoundAttribute = "_QuantizeBitRoundNumberOfSignificantBits";
/// Tells readers how many bits are kept. The attribute comes last, also if there was one.
void note_kept_bits(std::vector<Attribute>& attributes, int bits);
/// Big-endian.
std::vector<std::byte> to_bytes(const Numbers& numbers);

/// The attributes that every format and binding can carry, without the outline of the schema. `warnings` gets
/// the other attributes, and texts whose encoding is a guess. `of` names the object that has the attributes;
/// "" is the file.
Attributes to_attributes(const std::vector<Attribute>& list, const std::string& of = "",
                         std::vector<std::string>* warnings = nullptr);

/// The time of each record, from the time variable; 0, 1 ... if there is none. `warnings` gets times that
/// float64 cannot hold exactly.
Result<std::vector<double>> read_times(const StoredSchema& of, const ReadValues& read_values,
                                       std::vector<std::string>& warnings);

}  // namespace esker::netcdf
