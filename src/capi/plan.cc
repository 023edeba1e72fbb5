// The plan of a step, without writing it.
#include "esker/plan.hpp"

#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::BrickDecomposition;
using esker::Code;
using esker::Grid;
using esker::PlanReport;
using esker::Result;
using esker::Schema;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

esker_over_ranks over_ranks(const esker::OverRanks& found) { return {found.min, found.max, found.mean}; }

esker_plan_report to_report(const PlanReport& plan) {
  esker_plan_report report{};
  report.ranks = plan.ranks;
  report.writers = plan.writers;
  report.aggregators = plan.aggregators;
  report.files = plan.files;
  report.blocks = plan.blocks;
  report.data_bytes = plan.data_bytes;
  report.stored_bytes = plan.stored_bytes;
  report.rounds = plan.rounds;
  report.burst_bytes = plan.burst_bytes;
  report.boxes = plan.boxes;
  report.receivers = plan.receivers;
  report.volume_ratio = plan.volume_ratio;
  report.messages = over_ranks(plan.messages);
  report.senders = over_ranks(plan.senders);
  report.sent_bytes = over_ranks(plan.sent_bytes);
  report.written_bytes = over_ranks(plan.written_bytes);
  report.buffer_bytes = over_ranks(plan.buffer_bytes);
  return report;
}

Status check_splits(const Schema& schema, const esker_decomposition* const* splits, int num_splits) {
  const std::size_t num_grids = schema.grids().size();
  if (num_splits < 0 || static_cast<std::size_t>(num_splits) != num_grids) {
    return esker::error(Code::kInvalidArgument,
                        "plan_step: {} decompositions, expected one for each of {} grids", num_splits,
                        num_grids);
  }
  if (num_splits > 0) ESKER_RETURN_IF_ERROR(check_given("plan_step", {{splits, "splits"}}));
  for (int g = 0; g < num_splits; ++g) {
    ESKER_RETURN_IF_ERROR(check_given("plan_step", {{splits[g], "a decomposition"}}));
    if (!splits[g]->split) return splits[g]->failure;
  }
  return {};
}

Result<PlanReport> plan(const Schema& schema, int num_ranks, const esker_decomposition* const* splits,
                        const esker_options* options) {
  const auto split = [&](const Grid& grid) -> Result<BrickDecomposition> {
    const auto& grids = schema.grids();
    const auto found =
        std::find_if(grids.begin(), grids.end(), [&](const Grid& one) { return one.name == grid.name; });
    return *splits[found - grids.begin()]->split;
  };
  return esker::plan_step(schema, num_ranks, split, options ? options->values : esker::Options());
}

}  // namespace

extern "C" {

esker_status esker_plan_step(esker_dataset* ds, int num_ranks, const esker_decomposition* const* splits,
                             int num_splits, const esker_options* options, esker_plan_report* report,
                             const char** text) {
  return schema_call(ds, "plan_step", {}, [&](const Schema& schema) -> Status {
    ESKER_RETURN_IF_ERROR(check_splits(schema, splits, num_splits));
    ESKER_ASSIGN_OR_RETURN(const PlanReport found, plan(schema, num_ranks, splits, options));
    if (report) *report = to_report(found);
    if (text) {
      ds->report = found.to_string();
      *text = ds->report.c_str();
    }
    return {};
  });
}

}  // extern "C"
