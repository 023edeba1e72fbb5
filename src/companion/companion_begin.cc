// How a dataset next to a file begins: made again, or continued.
#include <algorithm>
#include <map>

#include "base/byte_order.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "companion/companion.h"
#include "formats/netcdf/model/values.h"

namespace esker {

/// Collective. A dataset that there is stays until the first step of this one is complete.
Status Companion::begin(const ChosenVariables& chosen) {
  if (pipeline_) {
    const Status closed = pipeline_->close(Status());
    pipeline_.reset();
    ESKER_RETURN_IF_ERROR(closed);
  }
  ESKER_RETURN_IF_ERROR(describe(chosen));
  (void)guarded("create", [&] { return tell_differences(), Status(); });
  ESKER_ASSIGN_OR_RETURN(const auto lock, borrow_lock());
  ESKER_ASSIGN_OR_RETURN(pipeline_, WritePipeline::create(comm_, store_, path_, options_, lock));
  options_->overwrite = true;
  return pipeline_->define(Status(), schema_.schema);
}

/// That of the file, which is that of the dataset, too. Collective; rank 0 gets it.
Result<std::shared_ptr<WriterLock>> Companion::borrow_lock() {
  std::shared_ptr<WriterLock> lock;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "create", [&] {
    if (file_.lock() != nullptr) lock = WriterLock::borrow(*file_.lock());
    return Status();
  }));
  return lock;
}

/// The dataset gets these variables. Collective.
Status Companion::describe(const ChosenVariables& chosen) {
  ESKER_ASSIGN_OR_RETURN(const auto coordinates, share_coordinates(chosen));
  return all_do(*comm_, "create", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(schema_, companion_schema(file_.header(), chosen, coordinates));
    chosen_ = chosen;
    return {};
  });
}

void Companion::tell_differences() {
  const std::string left_out = describe_left_out(file_.header());
  if (!left_out.empty()) tell(fmt::format("not in {}: {}", path_, left_out));
  for (const std::string& warning : schema_.warnings) tell(fmt::format("{}: {}", path_, warning));
}

/// The values of chosen coordinates of fixed dimensions, which rank 0 reads. Collective.
Result<std::map<int, AttributeValue>> Companion::share_coordinates(const ChosenVariables& chosen) {
  const cdf::Header& header = file_.header();
  std::map<int, AttributeValue> coordinates;
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    const cdf::Variable& variable = header.variables[v];
    if (!chosen[v] || !header.is_coordinate(variable) || header.is_record(variable)) continue;
    cdf::Attribute values;  // in the order of bytes that files have
    values.type = variable.type;
    const Status read = root_does(*comm_, "create", [&]() -> Status {
      values.values.resize(static_cast<std::size_t>(header.value_bytes(variable)));
      ESKER_RETURN_IF_ERROR(read_values(static_cast<int>(v), {}, variable.type, values.values.data()));
      swap_bytes(values.values, static_cast<int>(netcdf::size_bytes(variable.type)));
      return {};
    });
    ESKER_RETURN_IF_ERROR(read);
    ESKER_RETURN_IF_ERROR(share(*comm_, values.values, 0));
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "create", [&] {
      coordinates[static_cast<int>(v)] = netcdf::to_value(values);
      return Status();
    }));
  }
  return coordinates;
}

Status Companion::resume() {
  ESKER_RETURN_IF_ERROR(take_definition());
  last_time_ = file_.header().num_records - 1;
  const bool is_empty = file_.header().record_bytes() > 0 && file_.header().num_records == 0;
  ESKER_ASSIGN_OR_RETURN(const auto lock, borrow_lock());
  auto opened = WritePipeline::append(comm_, store_, path_, options_, std::nullopt, lock);
  if (opened.status().code() == Code::kNotFound && is_empty) return {};
  Status matches = opened.status();
  if (opened.ok()) {
    pipeline_ = std::move(*opened);
    matches = is_empty ? drop_all() : match_existing();
  }
  if (matches.ok()) return {};
  (void)finish();
  (void)guarded("open", [&] {  // a message that rank 0 has no memory for is not an error of it alone
    tell(fmt::format("{} is not continued: {}", path_, matches.message()));
    return Status();
  });
  return {};
}

/// A dataset whose steps the file does not have is replaced by the next one, with its variables.
/// kInvalidArgument: the file does not have them. Collective.
Status Companion::drop_all() {
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "open", [&]() -> Status {
    for (const Field& field : pipeline_->schema().fields()) {
      const auto& variables = file_.header().variables;
      const bool is_known = std::any_of(variables.begin(), variables.end(),
                                        [&](const cdf::Variable& each) { return each.name == field.name; });
      if (!is_known) return error(Code::kInvalidArgument, "the file has no variable '{}'", field.name);
    }
    put_ = variables_of(pipeline_->schema());
    const int time = time_variable_of(file_.header());
    if (time >= 0)
      put_[static_cast<std::size_t>(time)] = false;  // steps do not wait for times before one is put
    return {};
  }));
  options_->overwrite = true;
  const Status closed = pipeline_->close(Status());
  pipeline_.reset();
  return closed;
}

/// kInvalidArgument: the dataset has other fields or times than the file. A killed run may have left a step
/// more than records, which is removed. Collective.
Status Companion::match_existing() {
  Status differs;
  for (const bool numbers : {false, true}) {
    numbers_steps_ = numbers;
    ChosenVariables chosen;
    ESKER_RETURN_IF_ERROR(all_do(*comm_, "open", [&] {
      put_ = variables_of(pipeline_->schema());
      chosen = choose();
      return Status();
    }));
    ESKER_RETURN_IF_ERROR(describe(chosen));
    const Index num_records = has_any(chosen_, true) ? file_.header().num_records : 1;
    ESKER_ASSIGN_OR_RETURN(const auto times, share_times(chosen_, 0, std::min(num_steps(), num_records)));
    const bool has_one_more = num_records > 0 && num_steps() == num_records + 1;
    differs = all_do(*comm_, "open", [&]() -> Status {
      const std::string text = difference_of_fields(pipeline_->schema(), schema_.schema);
      if (!text.empty()) return error(Code::kInvalidArgument, "{}", text);
      const bool fits = num_steps() <= num_records || has_one_more;
      if (fits && std::equal(times.begin(), times.end(), pipeline_->times().begin())) return {};
      return error(Code::kInvalidArgument, "its steps are not the records of the file");
    });
    if (differs.ok()) return has_one_more ? pipeline_->rewind(Status(), times.back()) : Status();
  }
  return differs;
}

/// The variables of the file that a dataset has, by their names.
ChosenVariables Companion::variables_of(const Schema& existing) const {
  const cdf::Header& header = file_.header();
  ChosenVariables found(header.variables.size());
  for (std::size_t v = 0; v < found.size(); ++v) {
    const cdf::Variable& variable = header.variables[v];
    found[v] = existing.find_field(variable.name) != nullptr;
    if (!header.is_coordinate(variable)) continue;
    const auto& grids = existing.grids();
    found[v] = found[v] || header.is_record(variable) ||
               std::any_of(grids.begin(), grids.end(),
                           [&](const Grid& g) { return g.coords.contains(variable.name); });
  }
  return found;
}

}  // namespace esker
