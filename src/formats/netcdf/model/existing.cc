#include "formats/netcdf/model/existing.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/foreign_names.h"
#include "formats/netcdf/model/outline.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {

namespace {

Status take_attributes(const StoredSchema& file, Schema& schema, std::vector<std::string>& warnings) {
  const auto attributes_of = [&](int variable) {
    const Variable& of = file.header.variables[static_cast<std::size_t>(variable)];
    return to_attributes(of.attributes, of.name, &warnings);
  };
  const auto with_name = [&](Attributes attributes, int variable, const std::string& name) {
    const std::string& in_file = file.header.variables[static_cast<std::size_t>(variable)].name;
    if (in_file != name) attributes[kNameInSourceAttribute] = in_file;
    return attributes;
  };
  schema.attributes() = to_attributes(file.header.attributes, "", &warnings);
  if (file.time_variable >= 0) schema.time_attributes() = attributes_of(file.time_variable);
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(FieldId{static_cast<int>(f)}));
    const int variable = file.variable_of_field[f];
    *attributes = with_name(attributes_of(variable), variable, schema.fields()[f].name);
    if (file.header.variables[static_cast<std::size_t>(variable)].type == Type::kChar)
      (*attributes)[kSampleTypeAttribute] = kCharacters;
  }
  for (std::size_t s = 0; s < schema.scalars().size(); ++s) {
    if (file.variable_of_scalar[s] < 0) continue;
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(ScalarId{static_cast<int>(s)}));
    const int variable = file.variable_of_scalar[s];
    *attributes = with_name(attributes_of(variable), variable, schema.scalars()[s].name);
  }
  for (const StoredSchema::Coordinate& coordinate : file.coordinates) {
    const auto dim = static_cast<int>(schema.find_dim(coordinate.dim) - schema.dims().data());
    ESKER_ASSIGN_OR_RETURN(Attributes * attributes, schema.attributes_of(DimId{dim}));
    if (attributes->empty()) *attributes = attributes_of(coordinate.variable);
  }
  return {};
}

}  // namespace

Result<Existing> read_ours(const Header& header, const ReadValues& read_values,
                           std::vector<std::string>& warnings) {
  Existing existing;
  ESKER_ASSIGN_OR_RETURN(existing.schema, outline_of(header, read_values));
  ESKER_ASSIGN_OR_RETURN(existing.file, find_file(existing.schema, header));
  ESKER_RETURN_IF_ERROR(take_attributes(existing.file, existing.schema, warnings));
  for (const StoredSchema::Coordinate& coordinate : existing.file.coordinates) {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue values, read_values(coordinate.variable, 0));
    ESKER_RETURN_IF_ERROR(existing.schema.set_coords({coordinate.grid}, coordinate.dim, numbers_of(values)));
  }
  ESKER_ASSIGN_OR_RETURN(existing.times, read_times(existing.file, read_values, warnings));
  return existing;
}

bool is_of_esker(const Header& header, std::vector<std::string>& warnings) {
  const bool has_outline =
      std::any_of(header.attributes.begin(), header.attributes.end(),
                  [](const Attribute& attribute) { return attribute.name == kSchemaAttribute; });
  if (!has_outline) return false;
  const auto outline = outline_of(header, no_values(header));
  const Status fits = outline.ok() ? find_file(*outline, header).status() : outline.status();
  if (!fits.ok()) warnings.push_back(fmt::format("{} is not used: {}", kSchemaAttribute, fits.message()));
  return fits.ok();
}

Result<Schema> outline_of(const Header& header, const ReadValues& read_values) {
  for (const Attribute& attribute : header.attributes) {
    if (attribute.name != kSchemaAttribute) continue;
    const AttributeValue value = to_value(attribute);
    if (const std::string* text = text_of(value)) return read_outline(*text, header, read_values);
  }
  return error(Code::kDataLoss, "not an Esker file: the attribute '{}' is missing", kSchemaAttribute);
}

}  // namespace esker::netcdf
