#include "format/cdf/foreign.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/cdf/values.h"
#include "format/foreign_names.h"

namespace esker::cdf {
namespace {

std::optional<SampleType> sample_type_of(Type type) {
  switch (type) {
    case Type::kByte:
      return SampleType::kInt8;
    case Type::kUByte:
      return SampleType::kUint8;
    case Type::kShort:
      return SampleType::kInt16;
    case Type::kUShort:
      return SampleType::kUint16;
    case Type::kInt:
      return SampleType::kInt32;
    case Type::kUInt:
      return SampleType::kUint32;
    case Type::kInt64:
      return SampleType::kInt64;
    case Type::kUInt64:
      return SampleType::kUint64;
    case Type::kFloat:
      return SampleType::kFloat32;
    case Type::kDouble:
      return SampleType::kFloat64;
    case Type::kChar:
      break;
  }
  return std::nullopt;
}

/// Builds a schema from a header, variable by variable.
class Reader {
 public:
  Reader(const Header& header, const ReadReals& read_reals, std::vector<std::string>& warnings)
      : read_reals_(read_reals), warnings_(warnings) {
    out_.file.header = header;
  }

  Result<Existing> read() {
    out_.schema.attributes() = to_attributes(header().attributes);
    for (const Variable& variable : header().variables) exact_names_.insert(variable.name);
    for (std::size_t v = 0; v < header().variables.size(); ++v) {
      const int number = static_cast<int>(v);
      if (is_coordinate(header().variables[v])) {
        coordinate_of_dim_[header().variables[v].dims[0]] = number;
      } else {
        const Status added = add_field(number);
        if (!added.ok()) leave_out(number, added.message());
      }
    }
    ESKER_RETURN_IF_ERROR(read_coordinates());
    ESKER_RETURN_IF_ERROR(read_times());
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Header& header() const { return out_.file.header; }
  [[nodiscard]] Attributes attributes_of(int variable) const {
    return to_attributes(header().variables[static_cast<std::size_t>(variable)].attributes);
  }
  void leave_out(int variable, const std::string& why) {
    warnings_.push_back(fmt::format("variable '{}' is left out: {}",
                                    header().variables[static_cast<std::size_t>(variable)].name, why));
  }

  [[nodiscard]] bool is_coordinate(const Variable& variable) const {
    return variable.dims.size() == 1 && variable.type != Type::kChar &&
           header().dims[static_cast<std::size_t>(variable.dims[0])].name == variable.name;
  }

  Status add_field(int number) {
    const Variable& variable = header().variables[static_cast<std::size_t>(number)];
    const auto type = sample_type_of(variable.type);
    if (!type) return {Code::kUnsupported, "it holds characters"};
    const bool has_records = header().is_record(variable);
    const std::vector<int> dims(variable.dims.rbegin(), variable.dims.rend() - (has_records ? 1 : 0));
    if (dims.empty()) return {Code::kUnsupported, "it has no axis"};
    if (dims.size() > kMaxRank) {
      return error(Code::kUnsupported, "it has {} axes, the most are {}", dims.size(), kMaxRank);
    }
    ESKER_ASSIGN_OR_RETURN(const int grid, grid_on(dims));
    const auto is_taken = [&](const std::string& name) {
      return out_.schema.find_field(name) || (name != variable.name && exact_names_.contains(name));
    };
    const std::string wished = schema_name(variable.name);
    const std::string name = new_name(wished, is_taken, next_number_);
    if (name != wished) warnings_.push_back(fmt::format("variable '{}' is called '{}'", variable.name, name));
    Field field{name,
                grid,
                *type,
                1,
                !has_records,
                1,
                to_attributes(variable.attributes)};
    ESKER_RETURN_IF_ERROR(out_.schema.add_field(std::move(field)).status());
    out_.file.variable_of_field.push_back(number);
    return {};
  }

  /// `dims` of the header, fastest first.
  Result<int> grid_on(const std::vector<int>& dims) {
    const auto known = grids_.find(dims);
    if (known != grids_.end()) return known->second;
    std::vector<DimId> ids;
    std::string name;
    for (const int dim : dims) {
      ESKER_ASSIGN_OR_RETURN(const DimId id, dim_for(dim));
      ids.push_back(id);
      const std::string& dim_name = out_.schema.dims()[static_cast<std::size_t>(id.index)].name;
      name = dim_name + (name.empty() ? "" : "_" + name);
    }
    const auto is_taken = [&](const std::string& taken) { return out_.schema.find_grid(taken) != nullptr; };
    ESKER_ASSIGN_OR_RETURN(const GridId grid,
                           out_.schema.add_grid(new_name(name, is_taken, next_grid_number_), ids));
    return grids_[dims] = grid.index;
  }

  Result<DimId> dim_for(int number) {
    const auto known = dims_.find(number);
    if (known != dims_.end()) return known->second;
    const Dimension& dim = header().dims[static_cast<std::size_t>(number)];
    const auto is_taken = [&](const std::string& name) { return out_.schema.find_dim(name) != nullptr; };
    ESKER_ASSIGN_OR_RETURN(
        const DimId id,
        out_.schema.add_dim(new_name(schema_name(dim.name), is_taken, next_dim_number_), dim.length));
    return dims_[number] = id;
  }

  Status read_coordinates() {
    for (const auto& [dims, grid] : grids_) {
      for (const int dim : dims) {
        const auto found = coordinate_of_dim_.find(dim);
        if (found == coordinate_of_dim_.end()) continue;
        ESKER_ASSIGN_OR_RETURN(auto values, read_reals_(found->second, 0));
        const DimId id = dims_.at(dim);
        ESKER_ASSIGN_OR_RETURN(Attributes * attributes, out_.schema.attributes_of(id));
        *attributes = attributes_of(found->second);
        const std::string& name = out_.schema.dims()[static_cast<std::size_t>(id.index)].name;
        ESKER_RETURN_IF_ERROR(out_.schema.set_coords({grid}, name, std::move(values)));
      }
    }
    return {};
  }

  /// Numbers of the records where they have no coordinate.
  Status read_times() {
    const auto dim = header().record_dim();
    if (!dim) return {};
    const auto found = coordinate_of_dim_.find(*dim);
    if (found != coordinate_of_dim_.end()) {
      out_.file.time_variable = found->second;
      out_.schema.time_attributes() = attributes_of(found->second);
    }
    for (Index step = 0; step < header().num_records; ++step) {
      double time = static_cast<double>(step);
      if (out_.file.time_variable >= 0) {
        ESKER_ASSIGN_OR_RETURN(const auto values, read_reals_(found->second, step));
        time = values.at(0);
      }
      out_.times.push_back(time);
    }
    return {};
  }

  const ReadReals& read_reals_;
  std::vector<std::string>& warnings_;
  Existing out_;
  std::map<int, int> coordinate_of_dim_;  // variable
  std::map<int, DimId> dims_;             // those of the header that grids have
  std::map<std::vector<int>, int> grids_;
  std::set<std::string> exact_names_;             // of the variables; no other one gets one of them
  std::map<std::string, int> next_number_, next_dim_number_, next_grid_number_;
};

}  // namespace

Result<Existing> read_foreign(const Header& header, const ReadReals& read_reals,
                              std::vector<std::string>& warnings) {
  return Reader(header, read_reals, warnings).read();
}

Result<Existing> read_foreign(const File& file, const Header& header, std::vector<std::string>& warnings) {
  CdfFile of;
  of.header = header;
  const auto read = [&](int variable, Index step) { return read_reals(file, of, variable, step); };
  return read_foreign(header, read, warnings);
}

}  // namespace esker::cdf
