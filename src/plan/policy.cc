#include "plan/policy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"

namespace esker {
namespace {

// With `auto`, leaders combine the messages of a node for another if it has at least this many senders.
constexpr int kManySenders = 9;

// The number of collective buffers per rank that ranks of a node read from. These are larger than the buffers
// for writing, and a node's shared memory is limited.
constexpr int kSlotsForReading = 4;

struct Preset {
  Transport transport;
  std::string_view name;
  Topology topology;
  Primitive primitive;
  Synchronization synchronization;
  bool packs = true;
};

using Sync = Synchronization;

// clang-format off
constexpr std::array kPresets{
    Preset{Transport::kMessages, "messages",   Topology::kFlat,         Primitive::kSend, Sync::kNone},
    Preset{Transport::kShared,   "shared",     Topology::kSharedMemory, Primitive::kSend, Sync::kNone},
    Preset{Transport::kLeaders,  "leaders",    Topology::kNodeLeaders,  Primitive::kSend, Sync::kNone},
    Preset{Transport::kAllToAll, "all_to_all", Topology::kFlat,         Primitive::kSend, Sync::kFence},
    Preset{Transport::kPut,      "put",        Topology::kFlat,         Primitive::kPut,  Sync::kPairs},
    Preset{Transport::kPutFence, "put_fence",  Topology::kFlat,         Primitive::kPut,  Sync::kFence},
    Preset{Transport::kPutTypes, "put_types",  Topology::kFlat,         Primitive::kPut,  Sync::kFence, false},
    Preset{Transport::kGet,      "get",        Topology::kFlat,         Primitive::kGet,  Sync::kPairs},
};
// clang-format on

/// `auto` is shared memory, with node leaders where many ranks would send, and messages where it is
/// unavailable.
const Preset& preset_of(Transport transport) {
  const Transport wanted = transport == Transport::kAuto ? Transport::kShared : transport;
  return *std::find_if(kPresets.begin(), kPresets.end(),
                       [&](const Preset& preset) { return preset.transport == wanted; });
}

ExchangePolicy policy_of(const Options& options, int n_ranks) {
  const Preset& preset = preset_of(options.transport);
  ExchangePolicy policy;
  policy.topology = n_ranks == 1 ? Topology::kFlat : preset.topology;
  policy.primitive = preset.primitive;
  policy.synchronization = preset.synchronization;
  policy.packs = preset.packs;
  policy.may_use_messages = options.transport == Transport::kAuto;
  policy.combine_from = options.transport == Transport::kAuto ? kManySenders : 0;
  policy.aggregators = asked_aggregators(options, n_ranks);
  policy.memory_budget_bytes = options.memory_budget_bytes;
  policy.buffer_bytes = options.collective_buffer_bytes;
  policy.compress_threads = std::max(1, options.compress_threads);
  return policy;
}

/// Whether partitions are files without their own ranks: with partition_index=local, in other formats than
/// IDX.
bool has_parts(const Options& options) {
  const bool is_idx = options.format.ends_with("idx") || options.format == "auto";
  return !is_idx && options.partition_index == PartitionIndex::kLocal;
}

}  // namespace

Status settle_partitions(int n_ranks, int n_nodes, Options& options) {
  const Partitions given = options.partitions;
  const bool is_hybrid = options.partition_index == PartitionIndex::kHybrid;
  const bool is_local = options.partition_index == PartitionIndex::kLocal;
  if (given.number == 0 && (is_hybrid || is_local)) {
    return error(Code::kInvalidArgument, "partition_index={} without partitions; set partitions to a {}",
                 is_hybrid ? "hybrid" : "local", is_hybrid ? "power of two" : "number of partitions");
  }
  if (given.number == 0) return {};
  Index n = given.number;
  if (given.unit == Partitions::Unit::kRanks) n = div_up(n_ranks, given.number);
  if (given.unit == Partitions::Unit::kNodes) {
    if (n_nodes == 0) {
      return error(
          Code::kInvalidArgument,
          "partitions=nodes:{}: the nodes are unknown here; set a number of partitions, or size:K for "
          "K ranks in each",
          given.number);
    }
    n = div_up(n_nodes, given.number);
  }
  if (n > n_ranks && !has_parts(options)) {
    return error(Code::kInvalidArgument,
                 "partitions={}: there are only {} ranks, and each partition needs one; set partitions to at "
                 "most {}",
                 n, n_ranks, n_ranks);
  }
  if (is_hybrid && !std::has_single_bit(static_cast<std::uint64_t>(n))) {
    const auto below = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(n)));
    return error(
        Code::kInvalidArgument,
        "partition_index=hybrid divides the grid into equal bricks, a power of two; {} partitions are "
        "set: set partitions={}, or partition_index=global or local",
        n, below);
  }
  if (!options.aggregate.value_or(true)) {
    return error(Code::kInvalidArgument,
                 "partitions={} and aggregate=false: ranks that write their own samples are not divided; set "
                 "one of them",
                 n);
  }
  if (const int asked = asked_aggregators(options, n_ranks); asked > 0 && asked < n && !has_parts(options)) {
    return error(
        Code::kInvalidArgument,
        "partitions={}: each needs an aggregator, but only {} are set; set aggregators to at least {}", n,
        asked, n);
  }
  options.partitions = {Partitions::Unit::kPartitions, n};
  return {};
}

int asked_aggregators(const Options& options, int n_ranks) { return std::min(options.aggregators, n_ranks); }

ExchangePolicy policy_for_writing(const Options& options, int n_ranks) {
  ExchangePolicy policy = policy_of(options, n_ranks);
  policy.aggregate = options.aggregate.value_or(true);
  policy.placement = options.aggregator_placement;
  policy.restructure = options.restructure;
  policy.max_fan_in = options.max_fan_in;
  policy.partitions = static_cast<int>(options.partitions.number);
  policy.second_buffer = options.storage == Storage::kPosix && options.store_thread.value_or(false);
  return policy;
}

ExchangePolicy policy_for_reading(const Options& options, int n_ranks) {
  ExchangePolicy policy = policy_of(options, n_ranks);
  policy.packs = true;
  if (policy.topology == Topology::kNodeLeaders) policy.topology = Topology::kSharedMemory;
  policy.combine_from = 0;
  policy.placement = AggregatorPlacement::kRanks;
  policy.max_fan_in = n_ranks;
  policy.shared_slots = kSlotsForReading;
  return policy;
}

void use_messages(ExchangePolicy& policy, std::string why) {
  policy.topology = Topology::kFlat;
  policy.fallback = "not shared: " + std::move(why);
}

void use_packed_messages(ExchangePolicy& policy, std::string why) {
  policy.packs = true;
  policy.fallback = "not put_types: " + std::move(why);
}

void keep_fallback(ExchangePolicy&& used, ExchangePolicy& policy) noexcept {
  policy.topology = used.topology;
  policy.packs = used.packs;
  policy.fallback = std::move(used.fallback);
}

std::string transport_name(const ExchangePolicy& policy, bool combined, int n_ranks) {
  if (!policy.aggregate || n_ranks == 1) return "none";
  const Topology topology = combined ? Topology::kNodeLeaders : policy.topology;
  const auto* preset = std::find_if(kPresets.begin(), kPresets.end(), [&](const Preset& candidate) {
    return candidate.topology == topology && candidate.primitive == policy.primitive &&
           candidate.synchronization == policy.synchronization && candidate.packs == policy.packs;
  });
  return preset == kPresets.end() ? "mixed" : std::string(preset->name);
}

}  // namespace esker
