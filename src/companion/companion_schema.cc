#include "companion/companion_schema.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/model/foreign.h"

namespace esker {

std::string reason_to_leave_out(const cdf::Header& header, const cdf::Variable& variable) {
  const std::size_t n_axes = variable.dims.size() - (header.is_record(variable) ? 1 : 0);
  if (variable.type == cdf::Type::kChar) return "characters";
  if (variable.dims.empty()) return "no axes";
  return n_axes > kMaxRank ? fmt::format("{} axes", n_axes) : "";
}

std::string describe_left_out(const cdf::Header& header) {
  std::string text;
  for (const cdf::Variable& variable : header.variables) {
    const std::string reason = reason_to_leave_out(header, variable);
    if (reason.empty()) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", excerpt(variable.name), reason);
  }
  return text;
}

int time_variable_of(const cdf::Header& header) {
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const cdf::Variable& variable = header.variables[v];
    if (header.is_record(variable) && header.is_coordinate(variable)) return static_cast<int>(v);
  }
  return -1;
}

bool is_field(const cdf::Header& header, const cdf::Variable& variable, bool of_records) {
  return header.is_record(variable) == of_records && !header.is_coordinate(variable);
}

Result<CompanionSchema> companion_schema(const cdf::Header& header, const ChosenVariables& chosen,
                                         const std::map<int, AttributeValue>& coordinates) {
  CompanionSchema made;
  cdf::Header part = header;
  part.num_records = 0;
  part.variables.clear();
  std::vector<int> number_of;  // in `header`, of the variables in `part`
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    if (!chosen[v]) continue;
    part.variables.push_back(header.variables[v]);
    number_of.push_back(static_cast<int>(v));
  }
  const auto read_values = [&](int variable, Index) -> Result<AttributeValue> {
    return coordinates.at(number_of[static_cast<std::size_t>(variable)]);
  };
  ESKER_ASSIGN_OR_RETURN(netcdf::Existing found, netcdf::read_foreign(part, read_values, made.warnings));
  made.schema = std::move(found.schema);
  for (const int variable : found.file.variable_of_field) {
    made.variable_of_field.push_back(number_of[static_cast<std::size_t>(variable)]);
  }
  const auto& fields = made.schema.fields();
  const bool is_fixed = std::all_of(fields.begin(), fields.end(), [](const Field& f) { return f.fixed; });
  if (is_fixed) ESKER_RETURN_IF_ERROR(made.schema.set_time("", SampleType::kFloat64));
  return made;
}

std::string difference_of_fields(const Schema& existing, const Schema& made) {
  const auto &before = existing.fields(), &now = made.fields();
  for (std::size_t f = 0; f < std::min(before.size(), now.size()); ++f) {
    const bool is_same = before[f].name == now[f].name && before[f].type == now[f].type &&
                         before[f].fixed == now[f].fixed && before[f].components == now[f].components &&
                         existing.box_of(existing.grid_of(before[f])) == made.box_of(made.grid_of(now[f]));
    if (!is_same)
      return fmt::format("field '{}' is not variable '{}' of the file", before[f].name, now[f].name);
  }
  if (before.size() == now.size()) return {};
  return fmt::format("it has {} fields, and the file has {} of them", before.size(), now.size());
}

}  // namespace esker
