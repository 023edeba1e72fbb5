#include "formats/zarr/model.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/fitted_attributes.h"
#include "formats/zarr/names.h"
#include "formats/zarr/step_errors.h"
#include "model/coarse_fields.h"
#include "model/field_facts.h"
#include "model/fill_value.h"

namespace esker::zarr {
namespace {

// Of the coarsest level, where the number of levels is chosen.
constexpr Index kMostSamplesOfAxis = 64;

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
  fit_attributes(array);
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
  for (const char* name : {kEskerAttribute, netcdf::kSchemaAttribute, kConventionsAttribute, kMultiscales}) {
    if (!schema.attributes().contains(name)) continue;
    return error(Code::kInvalidArgument,
                 "attribute '{}' of the dataset: Zarr groups have an attribute of that name that "
                 "Esker sets; rename it",
                 name);
  }
  for (const netcdf::Variable& variable : header.variables) {
    if (variable.name.starts_with("__"))
      return error(Code::kInvalidArgument,
                   "'{}': no array can have this name, because Zarr reserves names that start with '__'; "
                   "rename it",
                   variable.name);
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
  if (storage.kept_bits > 0) netcdf::note_kept_bits(array.attributes, storage.kept_bits);
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

/// The arrays of a level, without their level.
Result<std::vector<Array>> describe_level(const Options& options, Level& level) {
  const Schema& schema = level.schema;
  ESKER_ASSIGN_OR_RETURN(level.storage, choose_storage(schema, options.chunks.extents));
  ESKER_ASSIGN_OR_RETURN(level.stored, netcdf::describe_file(schema));
  const netcdf::Header& header = level.stored.header;
  ESKER_RETURN_IF_ERROR(check_names(schema, header));
  const std::vector<int>& scalars = level.stored.variable_of_scalar;
  std::vector<Array> arrays;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const bool is_of_scalar = std::ranges::find(scalars, static_cast<int>(v)) != scalars.end();
    arrays.push_back(array_of(header, header.variables[v], is_of_scalar));
  }
  if (level.stored.time_variable >= 0)
    arrays[static_cast<std::size_t>(level.stored.time_variable)].file = {kStepsPerFile};
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    Array& array = arrays[static_cast<std::size_t>(level.stored.variable_of_field[f])];
    ESKER_RETURN_IF_ERROR(
        give_chunks(schema, schema.fields()[f], level.storage[f], options.checksums, array));
    array.geo = geo_attributes(schema, schema.fields()[f]);
  }
  return arrays;
}

/// What a level has, found in its arrays.
Status find_level(Group& group, Level& level) {
  const Schema& schema = level.schema;
  ESKER_ASSIGN_OR_RETURN(level.stored, netcdf::describe_file(schema));
  const auto& variables = level.stored.header.variables;
  const std::span<Array> left = std::span(group.arrays).subspan(level.first_array);
  const std::span<Array> arrays = left.first(std::min(left.size(), variables.size()));
  const bool is_same = std::ranges::equal(variables, arrays, {}, &netcdf::Variable::name, &Array::name) &&
                       std::ranges::adjacent_find(arrays, std::not_equal_to(), &Array::level) == arrays.end();
  if (!is_same) return error(Code::kDataLoss, "the arrays of the group are not those of its schema");
  for (std::size_t v = 0; v < arrays.size(); ++v) {
    const Array expected = array_of(level.stored.header, variables[v], arrays[v].is_text);
    const auto steps = static_cast<std::ptrdiff_t>(arrays[v].has_steps(group.time) ? 1 : 0);
    const auto found = std::span(arrays[v].shape).subspan(static_cast<std::size_t>(steps));
    if (expected.shape.size() == arrays[v].shape.size() &&
        std::equal(found.begin(), found.end(), expected.shape.begin() + steps))
      continue;
    return error(Code::kDataLoss, "the array '{}' does not have the shape of its level", arrays[v].path());
  }
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    Array& array = arrays[static_cast<std::size_t>(level.stored.variable_of_field[f])];
    array.geo = geo_attributes(schema, schema.fields()[f]);
    ESKER_ASSIGN_OR_RETURN(const FieldStorage storage, storage_of(schema, schema.fields()[f], array));
    level.storage.push_back(storage);
  }
  if (level.stored.time_variable >= 0) {
    const Array& times = arrays[static_cast<std::size_t>(level.stored.time_variable)];
    if (times.file != std::vector<Index>{kStepsPerFile})
      return error(Code::kDataLoss, "the array '{}' does not have chunks as Esker writes them", times.path());
  }
  return {};
}

Result<std::vector<Level>> levels_of(const Schema& schema, const Group& group) {
  std::vector<Level> levels;
  levels.push_back({schema});
  const LevelValues values = group.has_means ? LevelValues::kMean : LevelValues::kSample;
  for (int k = 1; k <= group.num_levels; ++k) {
    ESKER_ASSIGN_OR_RETURN(Schema coarse, coarse_schema(schema, k, values));
    for (int f = 0; f < static_cast<int>(coarse.fields().size()); ++f) {  // a user's are those of level 0
      ESKER_ASSIGN_OR_RETURN(Attributes* const attributes, coarse.attributes_of(FieldId{f}));
      std::erase_if(*attributes, [](const auto& item) { return item.first.starts_with("spatial:"); });
    }
    levels.push_back({std::move(coarse)});
  }
  return levels;
}

}  // namespace

std::optional<std::size_t> Level::find(const Field& field) const {
  const Field* found = schema.find_field(field.name);
  return found ? std::optional(static_cast<std::size_t>(found - schema.fields().data())) : std::nullopt;
}

Result<Model> describe_group(const Schema& schema, const Options& options) {
  Model model;
  Group& group = model.group;
  group.num_levels =
      options.levels == Options::kAutoLevels ? levels_until(schema, kMostSamplesOfAxis) : options.levels;
  group.has_means = group.num_levels > 0 && options.level_values == LevelValues::kMean;
  group.time = schema.time_name();
  ESKER_ASSIGN_OR_RETURN(model.levels, levels_of(schema, group));
  const std::vector<std::string> names = group.level_names();
  for (std::size_t k = 0; k < model.levels.size(); ++k) {
    Level& level = model.levels[k];
    level.first_array = group.arrays.size();
    ESKER_ASSIGN_OR_RETURN(std::vector<Array> arrays, describe_level(options, level));
    for (Array& array : arrays) {
      if (!names.empty()) array.level = names[k];
      group.arrays.push_back(std::move(array));
    }
  }
  group.attributes = model.levels.front().stored.header.attributes;
  ESKER_RETURN_IF_ERROR(add_error_arrays(schema, model));
  return model;
}

Result<Model> find_in_group(const Schema& schema, Group group) {
  Model model;
  ESKER_ASSIGN_OR_RETURN(model.levels, levels_of(schema, group));
  std::size_t num_arrays = 0;
  for (Level& level : model.levels) {
    level.first_array = num_arrays;
    ESKER_RETURN_IF_ERROR(find_level(group, level));
    num_arrays += level.stored.header.variables.size();
  }
  const auto are_errors = [](const Array& one) { return !one.errors_of.empty(); };
  if (num_arrays + static_cast<std::size_t>(std::ranges::count_if(group.arrays, are_errors)) !=
      group.arrays.size())
    return error(Code::kDataLoss, "the arrays of the group are not those of its schema");
  model.group = std::move(group);
  ESKER_RETURN_IF_ERROR(check_error_arrays(schema, model));
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
    if (!array.errors_of.empty()) continue;
    if (array.level != group.arrays.front().level) break;
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
