#include "view.h"

#include <algorithm>
#include <utility>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf_plugin {
namespace {

/// A value of an attribute in the byte order of the host.
std::vector<std::byte> host_bytes(const AttributeValue& value) {
  netcdf::Attribute stored = netcdf::to_attribute("", value);
  swap_bytes(stored.values, static_cast<int>(netcdf::size_bytes(stored.type)));
  return std::move(stored.values);
}

std::size_t at(int number) { return static_cast<std::size_t>(number); }

}  // namespace

Result<View> View::open(const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const Door door, read_door(path));
  ESKER_ASSIGN_OR_RETURN(Dataset dataset, Dataset::open(door.dataset));
  ESKER_ASSIGN_OR_RETURN(std::vector<DimPart> parts, dim_parts(dataset, door));
  View view(std::move(dataset), door.is_file ? kDoorMagic : kIdxMagic, std::move(parts));
  ESKER_RETURN_IF_ERROR(view.describe());
  return view;
}

Status View::describe() {
  const Schema& schema = dataset_.schema();
  ESKER_ASSIGN_OR_RETURN(const Schema level, level_schema(schema, parts_));
  ESKER_ASSIGN_OR_RETURN(file_, netcdf::describe_file(level));
  // Esker would take a copy with it for its own file.
  std::erase_if(file_.header.attributes, [](const netcdf::Attribute& attribute) {
    return attribute.name == netcdf::kSchemaAttribute;
  });
  file_.header.num_records = static_cast<Index>(dataset_.steps().size());
  fields_.resize(file_.header.variables.size());
  values_.resize(file_.header.variables.size());
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    fields_[at(file_.variable_of_field[f])] = &schema.fields()[f];
  }
  for (const auto& coordinate : file_.coordinates) {
    const Grid& grid = level.grids()[at(coordinate.grid)];
    values_[at(coordinate.variable)] = host_bytes(to_value(netcdf::coordinates_of(grid, coordinate.dim)));
  }
  for (std::size_t s = 0; s < schema.scalars().size(); ++s) {
    values_[at(file_.variable_of_scalar[s])] = host_bytes(schema.scalars()[s].value);
  }
  if (file_.time_variable >= 0) {
    ESKER_ASSIGN_OR_RETURN(const Numbers times, to_type(dataset_.steps(), schema.time_type()));
    values_[at(file_.time_variable)] = host_bytes(to_value(times));
  }
  return {};
}

Index View::length(int dim) const {
  return header().record_dim() == dim ? header().num_records : header().dims[at(dim)].length;
}

Status View::read(int number, const Slab& slab, std::byte* out) const {
  if (slab.num_values() == 0) return {};
  if (const Field* field = fields_[at(number)]) return read_field(*field, number, slab, out);
  const netcdf::Variable& variable = header().variables[at(number)];
  std::vector<Index> shape;
  for (const int dim : variable.dims) shape.push_back(length(dim));
  copy_slab(values_[at(number)].data(), shape, slab, netcdf::size_bytes(variable.type), out);
  return {};
}

Status View::read_field(const Field& field, int number, const Slab& slab, std::byte* out) const {
  const netcdf::Variable& variable = header().variables[at(number)];
  if (!header().is_record(variable)) return read_step(field, 0, slab, out);
  const Slab samples = slab.last(slab.count.size() - 1);
  std::vector<std::byte> fill = netcdf::fill_value(variable);
  swap_bytes(fill, static_cast<int>(fill.size()));
  for (Index n = 0; n < slab.count[0]; ++n) {
    const Index step = slab.start[0] + n * slab.stride[0];
    ESKER_ASSIGN_OR_RETURN(const bool is_there, dataset_.has(field.name, step));
    if (is_there) ESKER_RETURN_IF_ERROR(read_step(field, step, samples, out));
    for (Index i = 0; i < samples.num_values(); ++i, out += fill.size()) {
      if (!is_there) std::copy(fill.begin(), fill.end(), out);
    }
  }
  return {};
}

// Where a stride of the caller does not begin at a multiple of it, all samples of the level are read, and the
// wanted ones picked.
Status View::read_step(const Field& field, Index step, const Slab& slab, std::byte* out) const {
  const Schema& schema = dataset_.schema();
  const std::vector<int>& dims = schema.grid_of(field).dims;
  ESKER_ASSIGN_OR_RETURN(Box box, dataset_.box(field.name));
  Point stride{1, 1, 1, 1, 1};
  Slab picked = slab;
  std::vector<Index> shape;
  bool is_whole = true;
  for (std::size_t axis = dims.size(), s = 0; axis-- > 0;) {
    if (schema.dims()[at(dims[axis])].implicit) continue;
    const DimPart& part = parts_[at(dims[axis])];
    const Index first = part.first + slab.start[s] * part.stride, apart = slab.stride[s] * part.stride;
    const bool is_multiple = first % apart == 0;
    box.lo[axis] = first;
    box.hi[axis] = first + (slab.count[s] - 1) * apart + 1;
    stride[axis] = is_multiple ? apart : part.stride;
    picked.start[s] = 0;
    if (is_multiple) picked.stride[s] = 1;
    shape.push_back((slab.count[s] - 1) * picked.stride[s] + 1);
    is_whole = is_whole && is_multiple;
    ++s;
  }
  if (field.components > 1) {
    shape.push_back(field.components);
    is_whole = is_whole && slab.count.back() == field.components && slab.stride.back() == 1;
  }
  Query query{.field = field.name, .step = step, .box = box};
  if (stride != Point{1, 1, 1, 1, 1}) query.stride = stride;
  const Index value_bytes = size_bytes(field.type);
  const auto n_bytes = static_cast<std::size_t>(Slab{{}, shape, {}}.num_values() * value_bytes);
  if (is_whole) return dataset_.read(query, out, n_bytes);
  std::vector<std::byte> answer(n_bytes);
  ESKER_RETURN_IF_ERROR(dataset_.read(query, answer.data(), n_bytes));
  copy_slab(answer.data(), shape, picked, value_bytes, out);
  return {};
}

}  // namespace esker::netcdf_plugin
