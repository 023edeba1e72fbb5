#include "formats/netcdf/model/foreign.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/foreign_names.h"
#include "formats/netcdf/model/text_times.h"
#include "formats/netcdf/model/values.h"

namespace esker::netcdf {
namespace {

/// Builds a schema from a header, variable by variable.
class Reader {
 public:
  Reader(const Header& header, const ReadValues& read_values, std::vector<std::string>& warnings)
      : read_values_(read_values), warnings_(warnings) {
    out_.file.header = header;
  }

  Result<Existing> read() {
    out_.schema.attributes() = to_attributes(header().attributes, "", &warnings_);
    for (const Variable& variable : header().variables) exact_names_.insert(variable.name);
    ESKER_RETURN_IF_ERROR(name_times());
    for (std::size_t v = 0; v < header().variables.size(); ++v) {
      const int number = static_cast<int>(v);
      if (!header().variables[v].missing.empty()) {
        leave_out(number, header().variables[v].missing);
      } else if (header().is_coordinate(header().variables[v])) {
        coordinate_of_dim_[header().variables[v].dims[0]] = number;
      } else {
        add(number);
      }
    }
    add_unused_coordinates();
    ESKER_RETURN_IF_ERROR(read_coordinates());
    if (header().record_dim()) {
      ESKER_ASSIGN_OR_RETURN(out_.times, text_times_.empty() ? read_times(out_.file, read_values_, warnings_)
                                                             : Result(std::move(text_times_)));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Header& header() const { return out_.file.header; }
  [[nodiscard]] const Variable& variable_at(int number) const {
    return header().variables[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] Attributes attributes_of(int variable) const {
    return to_attributes(variable_at(variable).attributes, variable_at(variable).name, &warnings_);
  }
  /// Names in files may be Latin-1; warnings are UTF-8.
  [[nodiscard]] std::string shown_name(int variable) const {
    const std::string& name = variable_at(variable).name;
    return is_utf8(name) ? name : excerpt(name);
  }
  void leave_out(int variable, const std::string& why) {
    warnings_.push_back(fmt::format("variable '{}' is left out: {}", shown_name(variable), why));
  }

  void add(int number) {
    const Variable& variable = variable_at(number);
    const Status added = header().is_scalar(variable) ? add_scalar(number) : add_field(number);
    if (!added.ok()) leave_out(number, added.message());
  }

  /// The name of a variable in the schema; if it is another one, its own becomes an attribute.
  std::string name_for(const Variable& variable, Attributes& attributes) {
    const auto is_taken = [&](const std::string& name) {
      return out_.schema.find_field(name) || out_.schema.find_scalar(name) ||
             (name != variable.name && exact_names_.contains(name));
    };
    const std::string name = new_name(schema_name(variable.name), is_taken, next_number_);
    std::string expected = variable.name;  // names contain those of groups
    std::replace(expected.begin(), expected.end(), '/', '_');
    if (name != expected) {
      const std::string shown = is_utf8(variable.name) ? variable.name : excerpt(variable.name);
      attributes[kNameInSourceAttribute] = shown;
      warnings_.push_back(fmt::format("variable '{}' is renamed to '{}'", shown, name));
    }
    return name;
  }

  Status add_scalar(int number) {
    const Variable& variable = variable_at(number);
    if (header().value_bytes(variable) > kMostTextBytes) {
      return error(Code::kUnsupported, "it has {} characters; at most {} are supported",
                   header().value_bytes(variable), kMostTextBytes);
    }
    ESKER_ASSIGN_OR_RETURN(AttributeValue value, read_values_(number, 0));
    Attributes attributes = attributes_of(number);
    const std::string name = name_for(variable, attributes);
    return out_.schema.add_scalar({name, std::move(value), std::move(attributes)}).status();
  }

  Status add_field(int number) {
    const Variable& variable = variable_at(number);
    const bool is_text = variable.type == Type::kChar;
    const SampleType type = is_text ? SampleType::kUint8 : *sample_type_of(variable.type);
    const bool has_records = header().is_record(variable);
    const bool has_components = variable.has_components;
    const std::vector<int> dims(variable.dims.rbegin() + (has_components ? 1 : 0),
                                variable.dims.rend() - (has_records ? 1 : 0));
    const Index components =
        has_components ? header().dims[static_cast<std::size_t>(variable.dims.back())].length : 1;
    if (dims.size() > kMaxRank) {
      return error(Code::kUnsupported, "it has {} axes; at most {} are supported", dims.size(), kMaxRank);
    }
    ESKER_ASSIGN_OR_RETURN(const int grid, grid_on(dims));
    Attributes attributes = attributes_of(number);
    if (is_text) attributes[kSampleTypeAttribute] = kCharacters;
    const std::string name = name_for(variable, attributes);
    Field field{name, grid, type, static_cast<int>(components), !has_records, 1, std::move(attributes)};
    ESKER_RETURN_IF_ERROR(out_.schema.add_field(std::move(field)).status());
    out_.file.variable_of_field.push_back(number);
    return {};
  }

  /// Coordinates of a dimension that no field has become a field on that dimension.
  void add_unused_coordinates() {
    for (const auto& [dim, variable] : coordinate_of_dim_) {
      if (!dims_.contains(dim) && dim != header().record_dim()) add(variable);
    }
  }

  /// `dims` of the header, fastest first.
  Result<int> grid_on(const std::vector<int>& dims) {
    const auto known = grids_.find(dims);
    if (known != grids_.end()) return known->second;
    std::vector<DimId> ids;
    std::string name;
    for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
      const auto before = std::count(dim + 1, dims.end(), *dim);  // on slower axes
      ESKER_ASSIGN_OR_RETURN(const DimId id, dim_for(*dim, static_cast<int>(before)));
      ids.push_back(id);
      const std::string& dim_name = out_.schema.dims()[static_cast<std::size_t>(id.index)].name;
      name = dim_name + (name.empty() ? "" : "_" + name);
    }
    if (dims.empty()) name = kSeriesGrid;
    const auto is_taken = [&](const std::string& taken) { return out_.schema.find_grid(taken) != nullptr; };
    ESKER_ASSIGN_OR_RETURN(const GridId grid,
                           out_.schema.add_grid(new_name(name, is_taken, next_grid_number_), ids));
    return grids_[dims] = grid.index;
  }

  /// `before`: how many axes of a variable have the dimension before this one, which then gets a separate
  /// one.
  Result<DimId> dim_for(int number, int before) {
    std::map<int, DimId>& dims = before == 0 ? dims_ : repeated_dims_[before];
    const auto known = dims.find(number);
    if (known != dims.end()) return known->second;
    if (before > 0) ESKER_RETURN_IF_ERROR(dim_for(number, 0).status());  // it gets the name
    const Dimension& dim = header().dims[static_cast<std::size_t>(number)];
    const auto is_taken = [&](const std::string& name) { return out_.schema.find_dim(name) != nullptr; };
    ESKER_ASSIGN_OR_RETURN(
        const DimId id,
        out_.schema.add_dim(new_name(schema_name(dim.name), is_taken, next_dim_number_), dim.length));
    if (before > 0) {
      warnings_.push_back(fmt::format("dimension '{}' occurs twice in a variable: the second axis is '{}'",
                                      excerpt(dim.name),
                                      out_.schema.dims()[static_cast<std::size_t>(id.index)].name));
    }
    return dims[number] = id;
  }

  Status read_coordinates() {
    for (const auto& [dims, grid] : grids_) {
      for (const int dim : dims) {
        const auto found = coordinate_of_dim_.find(dim);
        if (found == coordinate_of_dim_.end()) continue;
        const DimId id = dims_.at(dim);
        const std::string& name = out_.schema.dims()[static_cast<std::size_t>(id.index)].name;
        if (out_.schema.find_field(variable_at(found->second).name)) continue;
        ESKER_ASSIGN_OR_RETURN(const AttributeValue values, read_values_(found->second, 0));
        ESKER_ASSIGN_OR_RETURN(Attributes * attributes, out_.schema.attributes_of(id));
        if (attributes->empty()) *attributes = attributes_of(found->second);
        ESKER_RETURN_IF_ERROR(out_.schema.set_coords({grid}, name, numbers_of(values)));
      }
    }
    return {};
  }

  /// From the first variable of texts that WRF or MPAS have for the times.
  void read_text_times(int record_dim) {
    for (std::size_t v = 0; v < header().variables.size() && text_times_.empty(); ++v) {
      const Variable& variable = header().variables[v];
      const bool has_texts = variable.type == Type::kChar && variable.dims.size() == 2 &&
                             variable.dims[0] == record_dim && variable.missing.empty();
      const bool is_time = variable.name == "Times" || variable.name.starts_with("xtime");
      if (!has_texts || !is_time || header().num_records == 0) continue;
      auto times = text_times_of(static_cast<int>(v));
      if (times.ok()) {
        text_times_ = std::move(times->seconds);
        out_.schema.time_attributes() = {{"units", times->units}, {"calendar", calendar()}};
      } else {
        warnings_.push_back(
            fmt::format("times '{}' are not used: {}", excerpt(variable.name), times.status().message()));
      }
    }
  }

  Result<TextTimes> text_times_of(int variable) {
    std::vector<std::string> texts;
    for (Index step = 0; step < header().num_records; ++step) {
      ESKER_ASSIGN_OR_RETURN(const AttributeValue text, read_values_(variable, step));
      texts.push_back(*text_of(text));
    }
    return parse_text_times(texts, calendar());
  }

  /// CF's name of the calendar of MPAS; WRF has the usual one.
  [[nodiscard]] std::string calendar() const {
    const auto found = out_.schema.attributes().find("config_calendar_type");
    const std::string* name = found == out_.schema.attributes().end() ? nullptr : text_of(found->second);
    if (name && name->ends_with("noleap")) return "noleap";
    return name && name->starts_with("360") ? "360_day" : "proleptic_gregorian";
  }

  /// The times of texts or the record numbers, if the records have no coordinate.
  Status name_times() {
    const auto dim = header().record_dim();
    if (!dim) return {};
    SampleType type = SampleType::kFloat64;
    for (std::size_t v = 0; v < header().variables.size(); ++v) {
      const Variable& variable = header().variables[v];
      if (variable.dims != std::vector<int>{*dim} || !header().is_coordinate(variable)) continue;
      if (!variable.missing.empty()) continue;
      out_.file.time_variable = static_cast<int>(v);
      out_.schema.time_attributes() = attributes_of(out_.file.time_variable);
      type = *sample_type_of(variable.type);
    }
    if (out_.file.time_variable < 0) read_text_times(*dim);
    return out_.schema.set_time(schema_name(header().dims[static_cast<std::size_t>(*dim)].name), type);
  }

  static constexpr const char* kSeriesGrid = "series";
  static constexpr Index kMostTextBytes = 64 << 10;

  const ReadValues& read_values_;
  std::vector<std::string>& warnings_;
  Existing out_;
  std::vector<double> text_times_;                     // of the records; empty: no texts have them
  std::map<int, int> coordinate_of_dim_;               // variable
  std::map<int, DimId> dims_;                          // those of the header that grids have
  std::map<int, std::map<int, DimId>> repeated_dims_;  // the same, for axes after others of the dimension
  std::map<std::vector<int>, int> grids_;
  std::set<std::string> exact_names_;  // of the variables; no other variable gets one of them
  std::map<std::string, int> next_number_, next_dim_number_, next_grid_number_;
};

}  // namespace

Result<Existing> read_foreign(const Header& header, const ReadValues& read_values,
                              std::vector<std::string>& warnings) {
  return Reader(header, read_values, warnings).read();
}

}  // namespace esker::netcdf
