#include "format/cdf/existing.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/cdf/values.h"
#include "format/schema_json.h"

namespace esker::cdf {

Status take_attributes(const CdfFile& file, Schema& schema) {
  const auto attributes_of = [&](int variable) {
    return to_attributes(file.header.variables[static_cast<std::size_t>(variable)].attributes);
  };
  schema.attributes() = to_attributes(file.header.attributes);
  schema.time_attributes() = attributes_of(file.time_variable);
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(FieldId{static_cast<int>(f)}));
    *attributes = attributes_of(file.variable_of_field[f]);
  }
  for (const CdfFile::Coordinate& coordinate : file.coordinates) {
    const auto dim = static_cast<int>(schema.find_dim(coordinate.dim) - schema.dims().data());
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(DimId{dim}));
    *attributes = attributes_of(coordinate.variable);
  }
  return {};
}

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
    ESKER_ASSIGN_OR_RETURN(auto values, read_reals(file, found, coordinate.variable, 0));
    ESKER_RETURN_IF_ERROR(schema.set_coords({coordinate.grid}, coordinate.dim, std::move(values)));
  }
  std::string times;
  for (Index step = 0; step < header.num_records; ++step) {
    ESKER_ASSIGN_OR_RETURN(const auto time, read_reals(file, found, found.time_variable, step));
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
  if (existing.times.empty()) return existing;  // its data() may be null
  std::memcpy(existing.times.data(), texts.at(2).data(), texts.at(2).size());
  return existing;
}

}  // namespace esker::cdf
