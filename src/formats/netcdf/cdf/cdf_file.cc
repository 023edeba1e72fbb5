#include "formats/netcdf/cdf/cdf_file.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/values.h"

namespace esker::cdf {
namespace {

/// Attributes for CDF-1 and CDF-2, which lack unsigned and 64-bit integers: as int if it holds the values.
void narrow_attributes(std::vector<Attribute>& attributes) {
  for (Attribute& attribute : attributes) {
    if (attribute.type <= Type::kDouble) continue;
    const auto narrow = to_type(numbers_of(to_value(attribute)), SampleType::kInt32);
    if (narrow.ok()) attribute = netcdf::to_attribute(attribute.name, esker::to_value(*narrow));
  }
}

Header with_narrow_attributes(Header header) {
  narrow_attributes(header.attributes);
  for (Variable& variable : header.variables) narrow_attributes(variable.attributes);
  return header;
}

}  // namespace

// The offsets of variables depend on the header's length, which does not depend on the offsets.
void place_variables(Header& header, const FileRoom& room) {
  place_variables(header, room, static_cast<Index>(print_header(header).size()) + room.spare_header_bytes,
                  [](const Variable&) { return false; });
}

Index place_variables(Header& header, const FileRoom& room, Index end, const IsPlaced& is_placed) {
  const auto aligned = [](Index bytes) { return round_up(std::max<Index>(bytes, 1), netcdf::kCdfAlignment); };
  const auto place = [&](Variable& variable, Index alignment) {
    variable.begin = round_up(end, alignment);
    end = variable.begin + round_up(header.value_bytes(variable), netcdf::kCdfAlignment);
  };
  for (Variable& variable : header.variables) {
    if (header.is_record(variable) || is_placed(variable)) continue;
    const bool is_large = header.value_bytes(variable) >= room.variable_alignment_bytes;
    place(variable, is_large ? aligned(room.variable_alignment_bytes) : netcdf::kCdfAlignment);
  }
  const Index end_of_fixed = end;
  end = round_up(end + room.spare_variable_bytes, aligned(room.record_alignment_bytes));
  for (Variable& variable : header.variables) {
    if (header.is_record(variable) && !is_placed(variable)) place(variable, netcdf::kCdfAlignment);
  }
  return end_of_fixed;
}

Result<Schema> in_classic_types(Schema schema) {
  const auto is_classic = [](SampleType type) { return netcdf::type_of(type) <= Type::kDouble; };
  if (!is_classic(schema.time_type())) {
    const bool is_small = esker::size_bytes(schema.time_type()) < 4;
    ESKER_RETURN_IF_ERROR(
        schema.set_time(schema.time_name(), is_small ? SampleType::kInt32 : SampleType::kFloat64));
  }
  for (std::size_t g = 0; g < schema.grids().size(); ++g) {
    const std::map<std::string, Numbers> typed = schema.grids()[g].typed_coords;
    for (const auto& [dim, numbers] : typed) {
      if (is_classic(esker::type_of(numbers))) continue;
      auto classic = to_type(numbers, SampleType::kInt32);
      if (!classic.ok()) classic = to_type(numbers, SampleType::kFloat64);
      if (!classic.ok()) return classic.status().with_context("coordinates '" + dim + "'");
      ESKER_RETURN_IF_ERROR(schema.set_coords({static_cast<int>(g)}, dim, *std::move(classic)));
    }
  }
  return schema;
}

Index offset_of(const Header& header, int variable, Index step) {
  const Variable& of = header.variables[static_cast<std::size_t>(variable)];
  return of.begin + (header.is_record(of) ? step * header.record_bytes() : 0);
}

Index end_of_data(const Header& header) {
  Index end = static_cast<Index>(print_header(header).size());
  const Index record_bytes = header.record_bytes();
  for (const Variable& variable : header.variables) {
    const bool is_record = header.is_record(variable);
    if (is_record && header.num_records == 0) continue;
    const Index last = is_record ? (header.num_records - 1) * record_bytes : 0;
    end = std::max(end, variable.begin + last + header.value_bytes(variable));
  }
  return end;
}

Index file_bytes(const Header& header, Index num_records) {
  Index end = static_cast<Index>(print_header(header).size());
  std::optional<Index> first;  // of the records
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable)) {
      first = std::min(first.value_or(variable.begin), variable.begin);
    } else {
      end = std::max(end, variable.begin + header.value_bytes(variable));
    }
  }
  return first ? std::max(end, *first + num_records * header.record_bytes()) : end;
}

Result<StoredSchema> make_file(const Schema& schema, const FileParameters& parameters) {
  ESKER_ASSIGN_OR_RETURN(StoredSchema file, netcdf::describe_file(schema));
  netcdf::note_lists(file.header.attributes);
  for (Variable& variable : file.header.variables) netcdf::note_lists(variable.attributes);
  const Header header = file.header;
  Status fits;
  for (const Version version : {Version::kClassic, Version::kOffset64, Version::kData64}) {
    if (parameters.version && version != *parameters.version) continue;
    file.header = version == Version::kData64 ? header : with_narrow_attributes(header);
    file.header.version = version;
    fits = check_structure(file.header);
    if (!fits.ok()) continue;
    place_variables(file.header, parameters.room);
    fits = check_header(file.header);
    if (fits.ok()) return file;
  }
  return fits;
}

Result<AttributeValue> read_values(const File& file, const Header& header, int variable, Index step) {
  const Variable& values = header.variables[static_cast<std::size_t>(variable)];
  const Index offset = offset_of(header, variable, step), n_bytes = header.value_bytes(values);
  ESKER_ASSIGN_OR_RETURN(const Index size_bytes, file.size_bytes());
  if (offset > size_bytes || n_bytes > size_bytes - offset) {
    return error(Code::kDataLoss, "the file has {} bytes: {} bytes of variable '{}' at byte {} are missing",
                 size_bytes, n_bytes, values.name, offset);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(n_bytes));
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, offset));
  return netcdf::to_value({values.name, values.type, std::move(bytes)});
}

}  // namespace esker::cdf
