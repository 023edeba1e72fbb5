#include "formats/zarr/model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/names.h"
#include "model/field_facts.h"
#include "model/fill_value.h"

namespace esker::zarr {
namespace {

/// The array of a variable; its chunks are not set.
Array array_of(const netcdf::Header& header, const netcdf::Variable& variable, bool is_of_scalar) {
  Array array{variable.name};
  array.attributes = variable.attributes;
  const auto type = netcdf::sample_type_of(variable.type);
  array.is_text = !type && is_of_scalar;
  if (!type && !is_of_scalar)
    array.attributes.push_back(
        netcdf::to_attribute(netcdf::kSampleTypeAttribute, std::string(netcdf::kCharacters)));
  array.type = type.value_or(SampleType::kUint8);                       // characters
  array.fill.resize(static_cast<std::size_t>(size_bytes(array.type)));  // 0: these arrays are complete
  if (array.is_text) return array;
  for (const int dim : variable.dims) {
    const netcdf::Dimension& of = header.dims[static_cast<std::size_t>(dim)];
    array.shape.push_back(of.length);
    array.dims.push_back(of.name);
  }
  array.file = array.shape;
  return array;
}

/// Names that are taken in every group.
Status check_names(const Schema& schema, const netcdf::Header& header) {
  for (const char* name : {kEskerAttribute, netcdf::kSchemaAttribute}) {
    if (!schema.attributes().contains(name)) continue;
    return error(Code::kInvalidArgument,
                 "attribute '{}' of the dataset: Zarr groups have an attribute of that name that "
                 "Esker sets; rename it",
                 name);
  }
  for (const netcdf::Variable& variable : header.variables) {
    if (!variable.name.starts_with(kMetadataFile)) continue;
    return error(Code::kInvalidArgument,
                 "'{}': no array can have this name, because the metadata of a Zarr group are in "
                 "the file {}; rename it",
                 variable.name, kMetadataFile);
  }
  return {};
}

Status give_chunks(const Schema& schema, const Field& field, const FieldStorage& storage, bool sums,
                   Array& array) {
  array.fill = fill_value(field);
  if (is_series(schema, field)) array.file.front() = kStepsPerFile;
  const int rank = num_axes(schema, field);
  if (rank == 0) return {};
  array.codec = storage.codec;
  array.has_sums = sums && storage.codec.kind == CodecKind::kZstd;
  array.chunk = array.file;
  const int before = field.fixed ? 0 : 1;
  if (before > 0) array.chunk.front() = array.file.front() = 1;
  for (int a = 0; a < rank; ++a) {
    const auto axis = static_cast<std::size_t>(before + rank - 1 - a);
    array.chunk[axis] = storage.chunk[a];
    array.file[axis] = storage.chunk[a] * storage.chunks_per_file[a];
  }
  return {};
}

}  // namespace

Result<Model> describe_group(const Schema& schema, const std::vector<Index>& chunks, bool sums) {
  Model model;
  ESKER_ASSIGN_OR_RETURN(model.storage, choose_storage(schema, chunks));
  ESKER_ASSIGN_OR_RETURN(model.stored, netcdf::describe_file(schema));
  const netcdf::Header& header = model.stored.header;
  ESKER_RETURN_IF_ERROR(check_names(schema, header));
  model.group.time = schema.time_name();
  model.group.attributes = header.attributes;
  const std::vector<int>& scalars = model.stored.variable_of_scalar;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const bool is_of_scalar = std::ranges::find(scalars, static_cast<int>(v)) != scalars.end();
    model.group.arrays.push_back(array_of(header, header.variables[v], is_of_scalar));
  }
  if (model.stored.time_variable >= 0) {
    model.group.arrays[static_cast<std::size_t>(model.stored.time_variable)].file = {kStepsPerFile};
  }
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    Array& array = model.group.arrays[static_cast<std::size_t>(model.stored.variable_of_field[f])];
    ESKER_RETURN_IF_ERROR(give_chunks(schema, schema.fields()[f], model.storage[f], sums, array));
  }
  return model;
}

Result<Model> find_in_group(const Schema& schema, Group group) {
  Model model;
  ESKER_ASSIGN_OR_RETURN(model.stored, netcdf::describe_file(schema));
  const auto& variables = model.stored.header.variables;
  const bool is_same = std::ranges::equal(variables, group.arrays, {}, &netcdf::Variable::name, &Array::name);
  if (!is_same) return error(Code::kDataLoss, "the arrays of the group are not those of its schema");
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Array& array = group.arrays[static_cast<std::size_t>(model.stored.variable_of_field[f])];
    ESKER_ASSIGN_OR_RETURN(const FieldStorage storage, storage_of(schema, schema.fields()[f], array));
    model.storage.push_back(storage);
  }
  if (model.stored.time_variable >= 0) {
    const Array& times = group.arrays[static_cast<std::size_t>(model.stored.time_variable)];
    if (times.file != std::vector<Index>{kStepsPerFile})
      return error(Code::kDataLoss, "the array '{}' does not have chunks as Esker writes them", times.name);
  }
  model.group = std::move(group);
  return model;
}

netcdf::Header header_of(const Group& group, const std::vector<std::string>& texts) {
  netcdf::Header header;
  header.num_records = group.num_steps;
  header.attributes = group.attributes;
  std::map<std::string, int> places;
  const auto place_of = [&](const std::string& name, Index length) {
    const auto [place, is_new] = places.emplace(name, static_cast<int>(header.dims.size()));
    if (is_new) header.dims.push_back({name, name == group.time ? 0 : length});
    return place->second;
  };
  if (!group.time.empty()) place_of(group.time, 0);
  auto text = texts.begin();
  for (const Array& array : group.arrays) {
    netcdf::Variable variable{array.name, {}, array.attributes};
    variable.type = array.is_text ? netcdf::Type::kChar : netcdf::type_of(array.type);
    for (std::size_t a = 0; a < array.dims.size(); ++a) {
      variable.dims.push_back(place_of(array.dims[a], array.shape[a]));
    }
    if (array.is_text) {
      const auto length = std::ssize(*text++);
      if (length > 1) variable.dims.push_back(place_of("string" + std::to_string(length), length));
    }
    header.variables.push_back(std::move(variable));
  }
  return header;
}

void set_num_steps(Group& group, Index num_steps) {
  group.num_steps = num_steps;
  for (Array& array : group.arrays) {
    if (array.has_steps(group.time)) array.shape.front() = num_steps;
  }
}

}  // namespace esker::zarr
