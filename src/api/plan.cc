#include "esker/plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "api/plan_meshes.h"
#include "api/plan_regions.h"
#include "api/within_memory.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/kept_samples.h"
#include "formats/registry/make_writer.h"
#include "model/coarse_fields.h"
#include "model/mesh_arrays.h"
#include "plan/coarse_distribution.h"
#include "plan/count_step.h"
#include "plan/field_boxes.h"
#include "plan/file_pattern.h"
#include "plan/load_counter.h"
#include "plan/step_cut.h"

namespace esker {
namespace {

constexpr const char* kPath = "plan";  // nothing is written there

/// Asks the caller from time to time whether to continue, and throws if not.
class Pulse {
 public:
  struct Cancelled {};

  explicit Pulse(const GoesOn& goes_on) : goes_on_(goes_on) {}
  void operator()() {
    if (!goes_on_ || ++num_calls_ % kCallsPerLook != 0 || watch_.elapsed_s() < kPause_s) return;
    (void)watch_.lap();
    if (!goes_on_()) throw Cancelled();
  }

 private:
  static constexpr int kCallsPerLook = 64;
  static constexpr double kPause_s = 0.1;

  const GoesOn& goes_on_;
  unsigned num_calls_ = 0;
  Stopwatch watch_;
};

/// The input from which the plans of all ranks are made.
struct Step {
  ExchangePolicy policy;
  std::unique_ptr<FormatWriter> format;  // referenced by the layouts
  Schema schema;                         // with level fields and coarse fields
  std::unique_ptr<StepLayouts> layouts;
  BoxesOfField holders;
  PlannedRegions regions;
  PieceSpace space;
  std::vector<FieldPatches> fields;
};

using Holders = std::shared_ptr<const Distribution>;
using HoldersOfGrid = std::function<Result<Holders>(const Grid&, const FormatWriter&)>;

/// What the caller asks for.
struct Request {
  const Schema& schema;
  int n_ranks = 0;
  const HoldersOfGrid& holders_of;
  const Options& options;
  const KeepOfGrid& keep;
  PlannedPatches* patches = nullptr;  // of meshes; holders_of fills it
  int ranks_per_node = 0;             // 0: without loads
};

/// Boxes alone say nothing of levels.
Status check_are_arrays(const Schema& schema) {
  for (const Field& field : schema.fields()) {
    const Grid& grid = schema.grid_of(field);
    if (!grid.mesh) continue;
    return error(Code::kInvalidArgument, "plan: grid '{}' is a mesh: expected its patches with their levels",
                 grid.name);
  }
  return {};
}

/// Checks boxes, which any program may have made up, before anything is computed from them.
Result<Holders> list_boxes(const Schema& schema, const Grid& grid, int n_ranks, const BoxesOfRank& boxes,
                           Pulse& pulse) {
  const Box domain = schema.box_of(grid);
  BoxesOfRanks of_rank;
  for (int r = 0; r < n_ranks; ++r) {
    pulse();
    of_rank.push_back(boxes(r, grid));
    std::erase_if(of_rank.back(), [](const Box& box) { return box.empty(); });
    for (const Box& box : of_rank.back()) {
      if (box.rank == domain.rank && domain.contains(box)) continue;
      return error(Code::kOutOfRange, "plan: grid '{}': the box {} exceeds the grid {}", grid.name,
                   box.to_string(), domain.to_string());
    }
  }
  return Holders(std::make_shared<const BoxListDistribution>(domain, std::move(of_rank)));
}

Result<Holders> split_grid(const Schema& schema, const Grid& grid, int n_ranks, const SplitOfGrid& split) {
  ESKER_ASSIGN_OR_RETURN(BrickDecomposition parts, split(grid));
  const Index n_parts = parts.num_parts();
  Holders holders = std::make_shared<const BrickDistribution>(std::move(parts));
  const Box domain = schema.box_of(grid);
  if (holders->domain() == domain && n_parts <= n_ranks) return holders;
  return error(
      Code::kInvalidArgument,
      "plan: grid '{}': expected a decomposition of {} into at most {} parts, found one of {} into {} parts",
      grid.name, domain.to_string(), n_ranks, holders->domain().to_string(), n_parts);
}

/// Fields of one grid share their boxes. Meshes that are not stored as arrays have none.
Result<BoxesOfField> find_holders(const Schema& schema, const HoldersOfGrid& holders_of,
                                  const FormatWriter& format) {
  std::map<int, Holders> of_grid;
  BoxesOfField of_field;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Grid& grid = schema.grids()[schema.fields()[f].grid];
    if (grid.mesh && !format.stores_flat()) continue;
    auto& holders = of_grid[schema.fields()[f].grid];
    if (!holders) {
      ESKER_ASSIGN_OR_RETURN(holders, holders_of(grid, format));
    }
    of_field[static_cast<int>(f)] = holders;
  }
  return of_field;
}

/// Adds the coarse fields of a format that stores levels separately.
Status add_coarse_fields(const Schema& schema, Step& step, std::vector<bool>& present) {
  const int num_levels = step.format->num_coarse_levels();
  if (num_levels == 0) return {};
  ESKER_ASSIGN_OR_RETURN(step.schema, with_coarse_fields(schema, num_levels));
  std::map<int, Holders> of_grid;
  for (const auto& [f, level] : coarse_fields(schema, num_levels)) {
    const int position = static_cast<int>(present.size());
    Holders& boxes = of_grid[step.schema.fields()[static_cast<std::size_t>(position)].grid];
    if (!boxes) boxes = std::make_shared<const CoarseDistribution>(step.holders.at(f), level);
    step.holders[position] = boxes;
    present.push_back(true);
  }
  return {};
}

/// Adds the boxes of all fields, the level fields and the coarse fields. Returns which fields are stored.
Result<std::vector<bool>> find_boxes(const Request& request, Step& step) {
  const Schema& schema = request.schema;
  if (!request.patches) ESKER_RETURN_IF_ERROR(check_are_arrays(schema));
  ESKER_ASSIGN_OR_RETURN(step.holders, find_holders(schema, request.holders_of, *step.format));
  if (step.format->needs_boxes()) {
    ESKER_ASSIGN_OR_RETURN(const auto extents, regular_extents(schema, step.holders, request.n_ranks));
    ESKER_RETURN_IF_ERROR(step.format->take_boxes(extents));
  }
  std::vector<bool> present;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    present.push_back(step.holders.contains(static_cast<int>(f)));
  }
  step.schema = schema;
  if (step.format->stores_levels() && request.patches) {
    ESKER_ASSIGN_OR_RETURN(step.schema,
                           request.patches->add_level_fields(*step.format, step.holders, present));
  }
  ESKER_RETURN_IF_ERROR(add_coarse_fields(schema, step, present));
  return present;
}

Result<Step> lay_out(const Request& request, const std::function<void()>& pulse) {
  const auto& [schema, n_ranks, holders_of, given, keep, patches, _] = request;
  Step step;
  Options options = given;
  ESKER_RETURN_IF_ERROR(settle_partitions(n_ranks, 0, options).with_context("plan"));
  ESKER_ASSIGN_OR_RETURN(step.format, make_format_writer(memory_store(), kPath, options));
  if (step.format->stores_flat()) ESKER_RETURN_IF_ERROR(check_mesh_arrays(schema));
  ESKER_RETURN_IF_ERROR(step.format->define(schema));
  ESKER_ASSIGN_OR_RETURN(const FilePattern pattern, FilePattern::of({}, n_ranks, kPath, options));
  ESKER_ASSIGN_OR_RETURN(const std::vector<bool> present, find_boxes(request, step));
  auto regions = plan_regions(schema, keep, options, *step.format, pulse);
  if (!regions.ok()) return regions.status().with_context("plan");
  step.regions = std::move(*regions);
  step.layouts = step.regions.is_sparse
                     ? step.format->lay_out_sparse(present, pattern.hints(), step.regions.fields)
                     : step.format->lay_out(present, pattern.hints());
  ESKER_RETURN_IF_ERROR(check_phases(options, *step.layouts).with_context("plan"));
  for (std::size_t n = 0; n < step.layouts->layouts.size(); ++n) {
    step.space.add(*step.layouts->layouts[n], step.layouts->joined_file(static_cast<int>(n)));
  }
  step.fields = patches_of_columns(step.layouts->columns, step.holders);
  step.policy = policy_for_writing(options, n_ranks);
  follow_pattern(pattern, *step.layouts, step.space, n_ranks, step.policy);
  if (!step.policy.packs && has_meshes(schema)) {
    use_packed_messages(step.policy, "a mesh needs packed messages");
  }
  return step;
}

template <class Amount>
OverRanks over(const std::vector<RankTraffic>& ranks, const Amount& amount) {
  OverRanks result{amount(ranks.front()), amount(ranks.front()), 0};
  double sum = 0;
  for (const RankTraffic& rank : ranks) {
    result.min = std::min(result.min, amount(rank));
    result.max = std::max(result.max, amount(rank));
    sum += static_cast<double>(amount(rank));
  }
  result.mean = sum / static_cast<double>(ranks.size());
  return result;
}

OverRanks over(const std::vector<RankTraffic>& ranks, Index RankTraffic::*member) {
  return over(ranks, [member](const RankTraffic& rank) { return rank.*member; });
}

OverRanks buffers_over(const std::vector<RankTraffic>& ranks) {
  return over(ranks, [](const RankTraffic& rank) { return StepCut::needs_of({rank}).buffer_bytes; });
}

/// One rank, which needs no messages, has no partitions to count.
PartitionTraffic traffic_in_partitions(const ExchangePolicy& policy, const StepCounts& counts) {
  PartitionTraffic traffic;
  traffic.partitions = policy.partitions;
  if (counts.in_partitions.empty()) return traffic;
  traffic.messages = over(counts.in_partitions, &RankTraffic::messages);
  traffic.senders = over(counts.in_partitions, &RankTraffic::senders);
  traffic.sent_bytes = over(counts.in_partitions, &RankTraffic::sent_bytes);
  traffic.buffer_bytes = buffers_over(counts.in_partitions);
  traffic.crossing_messages = counts.crossing_messages;
  traffic.crossing_bytes = counts.crossing_bytes;
  for (std::size_t r = 0; r < counts.ranks.size(); ++r) {
    traffic.coarse_messages += counts.ranks[r].messages - counts.in_partitions[r].messages;
    traffic.coarse_bytes += counts.ranks[r].sent_bytes - counts.in_partitions[r].sent_bytes;
  }
  return traffic;
}

void add_amounts(const StepCounts& counts, PlanReport& report) {
  const auto over_all = [&](Index RankTraffic::*member) { return over(counts.ranks, member); };
  report.rounds = counts.rounds;
  report.messages = over_all(&RankTraffic::messages);
  report.senders = over_all(&RankTraffic::senders);
  report.sent_bytes = over_all(&RankTraffic::sent_bytes);
  report.written_bytes = over_all(&RankTraffic::written_bytes);
  const double n_writing = report.aggregators > 0 ? report.aggregators : report.ranks;
  if (report.written_bytes.mean > 0) {
    report.write_imbalance =
        static_cast<double>(report.written_bytes.max) / report.written_bytes.mean * n_writing / report.ranks;
  }
  report.buffer_bytes = buffers_over(counts.ranks);
}

std::vector<MessageBin> message_bins(const MessageSizes& to_relays, const MessageSizes& to_aggregators) {
  std::vector<MessageBin> bins;
  std::size_t num_kept = 0;
  for (std::size_t i = 0; i < to_relays.size(); ++i) {
    const bool is_empty = to_relays[i] + to_aggregators[i] == 0;
    if (is_empty && bins.empty()) continue;
    bins.push_back({Index{1} << i, to_relays[i], to_aggregators[i]});
    if (!is_empty) num_kept = bins.size();
  }
  bins.resize(num_kept);
  return bins;
}

/// The samples that are put, of all fields.
Index count_data_bytes(const Request& request) {
  Index data_bytes = 0;
  for (const Field& field : request.schema.fields()) {
    const Grid& grid = request.schema.grid_of(field);
    const Index samples =
        grid.mesh ? request.patches->num_samples(grid) : request.schema.box_of(grid).num_samples();
    data_bytes += samples * field.sample_bytes();
  }
  return data_bytes;
}

/// Adds what the fields store by the rules; returns the bytes of the samples.
Index add_kept_samples(const Schema& schema, const Step& step, PlanReport& report) {
  if (step.regions.fields.empty()) return report.data_bytes;
  std::vector<int> fields(schema.fields().size());
  std::iota(fields.begin(), fields.end(), 0);
  Index kept_bytes = 0;
  const std::vector<StoredSamples> of_fields =
      samples_of_fields(*step.format, schema, fields, step.regions.fields);
  for (std::size_t f = 0; f < of_fields.size(); ++f) {
    const StoredSamples& of_field = of_fields[f];
    report.samples.primary += of_field.primary;
    report.samples.secondary += of_field.secondary;
    report.samples.padding += of_field.padding;
    report.samples.blocks += of_field.blocks;
    kept_bytes += (of_field.primary + of_field.secondary) * schema.fields()[f].sample_bytes();
  }
  return kept_bytes;
}

/// Those of the layout that stores the most bytes.
void add_sizes_of_blocks(const StepLayouts& layouts, PlanReport& report) {
  if (layouts.layouts.empty()) return;
  const auto& largest = *std::ranges::max_element(layouts.layouts, {},
                                                  [](const auto& layout) { return layout->stored_bytes(); });
  if (!largest->block_grid()) return;
  report.bits_per_block = largest->block_grid()->bits_per_block();
  report.blocks_per_file = largest->blocks_per_file();
}

Result<PlanReport> plan(const Request& request, Pulse& pulse) {
  const auto& [schema, n_ranks, holders_of, options, keep, patches, ranks_per_node] = request;
  ESKER_ASSIGN_OR_RETURN(const Step step, lay_out(request, std::ref(pulse)));
  ESKER_RETURN_IF_ERROR(check_coverage(step.schema, step.holders, n_ranks).with_context("plan"));
  ESKER_ASSIGN_OR_RETURN(StepCounts counts,
                         count_step(step.space, step.fields, step.policy, n_ranks,
                                    spread_over_ranks(step.space, step.fields, step.policy, n_ranks),
                                    std::ref(pulse), ranks_per_node));
  PlanReport report;
  report.ranks = n_ranks;
  report.writers = counts.writers;
  report.aggregators = counts.aggregators;
  report.files = step.layouts->num_files();
  report.blocks = step.space.num_pieces();
  add_sizes_of_blocks(*step.layouts, report);
  report.data_bytes = count_data_bytes(request);
  if (patches) report.levels = patches->levels();
  const Index sample_bytes = add_kept_samples(schema, step, report);
  report.stored_bytes = step.space.stored_bytes();
  report.burst_bytes =
      sample_bytes / std::max(1, options.aggregate.value_or(true) ? report.aggregators : report.writers);
  add_amounts(counts, report);
  if (step.policy.partitions > 0) report.in_partitions = traffic_in_partitions(step.policy, counts);
  report.message_sizes = message_bins(counts.to_relays, counts.to_aggregators);
  report.boxes = counts.boxes;
  report.volume_ratio = counts.volume_ratio;
  report.receivers = counts.receivers;
  report.loads = std::move(counts.loads);
  number_shared_files(step.space, *step.layouts, report.loads);
  return report;
}

std::string partition_traffic(const PlanReport& report) {
  const PartitionTraffic& traffic = report.in_partitions;
  if (traffic.partitions == 0) return "";
  const auto bytes = [](Index count) { return bytes_to_text(static_cast<double>(count)); };
  return fmt::format(
      "partitions: {}; {} messages ({}) cross their borders, {} ({}) carry the coarse part; without it at "
      "most "
      "{} messages, {} senders per round and {} of buffers per rank\n",
      traffic.partitions, traffic.crossing_messages, bytes(traffic.crossing_bytes), traffic.coarse_messages,
      bytes(traffic.coarse_bytes), traffic.messages.max, traffic.senders.max,
      bytes(traffic.buffer_bytes.max));
}

std::string restructuring(const PlanReport& report) {
  if (report.boxes == 0) return "";
  return fmt::format("restructured: {} boxes ({:.6g} box volumes) on {} ranks\n", report.boxes,
                     report.volume_ratio, report.receivers);
}

std::string patches_of_levels(const PlanReport& report) {
  std::string text;
  for (std::size_t level = 0; level < report.levels.size(); ++level) {
    const LevelCover& cover = report.levels[level];
    text += fmt::format("level {}: {} patches, {} samples, {} of them covered by finer patches\n", level,
                        cover.patches, cover.samples, cover.covered);
  }
  return text;
}

std::string kept_samples(const PlanReport& report) {
  if (report.samples.blocks == 0) return "";
  return fmt::format("kept: {} primary and {} secondary samples, efficiency {:.4f}\n", report.samples.primary,
                     report.samples.secondary, report.samples.efficiency());
}

std::string histogram(const std::vector<MessageBin>& bins) {
  std::string text;
  for (const MessageBin& bin : bins) {
    text +=
        fmt::format("  {:<18}{:>12}{:>16}\n", bytes_to_text(static_cast<double>(bin.least_bytes)) + " ...",
                    bin.to_relays, bin.to_aggregators);
  }
  const char* kHeader = "messages of         to relays  to aggregators\n";
  return text.empty() ? text : kHeader + text;
}

Status check_ranks(int n_ranks, int ranks_per_node) {
  if (n_ranks >= 1 && ranks_per_node >= 0) return {};
  return error(Code::kInvalidArgument, "plan: {} ranks, {} per node, expected at least 1", n_ranks,
               ranks_per_node);
}

Result<PlanReport> plan_or_end(const Request& request, Pulse& pulse) {
  ESKER_RETURN_IF_ERROR(check_ranks(request.n_ranks, request.ranks_per_node));
  try {
    return within_memory([&] { return plan(request, pulse); });
  } catch (const Pulse::Cancelled&) {
    return error(Code::kCancelled, "plan: cancelled");
  }
}

}  // namespace

Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const BoxesOfRank& boxes,
                             const Options& options, const GoesOn& goes_on, const KeepOfGrid& keep,
                             int ranks_per_node) {
  Pulse pulse(goes_on);
  const HoldersOfGrid holders = [&](const Grid& grid, const FormatWriter&) {
    return list_boxes(schema, grid, n_ranks, boxes, pulse);
  };
  return plan_or_end({schema, n_ranks, holders, options, keep, nullptr, ranks_per_node}, pulse);
}

Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const SplitOfGrid& split,
                             const Options& options, const GoesOn& goes_on, const KeepOfGrid& keep,
                             int ranks_per_node) {
  Pulse pulse(goes_on);
  const HoldersOfGrid holders = [&](const Grid& grid, const FormatWriter&) {
    return split_grid(schema, grid, n_ranks, split);
  };
  return plan_or_end({schema, n_ranks, holders, options, keep, nullptr, ranks_per_node}, pulse);
}

Result<PlanReport> plan_step(const Schema& schema, int n_ranks, const PatchesOfRank& patches,
                             const Options& options, const GoesOn& goes_on, const KeepOfGrid& keep,
                             int ranks_per_node) {
  Pulse pulse(goes_on);
  const std::function<void()> often = std::ref(pulse);
  PlannedPatches planned(schema, n_ranks, patches, often);
  const HoldersOfGrid holders = [&](const Grid& grid, const FormatWriter& format) {
    return planned.flatten(grid, format);
  };
  const KeepOfGrid rules = [&](const Grid& grid) {
    std::vector<KeepRule> all = keep ? keep(grid) : std::vector<KeepRule>();
    for (KeepRule& rule : planned.rules_of(grid)) all.push_back(std::move(rule));
    return all;
  };
  return plan_or_end({schema, n_ranks, holders, options, rules, &planned, ranks_per_node}, pulse);
}

std::string PlanReport::to_string() const {
  const auto bytes = [](double count) { return bytes_to_text(count); };
  const auto count = [](double number) { return fmt::format("{:.6g}", number); };
  const auto row = [](const char* name, const OverRanks& amount, const auto& print) {
    return fmt::format("  {:<18}{:>12}{:>12}{:>12}\n", name, print(static_cast<double>(amount.min)),
                       print(amount.mean), print(static_cast<double>(amount.max)));
  };
  return fmt::format(
             "one step on {}: {} of data, {} stored ({:.3f} of the data) in {} and {} by {} in {}\n",
             count_of(ranks, "rank"), bytes(static_cast<double>(data_bytes)),
             bytes(static_cast<double>(stored_bytes)),
             data_bytes > 0 ? static_cast<double>(stored_bytes) / static_cast<double>(data_bytes) : 0.0,
             count_of(blocks, "block"), count_of(files, "file"), count_of(writers, "writer"),
             count_of(rounds, "round")) +
         patches_of_levels(*this) + kept_samples(*this) +
         fmt::format("{:<20}{:>12}{:>12}{:>12}\n", "per rank", "min", "mean", "max") +
         row("messages", messages, count) + row("senders per round", senders, count) +
         row("sent", sent_bytes, bytes) + row("written", written_bytes, bytes) +
         row("buffers", buffer_bytes, bytes) + restructuring(*this) + partition_traffic(*this) +
         histogram(message_sizes);
}

}  // namespace esker
