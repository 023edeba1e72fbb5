#include "write/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/guarded.h"
#include "base/make_room.h"
#include "write/open_dataset.h"
#include "write/plan_maker.h"
#include "write/step_facts.h"

namespace esker {

RunRecord::RunRecord(std::unique_ptr<Timeline> timeline) : timeline_(std::move(timeline)) {
  if (timeline_) timeline_->record(counters_);
}

void RunRecord::begin_step(const ExchangeBuffers& buffers) {
  traffic_.begin_step();
  before_ = {counters_, buffers.allocated_bytes(), buffers.reserving_s()};
}

void RunRecord::opened(Index step, double seconds, bool begins) {
  if (timeline_ && begins) timeline_->begin_step(step);
  counters_.agree_s += seconds;
}

void RunRecord::make_room() { esker::make_room(steps_); }

void RunRecord::add(ExchangeStats stats, double encoding_s, const StoreCost& stores) {
  store_waits_ = stores.waits();
  is_queued_ = false;
  stats.store_s.correct(-encoding_s);
  counters_.add(stats, false);
}

void RunRecord::add_queued(const ExchangeStats& stats) {
  store_waits_ = false;
  is_queued_ = true;
  counters_.add(stats, true);
}

void RunRecord::count_put(const Schema& schema, const StepPlan& plan, const StepInput& input) {
  counters_.copied_bytes = std::max(counters_.copied_bytes, input.copied_bytes);
  counters_.put_bytes += input.mesh_bytes;
  for (const int f : plan.fields) {
    const bool is_derived = f >= static_cast<int>(schema.fields().size());
    if (is_derived || schema.grids()[schema.fields()[f].grid].mesh) continue;  // see mesh_bytes
    for (const Box& box : input.patches[f].boxes()) {
      counters_.put_bytes += box.num_samples() * schema.fields()[f].sample_bytes();
    }
  }
}

/// The same on all ranks.
void RunRecord::note_infinite(const StepPlan& plan, Index step) {
  if (!plan.cells) return;
  const std::span<const double> fields = infinite_fields(plan);
  (void)guarded("report", [&] {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f] > 0) infinite_.try_emplace(f, step);
    }
    return Status();
  });
}

StepCost RunRecord::add(Comm& comm, const OpenDataset& dataset, PlanMaker& maker, const StepPlan& plan,
                        const StepInput& input, StepTime time) {
  const ExchangeBuffers& buffers = maker.buffers();
  if (timeline_) timeline_->keep_step();
  counters_.step_s += time.all_s;
  count_put(dataset.schema(), plan, input);
  const StepTraffic::Amount& metadata = traffic_.of(StepTraffic::Purpose::kPlan);
  const StepTraffic::Amount& records = traffic_.of(StepTraffic::Purpose::kRecords);
  const double plan_s = counters_.plan_s - before_.counters.plan_s;
  const Plan& moved = plan.exchange.plan;
  const double waited_s =
      counters_.wait_s + counters_.agree_s - before_.counters.wait_s - before_.counters.agree_s;
  const double busy_s = time.all_s - plan_s - waited_s;
  const double store_s = is_queued_ ? counters_.async_s - before_.counters.async_s
                                    : counters_.store_s - before_.counters.store_s;
  std::array<double, 11> most{time.all_s,
                              plan_s,
                              static_cast<double>(buffers.allocated_bytes() - before_.allocated_bytes),
                              static_cast<double>(metadata.collectives + metadata.messages),
                              static_cast<double>(metadata.bytes),
                              static_cast<double>(records.collectives + records.messages),
                              time.all_s - time.opening_s - plan_s,
                              store_s,
                              static_cast<double>(std::max(moved.buffer_bytes, moved.shared_buffer_bytes)),
                              buffers.reserving_s() - before_.reserving_s,
                              busy_s};
  comm.all_reduce_max(std::span<double>(most));
  if (busy_s == most[10]) critical_.add_phases(before_.counters, counters_, is_queued_);
  const Index raw_bytes = plan.space.stored_bytes();
  const Index stored_bytes = plan.compressor
                                 ? sum_of_ranks(comm, counters_.stored_bytes - before_.counters.stored_bytes)
                                 : raw_bytes;
  const Index mesh_bytes = has_meshes(dataset.schema()) ? sum_of_ranks(comm, input.mesh_bytes) : 0;
  if (plan.compressor) stored_over_raw_ = static_cast<double>(stored_bytes) / static_cast<double>(raw_bytes);
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
  report_kept(comm, *dataset.files().format, dataset.schema(), plan, step);
  report_partitions(comm, plan, maker.options().partitions.number, step);
  note_infinite(plan, input.step);
  step.agreements = static_cast<int>(traffic_.of(StepTraffic::Purpose::kAgree).collectives);
  return {most[6], step.planned ? most[1] : 0, most[7], most[9], static_cast<Index>(most[8])};
}

std::vector<std::string> RunRecord::infinity_warnings(const Schema& schema) const {
  std::vector<std::string> warnings;
  for (const auto& [number, step] : infinite_) {
    const Field& field = schema.fields()[number];
    warnings.push_back(fmt::format(
        "field '{}', from step {}: values near the largest of {} are read as infinity; store more bits",
        field.name, step, name(field.type)));
  }
  return warnings;
}

}  // namespace esker
