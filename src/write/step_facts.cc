#include "write/step_facts.h"

#include <array>
#include <span>
#include <vector>

#include "base/guarded.h"
#include "format/kept_samples.h"

namespace esker {

Index sum_of_ranks(Comm& comm, Index number) {
  std::array<double, 1> sum{static_cast<double>(number)};
  comm.all_reduce_sum(sum);
  return static_cast<Index>(sum[0]);
}

void report_partitions(Comm& comm, const StepPlan& plan, Index num_partitions, StepReport& step) {
  step.partitions = plan.layouts->are_of_partitions() ? 0 : static_cast<int>(num_partitions);
  if (step.partitions == 0) return;
  const PlanTraffic& mine = plan.exchange.plan.traffic;
  std::array<double, 4> sum{
      static_cast<double>(mine.crossing_messages), static_cast<double>(mine.crossing_bytes),
      static_cast<double>(mine.coarse_messages), static_cast<double>(mine.coarse_bytes)};
  comm.all_reduce_sum(sum);
  step.crossing_messages = static_cast<Index>(sum[0]);
  step.crossing_bytes = static_cast<Index>(sum[1]);
  step.coarse_messages = static_cast<Index>(sum[2]);
  step.coarse_bytes = static_cast<Index>(sum[3]);
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

void report_kept(Comm& comm, const FormatWriter& format, const Schema& schema, const StepPlan& plan,
                 StepReport& step) {
  if (plan.kept.empty()) return;
  std::array<double, 2> sum = own_bytes(plan.exchange.plan), most = sum;
  comm.all_reduce_sum(sum);
  comm.all_reduce_max(std::span<double>(most));
  const auto over_mean = [](double largest, double total, int n) {
    return total > 0 ? largest * n / total : 1;
  };
  step.put_imbalance = over_mean(most[0], sum[0], comm.size());
  step.write_imbalance = over_mean(most[1], sum[1], plan.exchange.num_aggregators);
  step.raised_from = plan.raised_from;
  (void)guarded("report", [&] {
    std::vector<int> fields = plan.fields;
    std::erase_if(fields, [&](int f) { return f >= std::ssize(plan.kept); });  // level fields
    const std::vector<StoredSamples> of_fields = samples_of_fields(format, schema, fields, plan.kept);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto f = static_cast<std::size_t>(fields[i]);
      const Field& field = schema.fields()[f];
      const StoredSamples& samples = of_fields[i];
      step.primary_bytes += samples.primary * field.sample_bytes();
      step.secondary_bytes += samples.secondary * field.sample_bytes();
      step.padding_bytes += samples.padding * field.sample_bytes();
      if (plan.kept[f].blocks) step.fields.push_back({field.name, samples});
    }
    return Status();
  });
}

}  // namespace esker
