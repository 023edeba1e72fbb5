#include "tune/parameter_space.h"

#include <algorithm>
#include <array>

#include "model/option_table.h"
#include "model/option_text.h"

namespace esker {
namespace {

using Values = std::vector<std::string>;

/// In ascending order; the value in effect is "0", the choice of Esker.
template <class Print>
Values doublings(Index least, Index in_effect, Index most, const Print& print) {
  Values values;
  for (Index value = in_effect / 2; value >= least; value /= 2) values.insert(values.begin(), print(value));
  values.push_back("0");
  for (Index value = 2 * in_effect; value <= most; value *= 2) values.push_back(print(value));
  return values;
}

Values aggregators(const TuningFacts& facts, const Options& options) {
  if (facts.aggregators == 0) return {};
  const auto print = [](Index count) { return std::to_string(count); };
  const auto [unit, number] = options.partitions;
  const Index least = unit == Partitions::Unit::kPartitions ? std::max<Index>(number, 1) : 1;
  Values values = doublings(least, facts.aggregators, facts.ranks, print);
  const bool has_all = facts.aggregators == facts.ranks || values.back() == std::to_string(facts.ranks);
  if (!has_all) values.push_back(std::to_string(facts.ranks));
  return values;
}

Values collective_buffers(const TuningFacts& facts, const Options& options) {
  constexpr Index kLeast = Index{64} << 10;
  if (facts.buffer_bytes <= 0) return {};
  Index in_effect = kLeast;
  while (in_effect < facts.buffer_bytes) in_effect *= 2;
  return doublings(kLeast, in_effect, options.memory_budget_bytes / 4, print_size);
}

Values store_threads(const TuningFacts&, const Options& options) {
  const bool is_chosen = options.async || options.storage != Storage::kPosix;
  return is_chosen ? Values{} : Values{"auto", "true", "false"};
}

Values patterns(const TuningFacts& facts, const Options&) {
  if (!facts.shares_a_file || facts.compresses || facts.ranks == 1) return {};
  return facts.knows_stripes ? Values{"auto", "contiguous", "slabs", "stripes"}
                             : Values{"auto", "contiguous", "slabs"};
}

Values restructures(const TuningFacts& facts, const Options&) {
  return facts.ranks > 1 ? Values{"off", "default", "expanded"} : Values{};
}

Values placements(const TuningFacts& facts, const Options&) {
  return facts.ranks > 1 ? Values{"auto", "nodes", "ranks"} : Values{};
}

/// Ranks that write their own samples are not divided into partitions.
Values aggregates(const TuningFacts& facts, const Options& options) {
  return facts.may_write_alone && options.partitions.number == 0 ? Values{"auto", "true", "false"} : Values{};
}

Values compress_threads(const TuningFacts& facts, const Options&) {
  return facts.compresses ? Values{"0", "1", "2", "4"} : Values{};
}

/// At most 64 senders are never limited.
Values fan_ins(const TuningFacts& facts, const Options&) {
  constexpr int kNeverLimited = 64;
  return facts.ranks > kNeverLimited ? Values{"0", "16", "64", "256"} : Values{};
}

/// Reading packs messages, and has no leaders of nodes.
Values transports(const TuningFacts& facts, const Options&) {
  if (facts.ranks == 1 || facts.aggregators == 0) return {};
  if (facts.reads) return {"auto", "messages", "shared", "all_to_all", "put", "put_fence", "get"};
  return {"auto", "messages", "shared", "leaders", "all_to_all", "put", "put_fence", "get"};
}

Values aggregate_reads(const TuningFacts& facts, const Options&) {
  return facts.ranks > 1 ? Values{"auto", "true", "false"} : Values{};
}

/// Smaller and larger blocks; "0" is the size in effect.
Values bits_per_block(const TuningFacts& facts, const Options&) {
  constexpr int kMostMore = 2, kMostBits = 30;
  if (facts.bits_per_block == 0) return {};
  Values values;
  const int last = std::min(kMostBits, facts.bits_per_block + kMostMore);
  for (int bits = std::max(1, facts.bits_per_block - kMostMore); bits <= last; ++bits) {
    values.push_back(bits == facts.bits_per_block ? "0" : std::to_string(bits));
  }
  return values;
}

Values blocks_per_file(const TuningFacts& facts, const Options&) {
  constexpr Index kMostTimes = 4;
  if (facts.bits_per_block == 0) return {};
  const auto print = [](Index count) { return std::to_string(count); };
  const Index now = facts.blocks_per_file;
  return doublings(std::max<Index>(1, now / kMostTimes), now, now * kMostTimes, print);
}

Values partitions(const TuningFacts& facts, const Options&) {
  if (facts.bits_per_block == 0) return {};
  return doublings(2, 1, facts.ranks, [](Index count) { return std::to_string(count); });
}

Values orders_in_block(const TuningFacts& facts, const Options&) {
  return facts.bits_per_block > 0 ? Values{"row_major", "hz"} : Values{};
}

Values chunks(const TuningFacts& facts, const Options&) {
  return facts.has_chunks ? Values{"auto", "decomposition"} : Values{};
}

/// Without loss. In NetCDF-4, what every program reads.
Values compressions(const TuningFacts& facts, const Options&) {
  if (!facts.may_compress) return {};
  return facts.has_chunks ? Values{"none", "zip"} : Values{"none", "zip", "lz4", "zfp-reversible"};
}

Values any_value(const TuningFacts&, const Options&) { return {}; }

struct Row {
  std::string_view option;
  ChangeCost cost;
  Phase phase;
  int stride;  ///< see Axis; 0: not ordered
  Values (*values)(const TuningFacts&, const Options&);
  std::string_view constraint;
};

constexpr auto kPlan = ChangeCost::kPlan;
constexpr auto kWriter = ChangeCost::kNewWriter;
constexpr auto kFiles = ChangeCost::kNewFiles;

// clang-format off
constexpr std::array kTunable{
    Row{"aggregate_reads", kPlan, Phase::kBoth, 0, aggregate_reads, "of Reader, several ranks"},
    Row{"aggregators", kPlan, Phase::kBoth, 1, aggregators, "up to the number of ranks"},
    Row{"store_thread", kPlan, Phase::kStore, 0, store_threads, "not with storage=mpiio"},
    Row{"collective_buffer", kPlan, Phase::kStore, 3, collective_buffers, "at most a quarter of memory_budget"},
    Row{"transport", kPlan, Phase::kMove, 0, transports, "several ranks; shared, leaders: shared memory"},
    Row{"aggregator_placement", kPlan, Phase::kBoth, 0, placements, "several ranks"},
    Row{"restructure", kPlan, Phase::kMove, 0, restructures, "several ranks"},
    Row{"pattern", kPlan, Phase::kStore, 0, patterns, "a file of several ranks, not compressed"},
    Row{"aggregate", kPlan, Phase::kBoth, 0, aggregates, "false: not with checksums or compression"},
    Row{"compress_threads", kPlan, Phase::kStore, 0, compress_threads, "with compression"},
    Row{"max_fan_in", kPlan, Phase::kMove, 0, fan_ins, "more than 64 ranks"},
    Row{"partitions", kWriter, Phase::kBoth, 0, partitions, "IDX, up to the number of ranks"},
    Row{"memory_budget", kWriter, Phase::kBoth, 0, any_value, "a limit that the user sets"},
    Row{"storage", kWriter, Phase::kStore, 0, any_value, "mpiio needs MPI"},
    Row{"hints", kWriter, Phase::kStore, 0, any_value, "with storage=mpiio"},
    Row{"stripe_size", kWriter, Phase::kStore, 0, any_value, "a file of several ranks"},
    Row{"stripe_count", kWriter, Phase::kStore, 0, any_value, "a file of several ranks"},
    Row{"bits_per_block", kFiles, Phase::kBoth, 0, bits_per_block, "IDX"},
    Row{"blocks_per_file", kFiles, Phase::kBoth, 0, blocks_per_file, "IDX"},
    Row{"alignment", kFiles, Phase::kBoth, 0, any_value, ""},
    Row{"partition_index", kFiles, Phase::kBoth, 0, any_value, "IDX, with partitions"},
    Row{"in_block", kFiles, Phase::kBoth, 0, orders_in_block, "IDX"},
    Row{"chunks", kFiles, Phase::kBoth, 0, chunks, "NetCDF-4"},
    Row{"chunk_alignment", kFiles, Phase::kBoth, 0, any_value, "NetCDF-4"},
    Row{"compression", kFiles, Phase::kBoth, 0, compressions, "IDX and NetCDF-4; lossless"},
    Row{"checksums", kFiles, Phase::kBoth, 0, any_value, "IDX; without them damage is not found"},
};
// clang-format on

bool is_set(const Options& options, std::string_view option) {
  const std::vector<Options::Entry> entries = options.entries();
  const auto entry = std::ranges::find(entries, option, &Options::Entry::name);
  return entry->source != "built-in";
}

}  // namespace

std::string to_string(ChangeCost cost) {
  switch (cost) {
    case ChangeCost::kPlan:
      return "a new plan";
    case ChangeCost::kNewWriter:
      return "closing and appending";
    case ChangeCost::kNewFiles:
      return "a new dataset";
  }
  return {};
}

std::vector<TunableOption> tunable_options(const TuningFacts& facts, const Options& options) {
  std::vector<TunableOption> all;
  for (const Row& row : kTunable) {
    const bool is_fixed = is_set(options, row.option);
    all.push_back({std::string(row.option), find_option(row.option)->print(options), row.cost,
                   is_fixed ? Values() : row.values(facts, options), std::string(row.constraint), is_fixed});
  }
  return all;
}

bool may_change_between_steps(std::string_view option) {
  return std::ranges::any_of(
      kTunable, [&](const Row& row) { return row.option == option && row.cost == ChangeCost::kPlan; });
}

namespace {

/// Options that change how ranks read together; the first one does nothing else.
constexpr std::array<std::string_view, 4> kOfReading{"aggregate_reads", "aggregators", "collective_buffer",
                                                     "transport"};

bool is_used(std::string_view option, bool reads) {
  return reads ? std::ranges::find(kOfReading, option) != kOfReading.end() : option != kOfReading.front();
}

}  // namespace

std::vector<Axis> axes_of(const TuningFacts& facts, const Options& options) {
  std::vector<Axis> axes;
  for (const Row& row : kTunable) {
    if (row.cost != ChangeCost::kPlan || is_set(options, row.option)) continue;
    if (!is_used(row.option, facts.reads)) continue;
    Axis axis{std::string(row.option), row.values(facts, options), 0, row.stride, row.phase};
    if (axis.values.size() < 2) continue;
    const auto configured = std::ranges::find(axis.values, find_option(row.option)->print(options));
    axis.start = static_cast<std::size_t>(configured - axis.values.begin());
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace esker
