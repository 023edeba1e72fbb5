// ExchangePolicy: how samples are to move between ranks, decided once from the options.
//
// The option `transport` names presets of three independent choices: which ranks reach each other directly
// (topology), by which calls (primitive), and how they wait for each other (synchronization).
#pragma once

#include <string>

#include "esker/options.hpp"
#include "esker/restructure.hpp"
#include "esker/status.hpp"

namespace esker {

/// Which ranks exchange samples through memory, and which by messages.
enum class Topology {
  kFlat,          ///< each pair of ranks for itself
  kSharedMemory,  ///< ranks of a node fill each other's collective buffers; between nodes as kFlat
  kNodeLeaders,   ///< as kSharedMemory; between nodes one message per pair of nodes, by their leaders
};

/// The calls that messages are moved by.
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
  bool packs = true;             ///< messages are packed; false: derived datatypes take samples from the patches
  bool may_use_messages = true;  ///< kFlat is good, too, where a node has no memory to share
  /// kSharedMemory becomes kNodeLeaders where so many ranks of a node have messages for one other node; 0:
  /// never.
  int combine_from = 0;

  bool aggregate = true;  ///< two phases; false: each rank stores the samples that it holds
  int aggregators = 0;    ///< as asked for; 0: by the amount of data
  AggregatorPlacement placement = AggregatorPlacement::kAuto;
  bool domains_of_layout = false;  ///< file domains are the layouts' shares (stripes, slabs), whoever holds them
  Restructure restructure;
  int max_fan_in = 0;
  Index memory_budget_bytes = 0;
  Index window_bytes = 0;      ///< of a collective buffer; 0: chosen
  int shared_slots = 8;        ///< collective buffers of a rank that others of its node fill in turn, at most
  bool second_window = false;  ///< one is filled while another is stored, if the budget has room

  std::string fallback;  ///< what was asked for and cannot be had on this machine, and why

  /// Whether ranks of a node fill each other's collective buffers.
  [[nodiscard]] bool shares_memory() const { return aggregate && topology != Topology::kFlat; }
  /// Whether ranks put to, or get from, each other's memory.
  [[nodiscard]] bool is_one_sided() const { return aggregate && primitive != Primitive::kSend; }
};

/// kInvalidArgument where the options say twice how many ranks aggregate.
Status check_aggregators(const Options& options);

/// Ranks that aggregate, as the options ask for; 0: they leave it open.
int asked_aggregators(const Options& options, int n_ranks);

/// For writing on `n_ranks` ranks. Local, pure.
ExchangePolicy policy_for_writing(const Options& options, int n_ranks);

/// For reading together: samples go straight from those who load them to those who want them, packed. Local,
/// pure.
ExchangePolicy policy_for_reading(const Options& options, int n_ranks);

/// Without shared memory: ranks of a node send messages, too.
void use_messages(ExchangePolicy& policy, std::string why);

/// Messages are packed, though `transport=put_types` asked for derived datatypes.
void use_packed_messages(ExchangePolicy& policy, std::string why);

/// Makes `policy` what `used` became where the machine lacked what was asked for, so that it is not tried
/// again.
void keep_fallback(const ExchangePolicy& used, ExchangePolicy& policy);

/// The value of the option `transport` that stands for these choices, where messages are `combined` by node
/// or not; "none" where no samples move.
std::string transport_name(const ExchangePolicy& policy, bool combined, int n_ranks);

}  // namespace esker
