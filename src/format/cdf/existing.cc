#include "format/cdf/existing.h"

#include <algorithm>
#include <cstring>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/schema_json.h"

namespace esker::cdf {
namespace {

/// Values of a file as numbers of this machine.
template <class T>
std::vector<T> values_of(std::vector<std::byte> bytes) {
  swap_bytes(bytes, sizeof(T));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <class T, class To>
AttributeValue list_of(const Attribute& attribute) {
  const std::vector<T> values = values_of<T>(attribute.values);
  return std::vector<To>(values.begin(), values.end());
}

AttributeValue to_value(const Attribute& attribute) {
  switch (attribute.type) {
    case Type::kByte:
      return list_of<std::int8_t, Index>(attribute);
    case Type::kShort:
      return list_of<std::int16_t, Index>(attribute);
    case Type::kInt:
      return list_of<std::int32_t, Index>(attribute);
    case Type::kUByte:
      return list_of<std::uint8_t, Index>(attribute);
    case Type::kUShort:
      return list_of<std::uint16_t, Index>(attribute);
    case Type::kUInt:
      return list_of<std::uint32_t, Index>(attribute);
    case Type::kInt64:
      return list_of<std::int64_t, Index>(attribute);
    case Type::kUInt64:
      return list_of<std::uint64_t, double>(attribute);
    case Type::kFloat:
      return list_of<float, double>(attribute);
    case Type::kDouble:
      return list_of<double, double>(attribute);
    case Type::kChar:
      break;
  }
  return std::string(reinterpret_cast<const char*>(attribute.values.data()), attribute.values.size());
}

/// Those that every format and binding can carry.
Attributes to_attributes(const std::vector<Attribute>& list) {
  Attributes attributes;
  for (const Attribute& attribute : list) {
    const AttributeValue value = to_value(attribute);
    if (attribute.name != kSchemaAttribute && check_attribute(attribute.name, value).ok()) {
      attributes[attribute.name] = value;
    }
  }
  return attributes;
}

Result<std::vector<double>> read_reals(const File& file, Index offset, Index n) {
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  if (offset > file_bytes || n > (file_bytes - offset) / static_cast<Index>(sizeof(double))) {
    return error(Code::kDataLoss, "the file has {} bytes: {} reals at byte {} are not there", file_bytes, n,
                 offset);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(n) * sizeof(double));
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, offset));
  return values_of<double>(std::move(bytes));
}

/// Attributes of what has a variable or is the dataset; those of grids are in the outline.
Status take_attributes(const CdfFile& file, Schema& schema) {
  schema.attributes() = to_attributes(file.header.attributes);
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(FieldId{static_cast<int>(f)}));
    const auto variable = static_cast<std::size_t>(file.variable_of_field[f]);
    *attributes = to_attributes(file.header.variables[variable].attributes);
  }
  return {};
}

}  // namespace

Result<Schema> outline_of(const Header& header) {
  for (const Attribute& attribute : header.attributes) {
    if (attribute.name != kSchemaAttribute) continue;
    const AttributeValue value = to_value(attribute);
    if (const auto* text = std::get_if<std::string>(&value)) return parse_schema(*text);
  }
  return error(Code::kDataLoss, "no file of Esker: the attribute '{}' is missing", kSchemaAttribute);
}

Result<std::string> read_existing(const File& file) {
  ESKER_ASSIGN_OR_RETURN(const Header header, read_header(file));
  ESKER_ASSIGN_OR_RETURN(Schema schema, outline_of(header));
  ESKER_ASSIGN_OR_RETURN(const CdfFile found, find_file(schema, header));
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  if (file_bytes < found.file_bytes(header.num_records)) {
    return error(Code::kDataLoss, "the file has {} bytes, its {} records end at byte {}", file_bytes,
                 header.num_records, found.file_bytes(header.num_records));
  }
  ESKER_RETURN_IF_ERROR(take_attributes(found, schema));
  for (const CdfFile::Coordinate& coordinate : found.coordinates) {
    const Index n = schema.find_dim(coordinate.dim)->size;
    ESKER_ASSIGN_OR_RETURN(auto values, read_reals(file, found.offset_of(coordinate.variable, 0), n));
    ESKER_RETURN_IF_ERROR(schema.set_coords({coordinate.grid}, coordinate.dim, std::move(values)));
  }
  std::string times;
  for (Index step = 0; step < header.num_records; ++step) {
    ESKER_ASSIGN_OR_RETURN(const auto time, read_reals(file, found.offset_of(found.time_variable, step), 1));
    times.append(reinterpret_cast<const char*>(time.data()), sizeof(double));
  }
  std::vector<std::byte> bytes(print_header(header).size());
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, 0));
  return pack_texts(
      {print_schema(schema), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), times});
}

Result<Existing> parse_existing(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  Existing existing;
  ESKER_ASSIGN_OR_RETURN(existing.schema, parse_schema(texts.at(0)));
  const auto bytes = std::as_bytes(std::span(texts.at(1)));
  existing.header_bytes.assign(bytes.begin(), bytes.end());
  ESKER_ASSIGN_OR_RETURN(const Header header, parse_header(bytes));
  ESKER_ASSIGN_OR_RETURN(existing.file, find_file(existing.schema, header));
  existing.times.resize(texts.at(2).size() / sizeof(double));
  std::memcpy(existing.times.data(), texts.at(2).data(), texts.at(2).size());
  return existing;
}

}  // namespace esker::cdf
