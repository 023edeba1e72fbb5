#include "esker/plan.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "api/within_memory.h"
#include "base/error.h"
#include "base/macros.h"
#include "format/make.h"
#include "write/boxes.h"
#include "write/report.h"
#include "write/step_cut.h"

namespace esker {
namespace {

/// Everything that the plans of all ranks are made from.
struct Step {
  std::unique_ptr<StepLayouts> layouts;
  PieceSpace space;
  std::vector<FieldPatches> fields;
};

/// Fields of one grid share their boxes.
BoxesOfField boxes_of_all(const Schema& schema, int n_ranks, const BoxesOfRank& boxes) {
  std::map<int, std::shared_ptr<const Distribution>> of_grid;
  BoxesOfField of_field;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const int grid = schema.fields()[f].grid;
    auto& holders = of_grid[grid];
    if (!holders) {
      BoxesOfRanks made;
      for (int r = 0; r < n_ranks; ++r) {
        made.push_back(boxes(r, schema.grids()[grid]));
        std::erase_if(made.back(), [](const Box& box) { return box.empty(); });
      }
      holders =
          std::make_shared<const BoxListDistribution>(schema.box_of(schema.grids()[grid]), std::move(made));
    }
    of_field[static_cast<int>(f)] = holders;
  }
  return of_field;
}

Status check_boxes(const Schema& schema, const BoxesOfField& boxes, int n_ranks) {
  for (const auto& [f, holders] : boxes) {
    const Box grid = schema.box_of(schema.grids()[schema.fields()[f].grid]);
    for (int r = 0; r < n_ranks; ++r) {
      for (const Box& box : holders->boxes_of(r)) {
        if (box.rank == grid.rank && grid.contains(box)) continue;
        return error(Code::kOutOfRange, "plan: field '{}': the box {} leaves the grid {}",
                     schema.fields()[f].name, box.to_string(), grid.to_string());
      }
    }
  }
  return check_coverage(schema, boxes, n_ranks).with_context("plan");
}

Result<Step> lay_out(const Schema& schema, int n_ranks, const BoxesOfRank& boxes, const Options& options) {
  ESKER_ASSIGN_OR_RETURN(const auto format, make_format_writer(memory_store(), "plan.idx", options));
  ESKER_RETURN_IF_ERROR(format->define(schema));
  const BoxesOfField of_field = boxes_of_all(schema, n_ranks, boxes);
  ESKER_RETURN_IF_ERROR(check_boxes(schema, of_field, n_ranks));
  Step step;
  step.layouts = format->lay_out(std::vector<bool>(schema.fields().size(), true));
  ESKER_RETURN_IF_ERROR(check_phases(options, *step.layouts).with_context("plan"));
  for (const auto& layout : step.layouts->layouts) step.space.add(*layout);
  step.fields = patches_of_columns(step.layouts->columns, of_field);
  return step;
}

/// What one rank's plan amounts to.
struct RankFacts {
  Index messages = 0, senders = 0, sent_bytes = 0, written_bytes = 0, buffer_bytes = 0, rounds = 0;
};

RankFacts facts_of(const Plan& plan, bool aggregate) {
  RankFacts facts{.buffer_bytes = plan.buffer_bytes(), .rounds = static_cast<Index>(plan.rounds.size())};
  for (const Round& round : plan.rounds) {
    facts.messages += static_cast<Index>(round.sends.size());
    facts.senders = std::max(facts.senders, static_cast<Index>(round.receives.size()));
    for (const Message& message : round.sends) facts.sent_bytes += message.bytes;
    facts.written_bytes += aggregate ? round.window.size_bytes() : round.local.bytes;
  }
  return facts;
}

OverRanks over(const std::vector<RankFacts>& ranks, Index RankFacts::*member) {
  OverRanks result{ranks.front().*member, ranks.front().*member, 0};
  for (const RankFacts& facts : ranks) {
    result.min = std::min(result.min, facts.*member);
    result.max = std::max(result.max, facts.*member);
    result.mean += static_cast<double>(facts.*member) / static_cast<double>(ranks.size());
  }
  return result;
}

/// The plans of all ranks, one after the other, with a window that suits the one that needs most.
Result<std::vector<RankFacts>> plan_ranks(StepCut& cut, const Step& step, int n_ranks, bool aggregate) {
  for (;;) {
    std::vector<RankFacts> ranks;
    StepCut::Needs most;
    for (int rank = 0; rank < n_ranks; ++rank) {
      const Plan plan = cut.plan_of(rank, step.fields);
      const StepCut::Needs needs = StepCut::needs_of(plan);
      most.buffer_bytes = std::max(most.buffer_bytes, needs.buffer_bytes);
      most.largest_part_bytes = std::max(most.largest_part_bytes, needs.largest_part_bytes);
      if (!cut.fits(most)) break;
      ranks.push_back(facts_of(plan, aggregate));
    }
    if (cut.fits(most)) return ranks;
    if (!cut.shrink()) return cut.does_not_fit(most);
  }
}

Result<PlanReport> plan(const Schema& schema, int n_ranks, const BoxesOfRank& boxes, const Options& options) {
  if (n_ranks < 1) return error(Code::kInvalidArgument, "plan: {} ranks, expected at least 1", n_ranks);
  ESKER_ASSIGN_OR_RETURN(const Step step, lay_out(schema, n_ranks, boxes, options));
  StepCut cut(step.space, options, n_ranks);
  ESKER_ASSIGN_OR_RETURN(const auto ranks, plan_ranks(cut, step, n_ranks, options.aggregate));
  PlanReport report;
  report.ranks = n_ranks;
  report.writers = cut.num_writers(step.fields);
  for (const auto& layout : step.layouts->layouts) report.files += layout->num_files();
  report.blocks = step.space.num_pieces();
  for (const Field& field : schema.fields()) {
    report.data_bytes += schema.box_of(schema.grids()[field.grid]).num_samples() * field.sample_bytes();
  }
  report.stored_bytes = step.space.stored_bytes();
  report.rounds = over(ranks, &RankFacts::rounds).max;
  report.messages = over(ranks, &RankFacts::messages);
  report.senders = over(ranks, &RankFacts::senders);
  report.sent_bytes = over(ranks, &RankFacts::sent_bytes);
  report.written_bytes = over(ranks, &RankFacts::written_bytes);
  report.buffer_bytes = over(ranks, &RankFacts::buffer_bytes);
  return report;
}

}  // namespace

Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const BoxesOfRank& boxes,
                             const Options& options) {
  return within_memory([&] { return plan(schema, n_ranks, boxes, options); });
}

std::string PlanReport::to_string() const {
  const auto bytes = [](double count) { return bytes_to_text(count); };
  const auto count = [](double number) { return fmt::format("{:.6g}", number); };
  const auto row = [](const char* name, const OverRanks& amount, const auto& print) {
    return fmt::format("  {:<18}{:>12}{:>12}{:>12}\n", name, print(static_cast<double>(amount.min)),
                       print(amount.mean), print(static_cast<double>(amount.max)));
  };
  return fmt::format(
             "one step on {} ranks: {} of data, {} stored ({:.3f} of the data) in {} blocks and {} files "
             "by {} writers in {} rounds\n",
             ranks, bytes(static_cast<double>(data_bytes)), bytes(static_cast<double>(stored_bytes)),
             data_bytes > 0 ? static_cast<double>(stored_bytes) / static_cast<double>(data_bytes) : 0.0,
             blocks, files, writers, rounds) +
         fmt::format("{:<20}{:>12}{:>12}{:>12}\n", "per rank", "min", "mean", "max") +
         row("messages", messages, count) + row("senders at once", senders, count) +
         row("sent", sent_bytes, bytes) + row("written", written_bytes, bytes) +
         row("buffers", buffer_bytes, bytes);
}

}  // namespace esker
