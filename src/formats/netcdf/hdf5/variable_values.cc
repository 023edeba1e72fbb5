#include "formats/netcdf/hdf5/variable_values.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/hdf5/slab.h"
#include "formats/netcdf/model/values.h"

namespace esker::hdf5 {
namespace {

/// One of them.
AttributeValue element(const AttributeValue& values, std::size_t place) {
  return std::visit(
      [&](const auto& list) -> AttributeValue {
        if constexpr (requires { typename std::decay_t<decltype(list)>::value_type; }) {
          return std::decay_t<decltype(list)>{list.at(place)};
        } else {
          return list;
        }
      },
      values);
}

Slab slab_of(const StoredVariable& variable, Index n) {
  if (variable.extents.empty()) return {};
  return {{0}, {1}, {n}};
}

std::string read_characters(hid_t file, const std::string& path, Index n) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "variable");
  const Handle space(H5Dget_space(dataset), "extents");
  const hssize_t found = H5Sget_simple_extent_npoints(space);
  if (found != n) throw Failure("the length of a text has changed since the file was opened");
  const Handle type(H5Dget_type(dataset), "type");
  if (H5Tget_size(type) != 1) throw Failure("the type of a text has changed since the file was opened");
  std::string text(static_cast<std::size_t>(n), '\0');
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "text");
  return text;
}

}  // namespace

Result<AttributeValue> VariableValues::operator()(int variable, Index step) {
  const auto v = static_cast<std::size_t>(variable);
  const netcdf::Header& header = contents_.header;
  const bool has_records = header.is_record(header.variables[v]);
  if (kept_ != variable) {
    Index n = has_records ? header.num_records : 1;
    if (!has_records) {
      for (const int dim : header.variables[v].dims) n = header.dims[static_cast<std::size_t>(dim)].length;
    }
    ESKER_RETURN_IF_ERROR(read(v, n));
    kept_ = variable;
  }
  return has_records ? element(values_, static_cast<std::size_t>(step)) : values_;
}

Status VariableValues::read(std::size_t variable, Index n) {
  const StoredVariable& stored = contents_.variables[variable];
  const std::string& path = stored.path;
  if (stored.is_virtual)
    return error(Code::kDataLoss, "'{}' is stored in other files, expected in this one", excerpt(path));
  if (stored.extents.size() > 1)
    return error(Code::kDataLoss, "'{}' has several axes, expected at most one", excerpt(path));
  if (n > most_values(file_bytes_, 1)) {
    return error(Code::kDataLoss, "'{}' has {} values, which do not fit in a file of {} bytes", excerpt(path),
                 n, file_bytes_);
  }
  const auto type = netcdf::sample_type_of(contents_.header.variables[variable].type);
  if (!type) {
    values_ = netcdf::to_text(read_characters(file_, path, n));
    return {};
  }
  ESKER_ASSIGN_OR_RETURN(Numbers numbers, to_type(std::vector<double>(static_cast<std::size_t>(n)), *type));
  std::visit(
      [&](auto& list) {
        read_slab(file_, path, *type, slab_of(stored, n), std::as_writable_bytes(std::span(list)).data());
      },
      numbers);
  values_ = esker::to_value(numbers);
  return {};
}

}  // namespace esker::hdf5
