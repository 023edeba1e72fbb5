#include "formats/netcdf/hdf5/variable_values.h"

#include <algorithm>

#include "base/checked.h"
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

constexpr Index kMostCharacterBytes = Index{64} << 20;  // of all steps

Status in_other_files(const StoredVariable& variable) {
  return error(Code::kDataLoss, "'{}' is stored in other files, expected in this one",
               excerpt(variable.path));
}

Slab slab_of(const StoredVariable& variable, Index n) {
  if (variable.extents.empty()) return {};
  return {{0}, {1}, {n}};
}

Result<std::string> read_characters(hid_t file, const StoredVariable& variable) {
  const std::vector<Index>& extents = variable.extents;
  Index n = 1;
  for (const Index extent : extents) n = checked_mul(n, extent).value_or(kMostCharacterBytes + 1);
  if (n > kMostCharacterBytes) {
    return error(Code::kDataLoss, "'{}' has more than {} characters", excerpt(variable.path),
                 kMostCharacterBytes);
  }
  std::string text(static_cast<std::size_t>(n), '\0');
  const Slab all{std::vector<Index>(extents.size(), 0), std::vector<Index>(extents.size(), 1), extents};
  read_slab(file, variable.path, SampleType::kUint8, all, std::as_writable_bytes(std::span(text)).data());
  return text;
}

}  // namespace

Result<AttributeValue> VariableValues::operator()(int variable, Index step) {
  const auto v = static_cast<std::size_t>(variable);
  const netcdf::Header& header = contents_.header;
  const bool has_records = header.is_record(header.variables[v]);
  if (header.variables[v].type == netcdf::Type::kChar) return read_text(v, has_records ? step : -1);
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

Result<AttributeValue> VariableValues::read_text(std::size_t variable, Index step) {
  const StoredVariable& stored = contents_.variables[variable];
  if (stored.is_virtual) return in_other_files(stored);
  if (kept_text_ != static_cast<int>(variable)) {
    ESKER_ASSIGN_OR_RETURN(text_, read_characters(file_, stored));
    kept_text_ = static_cast<int>(variable);
  }
  if (step < 0) return netcdf::to_text(text_);
  const std::size_t n_bytes = text_.size() / static_cast<std::size_t>(std::max<Index>(1, stored.extents[0]));
  const std::size_t begin = static_cast<std::size_t>(step) * n_bytes;
  return netcdf::to_text(begin < text_.size() ? text_.substr(begin, n_bytes) : "");
}

Status VariableValues::read(std::size_t variable, Index n) {
  const StoredVariable& stored = contents_.variables[variable];
  const std::string& path = stored.path;
  if (stored.is_virtual) return in_other_files(stored);
  if (stored.extents.size() > 1)
    return error(Code::kDataLoss, "'{}' has several axes, expected at most one", excerpt(path));
  if (n > most_values(file_bytes_, 1)) {
    return error(Code::kDataLoss, "'{}' has {} values, which do not fit in a file of {} bytes", excerpt(path),
                 n, file_bytes_);
  }
  const auto type = netcdf::sample_type_of(contents_.header.variables[variable].type);
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
