// The cost of steps, and the report of a run: the part of WritePipeline that moves no samples.
#include <algorithm>
#include <array>

#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "comm/gather.h"
#include "format/kept_samples.h"
#include "store/commit.h"
#include "write/describe.h"
#include "write/pipeline.h"

namespace esker {

/// Removes what a run that died while writing its report left. Rank 0.
Status WritePipeline::remove_old_report() { return store_->remove(temporary_of(default_report())); }

std::string WritePipeline::default_report() const { return format_->stem() + ".report.json"; }

void WritePipeline::begin_counting() {
  traffic_.begin_step();
  before_ = {counters_, buffers_.allocated_bytes(), buffers_.reserving_s()};
}

/// The bytes that all ranks stored in this step, without headers and alignment. Collective.
Index WritePipeline::count_stored(const StepPlan& plan) {
  if (!plan.compressor) return plan.space.stored_bytes();
  std::array<double, 1> sum{static_cast<double>(counters_.stored_bytes - before_.counters.stored_bytes)};
  comm_->all_reduce_sum(sum);
  return static_cast<Index>(sum[0]);
}

/// The bytes that all ranks put on meshes. Collective.
Index WritePipeline::count_on_meshes(const StepInput& input) {
  if (!has_meshes(schema_)) return 0;
  std::array<double, 1> sum{static_cast<double>(input.mesh_bytes)};
  comm_->all_reduce_sum(sum);
  return static_cast<Index>(sum[0]);
}

void WritePipeline::record_step(const StepPlan& plan, const StepInput& input, double seconds,
                                double opening_s) {
  counters_.step_s += seconds;
  counters_.copied_bytes = std::max(counters_.copied_bytes, input.copied_bytes);
  counters_.put_bytes += input.mesh_bytes;
  for (const int f : plan.fields) {
    const int grid = stored_schema(input).fields()[f].grid;
    if (stored_schema(input).grids()[grid].mesh) continue;  // see mesh_bytes
    for (const Box& box : input.patches[f].boxes()) {
      counters_.put_bytes += box.num_samples() * stored_schema(input).fields()[f].sample_bytes();
    }
  }
  const StepTraffic::Amount& metadata = traffic_.of(StepTraffic::Purpose::kPlan);
  const StepTraffic::Amount& records = traffic_.of(StepTraffic::Purpose::kRecords);
  const double plan_s = counters_.plan_s - before_.counters.plan_s;
  const Plan& moved = plan.exchange.plan;
  const double waited_s =
      counters_.wait_s + counters_.agree_s - before_.counters.wait_s - before_.counters.agree_s;
  const double busy_s = seconds - plan_s - waited_s;
  std::array<double, 11> most{seconds,
                              plan_s,
                              static_cast<double>(buffers_.allocated_bytes() - before_.allocated_bytes),
                              static_cast<double>(metadata.collectives + metadata.messages),
                              static_cast<double>(metadata.bytes),
                              static_cast<double>(records.collectives + records.messages),
                              seconds - opening_s - plan_s,
                              counters_.store_s - before_.counters.store_s,
                              static_cast<double>(std::max(moved.buffer_bytes, moved.shared_buffer_bytes)),
                              buffers_.reserving_s() - before_.reserving_s,
                              busy_s};
  comm_->all_reduce_max(std::span<double>(most));
  if (busy_s == most[10]) critical_.add_phases(before_.counters, counters_);
  const Index stored_bytes = count_stored(plan), mesh_bytes = count_on_meshes(input);
  if (plan.compressor) {
    stored_over_raw_ = static_cast<double>(stored_bytes) / static_cast<double>(plan.space.stored_bytes());
  }
  times_.push_back(input.time);
  StepReport& step = steps_.emplace_back();
  step = {input.step,   input.time, plan.data_bytes + mesh_bytes,
          stored_bytes, most[0],    plan.exchange.num_writers,
          plan.files};
  step.planned = counters_.plans > before_.counters.plans;
  step.plan_s = most[1];
  step.allocated_bytes = static_cast<Index>(most[2]);
  step.metadata_messages = static_cast<Index>(most[3]);
  step.metadata_bytes = static_cast<Index>(most[4]);
  step.checksum_messages = static_cast<Index>(most[5]);
  report_kept(plan, step);
  report_partitions(plan, step);
  report_infinite(plan, input.step);
  if (plan.kept.empty()) {
    TunedStep tuned{0,  "",     most[6], step.planned ? most[1] : 0, most[6] > 0 ? most[7] / most[6] : 0,
                    {}, most[9]};
    tuned.facts.buffer_bytes = static_cast<Index>(most[8]);
    observe_step(plan, input, std::move(tuned));
  }
  step.agreements = static_cast<int>(traffic_.of(StepTraffic::Purpose::kAgree).collectives);
}

namespace {

/// The bytes of this rank's samples that a step moves, and of what this rank stores.
std::array<double, 2> own_bytes(const Plan& plan) {
  double put = 0, stored = 0;
  for (const Round& round : plan.rounds) {
    for (const auto* list : {&round.relay.sends, &round.sends, &round.places}) {
      for (const Message& message : *list) put += static_cast<double>(message.bytes);
    }
    put += static_cast<double>(round.local.bytes);
    stored += static_cast<double>(round.content.size_bytes());
  }
  return {put, stored};
}

}  // namespace

/// Messages of a step in partitions. Collective if it is divided.
void WritePipeline::report_partitions(const StepPlan& plan, StepReport& step) {
  step.partitions = plan.layouts->are_of_partitions() ? 0 : static_cast<int>(options_.partitions.number);
  if (step.partitions == 0) return;
  const PlanTraffic& mine = plan.exchange.plan.traffic;
  std::array<double, 4> sum{
      static_cast<double>(mine.crossing_messages), static_cast<double>(mine.crossing_bytes),
      static_cast<double>(mine.coarse_messages), static_cast<double>(mine.coarse_bytes)};
  comm_->all_reduce_sum(sum);
  step.crossing_messages = static_cast<Index>(sum[0]);
  step.crossing_bytes = static_cast<Index>(sum[1]);
  step.coarse_messages = static_cast<Index>(sum[2]);
  step.coarse_bytes = static_cast<Index>(sum[3]);
}

/// The same on all ranks.
void WritePipeline::report_infinite(const StepPlan& plan, Index step) {
  if (!plan.cells) return;
  const std::span<const double> fields = infinite_fields(plan);
  (void)guarded("report", [&] {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f] > 0) infinite_.try_emplace(f, step);
    }
    return Status();
  });
}

/// What a sparse step stores. Collective if the step is sparse. The step is committed: without the memory for
/// the names of its fields, the report has less.
void WritePipeline::report_kept(const StepPlan& plan, StepReport& step) {
  if (plan.kept.empty()) return;
  std::array<double, 2> sum = own_bytes(plan.exchange.plan), most = sum;
  comm_->all_reduce_sum(sum);
  comm_->all_reduce_max(std::span<double>(most));
  const auto over_mean = [](double largest, double total, int n) {
    return total > 0 ? largest * n / total : 1;
  };
  step.put_imbalance = over_mean(most[0], sum[0], comm_->size());
  step.write_imbalance = over_mean(most[1], sum[1], plan.exchange.num_aggregators);
  step.raised_from = plan.raised_from;
  (void)guarded("report", [&] {
    std::vector<int> fields = plan.fields;
    std::erase_if(fields, [&](int f) { return f >= std::ssize(plan.kept); });  // level fields
    const std::vector<StoredSamples> of_fields = samples_of_fields(*format_, schema_, fields, plan.kept);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto f = static_cast<std::size_t>(fields[i]);
      const Field& field = schema_.fields()[f];
      const StoredSamples& samples = of_fields[i];
      step.primary_bytes += samples.primary * field.sample_bytes();
      step.secondary_bytes += samples.secondary * field.sample_bytes();
      step.padding_bytes += samples.padding * field.sample_bytes();
      if (plan.kept[f].blocks) step.fields.push_back({field.name, samples});
    }
    return Status();
  });
}

Status WritePipeline::write_report() {
  if (options_.report == "none" || steps_.empty()) return {};
  RunReport report;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "report", [&] {
    report = gather_report(*comm_, counters_, critical_, steps_, options_);
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(add_details(report));
  return root_does(*comm_, "report", [&] {
    const std::string path = options_.report.empty() ? default_report() : options_.report;
    return replace_file(*store_, path, report_to_json(report), false);
  });
}

/// How rank 0's files are written.
Result<StorageReport> WritePipeline::storage_report() {
  std::string packed;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "report", [&] {
    std::vector<std::string> texts;
    for (const auto& [name, value] : store_->effective_hints()) texts.insert(texts.end(), {name, value});
    packed = pack_texts(texts);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(packed, share_text(*comm_, std::move(packed), 0));
  StorageReport report;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "report", [&] {
    report = describe(file_pattern_);
    report.note = format_->storage_note();
    const std::vector<std::string> texts = unpack_texts(packed);
    for (std::size_t t = 0; t + 1 < texts.size(); t += 2) report.hints[texts[t]] = texts[t + 1];
    return Status();
  }));
  return report;
}

Result<RunReport> WritePipeline::report() {
  const CallWatch::Call call(*comm_, "report");
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{Status(), "report", 0, "", false}));
  RunReport report = gather_report(*comm_, counters_, critical_, steps_, options_);
  ESKER_RETURN_IF_ERROR(add_details(report));
  return report;
}

/// The same on all ranks, one for each field at most.
std::vector<std::string> WritePipeline::infinity_warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [number, step] : infinite_) {
    const Field& field = schema_.fields()[number];
    warnings.push_back(fmt::format(
        "field '{}', from step {}: values near the largest of {} are read as infinity; store more bits",
        field.name, step, name(field.type)));
  }
  return warnings;
}

/// How samples were moved and stored, and what was tuned. Collective.
Status WritePipeline::add_details(RunReport& report) {
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "report", [&] {
    report.transport = planner_.transport_report();
    report.warnings = infinity_warnings();
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(report.storage, storage_report());
  if (tuner_) {
    ESKER_ASSIGN_OR_RETURN(report.tuning, tuner_->record(*comm_));
  }
  if (timeline_) {
    ESKER_ASSIGN_OR_RETURN(report.timeline, timeline_->gather(*comm_));
  }
  return {};
}

}  // namespace esker
