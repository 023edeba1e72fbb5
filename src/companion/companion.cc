// What a dataset next to a file has to write, and when.
#include "companion/companion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "companion/companion_format.h"

namespace esker {
namespace {

/// Whether each is a number above the one before.
bool grow(double before, const std::vector<double>& times) {
  for (const double time : times) {
    if (!std::isfinite(time) || !(time > before)) return false;
    before = time;
  }
  return true;
}

}  // namespace

Companion::Companion(std::shared_ptr<Comm> comm, std::shared_ptr<Store> store, cdf::SharedFile& file,
                     Options options, const std::string& format, bool may_replace)
    : comm_(std::move(comm)),
      store_(std::move(store)),
      file_(file),
      options_(std::move(options)),
      path_(companion_path(file.path(), format)) {
  options_->format = format;
  if (may_replace) options_->overwrite = true;
}

Status Companion::take_definition() {
  if (is_over_) return {};
  const Status taken = all_do(*comm_, "end_definition", [&] {
    put_.resize(file_.header().variables.size());
    chosen_.resize(put_.size());  // compared with other choices
    return Status();
  });
  return taken.ok() ? taken : end(taken);
}

void Companion::note(std::span<const cdf::Access> accesses) {
  const cdf::Header& header = file_.header();
  const int time = time_variable_of(header);
  for (const cdf::Access& access : accesses) {
    if (access.variable < 0 || access.variable >= std::ssize(put_)) continue;
    const cdf::Variable& variable = header.variables[static_cast<std::size_t>(access.variable)];
    const bool is_record = header.is_record(variable), is_time = access.variable == time;
    const std::size_t n_dims = variable.dims.size();
    for (std::size_t b = 0; b < access.num_boxes(n_dims); ++b) {
      const cdf::AccessBox box = access.box(b, n_dims);
      if (!box.has_values()) continue;
      note(access.variable, is_record ? box.start[0] : -1);
      const Index step = access.step.empty() ? 1 : access.step[0];
      if (is_time) last_time_ = std::max(last_time_, box.start[0] + (box.count[0] - 1) * step);
    }
  }
}

void Companion::note(int variable, Index record) {
  const auto v = static_cast<std::size_t>(variable);
  if (is_over_ || v >= put_.size()) return;
  put_[v] = true;
  if (v >= chosen_.size() || !chosen_[v]) return;
  if (record < 0) has_changed_fixed_ = true;
  if (record >= 0 && record < num_steps()) first_changed_ = std::min(first_changed_, record);
}

Status Companion::commit() { return is_over_ ? Status() : write_or_end(file_.header().num_records, false); }

Status Companion::close() {
  if (is_over_) return {};
  ESKER_RETURN_IF_ERROR(write_or_end(file_.header().num_records, true));
  return finish();
}

Status Companion::abandon() {
  const Index num_kept = file_.num_published_records();
  if (is_over_ || !pipeline_ || !has_any(chosen_, true) || num_steps() <= num_kept) return finish();
  const double last_kept =
      num_kept == 0 ? -HUGE_VAL : pipeline_->times()[static_cast<std::size_t>(num_kept) - 1];
  const Status rewound = pipeline_->rewind(Status(), last_kept);
  const Status finished = finish();
  return rewound.ok() ? finished : rewound;
}

Status Companion::finish() {
  if (is_over_) return {};
  is_over_ = true;
  const Status closed = pipeline_ ? pipeline_->close(Status()) : Status();
  pipeline_.reset();
  return closed.with_context(path_);
}

std::vector<std::string> Companion::take_messages() { return std::exchange(messages_, {}); }

void Companion::tell(const std::string& text) {
  if (comm_->rank() == 0) messages_.push_back(file_.path() + ": " + text);
}

/// There is no dataset from now on. Collective.
Status Companion::end(const Status& status) {
  (void)finish();
  return status.with_context(path_ + ", next to " + file_.path() +
                             ", which is written without it from now on");
}

Status Companion::write_or_end(Index num_records, bool at_end) {
  const Status written = write(num_records, at_end);
  return written.ok() ? written : end(written);
}

Status Companion::write(Index num_records, bool at_end) {
  ESKER_RETURN_IF_ERROR(agree_on_puts());
  Work work;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "commit", [&] {
    work.chosen = choose();
    return Status();
  }));
  if (!is_ready(work.chosen, num_records, at_end)) return {};
  work.num_steps = has_any(work.chosen, true) ? num_records : 1;
  if (!at_end && has_times(work.chosen)) work.num_steps = std::min(num_records, last_time_ + 1);
  if (!at_end && work.num_steps <= num_steps()) return {};
  work.first = first_to_write(at_end);
  const bool is_other = work.chosen != chosen_ || (at_end && has_changed_fixed_);
  work.is_again = !pipeline_ || is_other || (work.first == 0 && num_steps() > 0);
  if (work.is_again) work.first = 0;
  ESKER_RETURN_IF_ERROR(find_times(work));
  if (work.is_again) {
    ESKER_RETURN_IF_ERROR(begin(work.chosen));
  } else if (work.first < num_steps()) {
    const double last_kept = pipeline_->times()[static_cast<std::size_t>(work.first) - 1];
    ESKER_RETURN_IF_ERROR(pipeline_->rewind(Status(), last_kept));
  }
  for (const double time : work.times) ESKER_RETURN_IF_ERROR(write_step(time));
  if (work.first <= first_changed_) first_changed_ = kNone;
  if (work.is_again) has_changed_fixed_ = false;
  return {};
}

/// What any rank has put. Collective.
Status Companion::agree_on_puts() {
  std::vector<std::uint64_t> most;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "commit", [&] {
    most.assign(put_.begin(), put_.end());
    most.push_back(has_changed_fixed_ ? 1 : 0);
    most.push_back(static_cast<std::uint64_t>(kNone - first_changed_));
    most.push_back(static_cast<std::uint64_t>(last_time_ + 1));
    return Status();
  }));
  comm_->all_reduce_max(std::span<std::uint64_t>(most));
  for (std::size_t v = 0; v < put_.size(); ++v) put_[v] = most[v] != 0;
  has_changed_fixed_ = most[put_.size()] != 0;
  first_changed_ = kNone - static_cast<Index>(most[put_.size() + 1]);
  last_time_ = static_cast<Index>(most[put_.size() + 2]) - 1;
  return {};
}

ChosenVariables Companion::choose() const {
  const cdf::Header& header = file_.header();
  ChosenVariables chosen = put_;
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    if (!reason_to_leave_out(header, header.variables[v]).empty()) chosen[v] = false;
  }
  const int time = time_variable_of(header);
  if (numbers_steps_ && time >= 0) chosen[static_cast<std::size_t>(time)] = false;
  return chosen;
}

bool Companion::has_any(const ChosenVariables& chosen, bool of_records) const {
  const cdf::Header& header = file_.header();
  for (std::size_t v = 0; v < chosen.size(); ++v) {
    if (chosen[v] && is_field(header, header.variables[v], of_records)) return true;
  }
  return false;
}

/// Whether the times of steps are values of the file.
bool Companion::has_times(const ChosenVariables& chosen) const {
  const int time = time_variable_of(file_.header());
  return time >= 0 && chosen[static_cast<std::size_t>(time)] && has_any(chosen, true);
}

/// Whether a variable of records is defined that can be in the dataset.
bool Companion::may_have_records() const {
  const auto& variables = file_.header().variables;
  return std::any_of(variables.begin(), variables.end(), [&](const cdf::Variable& each) {
    return is_field(file_.header(), each, true) && reason_to_leave_out(file_.header(), each).empty();
  });
}

/// Fixed fields alone wait for the first record, if there will be one.
bool Companion::is_ready(const ChosenVariables& chosen, Index num_records, bool at_end) const {
  if (has_any(chosen, true)) return num_records > 0;
  return has_any(chosen, false) && (at_end || !may_have_records());
}

/// Before the end only the last step is written again: a program that changes early records again and again
/// must not write all of them each time.
Index Companion::first_to_write(bool at_end) const {
  const bool is_changed = first_changed_ < num_steps();
  return is_changed && (at_end || first_changed_ + 1 == num_steps()) ? first_changed_ : num_steps();
}

/// The times of the steps to be written; numbers for all steps if those of the file do not grow. Collective.
Status Companion::find_times(Work& work) {
  const auto last_kept = [&] {
    return work.first == 0 ? -HUGE_VAL : pipeline_->times()[static_cast<std::size_t>(work.first) - 1];
  };
  ESKER_ASSIGN_OR_RETURN(work.times, share_times(work.chosen, work.first, work.num_steps));
  if (grow(last_kept(), work.times)) return {};
  numbers_steps_ = true;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "commit", [&] {
    const auto time = static_cast<std::size_t>(time_variable_of(file_.header()));
    tell(fmt::format("the values of '{}' do not grow from record to record: the steps of {} are numbered",
                     file_.header().variables[time].name, path_));
    work.chosen = choose();
    return Status();
  }));
  work.is_again = true;
  work.first = 0;
  ESKER_ASSIGN_OR_RETURN(work.times, share_times(work.chosen, 0, work.num_steps));
  return {};
}

}  // namespace esker
