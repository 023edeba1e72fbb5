#include "formats/zarr/step_errors.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/small_values.h"
#include "store/commit.h"

namespace esker::zarr {
namespace {

constexpr const char* kUnits = "units";

std::vector<std::byte> bytes_of(float value) { return print_values(std::vector<float>{value}, 1, {}); }

Array error_array(const Group& group, const Array& of, bool fixed) {
  Array array{name_of_errors(of.name), of.level};
  array.errors_of = of.path();
  array.type = SampleType::kFloat32;
  array.fill = bytes_of(std::numeric_limits<float>::quiet_NaN());
  array.attributes = {netcdf::to_attribute("long_name", "largest absolute error of " + of.name)};
  const auto units = std::ranges::find(of.attributes, kUnits, &netcdf::Attribute::name);
  if (units != of.attributes.end()) array.attributes.push_back(*units);
  if (fixed) return array;
  array.shape = {0};
  array.file = {kStepsPerFile};
  array.dims = {group.time};
  return array;
}

/// Values of a file.
Index num_values(const Array& array) { return array.file.empty() ? 1 : array.file.front(); }

}  // namespace

std::string name_of_errors(const std::string& array) { return array + "_max_error"; }

Status add_error_arrays(const Schema& schema, Model& model) {
  const Level& level = model.levels.front();
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    if (level.storage[f].kept_bits == 0) continue;
    Array array = error_array(model.group, model.array_of_field(level, f), schema.fields()[f].fixed);
    const bool is_taken = model.group.find(array.path()) ||
                          std::ranges::find(level.stored.header.dims, array.name, &netcdf::Dimension::name) !=
                              level.stored.header.dims.end();
    if (is_taken)
      return error(Code::kInvalidArgument,
                   "'{}': the errors of the compression of '{}' have this name; rename it", array.name,
                   array.errors_of);
    model.group.arrays.push_back(std::move(array));
  }
  return {};
}

Status check_error_arrays(const Schema& schema, const Model& model) {
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Array* array = errors_of(model, f);
    if (!array) continue;
    const std::vector<Index> expected =
        schema.fields()[f].fixed ? std::vector<Index>() : std::vector<Index>{kStepsPerFile};
    const bool is_ours = array->type == SampleType::kFloat32 && !array->is_text && array->chunk.empty() &&
                         array->codec.kind == CodecKind::kRaw && array->file == expected &&
                         array->has_steps(model.group.time) == !expected.empty();
    if (!is_ours)
      return error(Code::kDataLoss, "the array '{}' is not stored as Esker stores errors", array->path());
  }
  return {};
}

const Array* errors_of(const Model& model, std::size_t field) {
  const std::string of = model.array_of_field(model.levels.front(), field).path();
  const auto found = std::ranges::find(model.group.arrays, of, &Array::errors_of);
  return found == model.group.arrays.end() ? nullptr : &*found;
}

Status write_error(Store& store, const Paths& paths, const Array& array, Index step, float error,
                   bool durable) {
  const Index per_file = num_values(array);
  const std::string path = paths.file_of(array, step / per_file);
  const std::vector<std::byte> value = bytes_of(error);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  const auto at = static_cast<std::size_t>(step % per_file) * value.size();
  if (exists) {
    const auto write = [&](File& file) { return file.write_at(value, static_cast<Index>(at)); };
    return edit_file(store, path, write, durable);
  }
  std::vector<std::byte> bytes = repeated(array.fill, per_file);
  std::ranges::copy(value, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  ESKER_RETURN_IF_ERROR(make_directories(store, directory_of(path), durable));
  return replace_file(store, path, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                      durable);
}

Result<std::vector<float>> read_errors(Store& store, const Paths& paths, const Array& array, Index file) {
  const Index expected = num_values(array);
  const std::string path = paths.file_of(array, file);
  ESKER_ASSIGN_OR_RETURN(const bool exists, store.exists(path));
  if (!exists)
    return std::vector<float>(static_cast<std::size_t>(expected), std::numeric_limits<float>::quiet_NaN());
  ESKER_ASSIGN_OR_RETURN(const auto opened, store.open(path, OpenMode::kRead));
  std::vector<std::byte> bytes(static_cast<std::size_t>(expected) * sizeof(float));
  ESKER_RETURN_IF_ERROR(opened->read_at(bytes, 0));
  auto values = parse_values(bytes, array.type, expected);
  if (!values.ok()) return values.status().with_context(path);
  return std::get<std::vector<float>>(*std::move(values));
}

}  // namespace esker::zarr
