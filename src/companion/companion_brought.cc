// Records that one transfer covers are written from the memory of the program.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "companion/companion.h"

namespace esker {
namespace {

std::ptrdiff_t num_variables(const std::vector<BroughtBox>& boxes) {
  std::set<int> variables;
  for (const BroughtBox& each : boxes) variables.insert(each.variable);
  return std::ssize(variables);
}

}  // namespace

Status Companion::follow(std::span<const cdf::Access> accesses) {
  if (is_over_) return {};
  const Index num_records = file_.header().num_records;
  std::optional<std::vector<BroughtBox>> brought;
  bool has_most = false;
  const Status found = guarded("put", [&] {
    const ChosenVariables fields = wanted();
    brought = find_brought(file_.header(), accesses, fields, num_records - 1);
    has_most = brought && 2 * num_variables(*brought) > std::count(fields.begin(), fields.end(), true);
    return Status();
  });
  const bool cannot = !found.ok() || !brought;
  const auto number = static_cast<std::uint64_t>(num_records);
  std::array<std::uint64_t, 4> most{number, ~number, cannot ? 1u : 0u, has_most ? 1u : 0u};
  comm_->all_reduce_max(most);
  if (most[0] != ~most[1]) return {};  // after a put that failed
  if (num_records - 1 > num_steps()) ESKER_RETURN_IF_ERROR(write_or_end(num_records - 1, false));
  // Programs that put one variable after the other do not pay for the comparison.
  if (is_over_ || most[2] != 0 || most[3] == 0) return {};
  const Status written = write_brought(*brought);
  return written.ok() ? written : end(written);
}

/// The variables that a transfer must cover: those of records that the dataset has, or before there is one
/// all of them; in a file without variables of records all fixed ones. The same on all ranks.
ChosenVariables Companion::wanted() const {
  const cdf::Header& header = file_.header();
  const bool of_records = may_have_records();
  ChosenVariables wanted(header.variables.size());
  for (std::size_t v = 0; v < wanted.size(); ++v) {
    const cdf::Variable& variable = header.variables[v];
    const bool is_chosen =
        pipeline_ ? v < chosen_.size() && chosen_[v] : reason_to_leave_out(header, variable).empty();
    wanted[v] = is_chosen && is_field(header, variable, of_records);
  }
  return wanted;
}

/// Writes the last record if all ranks bring it, and everything before it is written. Boxes that overlap are
/// not an error: such a record is read from the file later, like all others. Collective.
Status Companion::write_brought(const std::vector<BroughtBox>& brought) {
  const Index step = may_have_records() ? file_.header().num_records - 1 : 0;
  if (num_steps() != step) return {};
  ESKER_RETURN_IF_ERROR(agree_on_puts());
  if (first_to_write(false) < step) return {};  // the step before is written again with this one
  ChosenVariables chosen;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    chosen = choose();
    return Status();
  }));
  if (pipeline_ && chosen != chosen_) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_covered, cover(brought, chosen, step));
  if (!is_covered) return {};
  ESKER_ASSIGN_OR_RETURN(const auto times, share_times(chosen, step, step + 1));
  const bool follows = std::isfinite(times[0]) && (step == 0 || times[0] > pipeline_->times().back());
  if (!follows) return {};
  if (!pipeline_) ESKER_RETURN_IF_ERROR(begin(chosen));
  const Status written = write_step(times[0], &brought);
  return written.code() == Code::kInvalidArgument ? Status() : written;
}

/// Whether the boxes of all ranks have as many samples as the fields, and the time of the step was put.
/// Collective.
Result<bool> Companion::cover(const std::vector<BroughtBox>& brought, const ChosenVariables& chosen,
                              Index step) {
  const cdf::Header& header = file_.header();
  if (has_times(chosen) && last_time_ < step) return false;
  std::vector<double> samples;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    samples.resize(chosen.size());
    for (const BroughtBox& each : brought) {
      const auto n = static_cast<double>(each.patch.box.num_samples());
      samples[static_cast<std::size_t>(each.variable)] += n;
    }
    return Status();
  }));
  comm_->all_reduce_sum(std::span<double>(samples));
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    const cdf::Variable& variable = header.variables[v];
    if (!chosen[v] || !is_field(header, variable, may_have_records())) continue;
    const Index all = header.value_bytes(variable) / netcdf::size_bytes(variable.type);
    if (samples[v] != static_cast<double>(all)) return false;
  }
  return has_any(chosen, may_have_records());
}

}  // namespace esker
