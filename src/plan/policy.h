// ExchangePolicy: the choices of how samples move between ranks, derived once from the options.
//
// The option `transport` names presets of three independent choices: which ranks reach each other directly
// (topology), by which calls (primitive), and how they wait for each other (synchronization).
#pragma once

#include <string>

#include "esker/types/options.hpp"
#include "esker/types/restructure.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Which ranks exchange samples through memory, and which through messages.
enum class Topology {
  kFlat,          ///< each pair of ranks separately
  kSharedMemory,  ///< ranks of a node fill each other's collective buffers; between nodes as kFlat
  kNodeLeaders,   ///< as kSharedMemory; between nodes one message per pair of nodes, by their leaders
};

/// The calls that move messages.
enum class Primitive { kSend, kPut, kGet };

/// How the ranks of a round wait for each other.
enum class Synchronization {
  kNone,   ///< by the messages themselves
  kPairs,  ///< each pair of ranks that exchange messages (post, start, complete, wait)
  kFence,  ///< all ranks; with kSend, the messages of a round are one MPI_Alltoallv
};

struct ExchangePolicy {
  Topology topology = Topology::kSharedMemory;
  Primitive primitive = Primitive::kSend;
  Synchronization synchronization = Synchronization::kNone;
  bool packs = true;             ///< messages are packed; false: derived datatypes describe the patches
  bool may_use_messages = true;  ///< kFlat is acceptable where a node has no shared memory
  /// kSharedMemory becomes kNodeLeaders if this many ranks of a node have messages for one other node; 0:
  /// never.
  int combine_from = 0;

  bool aggregate = true;  ///< two phases; false: each rank stores the samples that it holds
  int aggregators = 0;    ///< as requested; 0: by the amount of data
  AggregatorPlacement placement = AggregatorPlacement::kAuto;
  bool domains_of_layout = false;  ///< file domains are the layouts' shares (stripes, slabs)
  /// Pieces are stored one after the other, since their sizes are known only when they are compressed.
  bool in_file_order = false;
  int compress_threads = 1;  ///< of each rank, with in_file_order
  Restructure restructure;
  int max_fan_in = 0;
  int partitions = 0;  ///< 0: not divided
  Index memory_budget_bytes = 0;
  Index buffer_bytes = 0;      ///< of a collective buffer; 0: chosen
  int shared_slots = 8;        ///< collective buffers of a rank that others of its node fill, at most
  bool second_buffer = false;  ///< one is filled while another is stored, if the budget has room

  std::string fallback;  ///< the request that this machine cannot satisfy, and the reason

  /// Whether ranks of a node fill each other's collective buffers.
  [[nodiscard]] bool shares_memory() const { return aggregate && topology != Topology::kFlat; }
  /// Whether ranks put to, or get from, each other's memory.
  [[nodiscard]] bool is_one_sided() const { return aggregate && primitive != Primitive::kSend; }
};

/// Replaces Options::partitions by the number of partitions. `n_nodes`: 0 if unknown. Local, pure.
/// kInvalidArgument: more partitions than ranks, fewer aggregators than partitions, unknown nodes, or
/// aggregate=false.
Status settle_partitions(int n_ranks, int n_nodes, Options& options);

/// The number of aggregators that the options request; 0: not set.
int asked_aggregators(const Options& options, int n_ranks);

/// For writing on `n_ranks` ranks. Local, pure.
ExchangePolicy policy_for_writing(const Options& options, int n_ranks);

/// For collective reads: samples go directly from the ranks that load them to those that request them,
/// packed. Local, pure.
ExchangePolicy policy_for_reading(const Options& options, int n_ranks);

/// Falls back to no shared memory: ranks of a node exchange messages, too.
void use_messages(ExchangePolicy& policy, std::string why);

/// Falls back to packed messages where `transport=put_types` requested derived datatypes.
void use_packed_messages(ExchangePolicy& policy, std::string why);

/// Copies to `policy` the fallbacks of `used`, so that a choice that the machine lacks is not tried again.
void keep_fallback(ExchangePolicy&& used, ExchangePolicy& policy) noexcept;

/// The value of the option `transport` that names these choices, where messages are `combined` by node or
/// not; "none" where no samples move.
std::string transport_name(const ExchangePolicy& policy, bool combined, int n_ranks);

}  // namespace esker
