#include "exchange/prepare.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "exchange/delivery.h"
#include "exchange/node_items.h"
#include "exchange/placement.h"
#include "exchange/transports/make.h"
#include "plan/plan_memory.h"
#include "plan/step_cut.h"

namespace esker {
namespace {

/// The maximum over all ranks.
StepCut::Needs most_of_all(Comm& comm, const StepCut::Needs& mine) {
  std::array<std::uint64_t, 3> most{static_cast<std::uint64_t>(mine.total_bytes()),
                                    static_cast<std::uint64_t>(mine.plan_bytes),
                                    static_cast<std::uint64_t>(mine.largest_part_bytes)};
  comm.all_reduce_max(most);
  const auto plan_bytes = static_cast<Index>(most[1]);
  return {static_cast<Index>(most[0]) - plan_bytes, plan_bytes, static_cast<Index>(most[2])};
}

/// Prepares one exchange under one policy.
class Preparation {
 public:
  Preparation(Comm& comm, const ExchangeInputs& inputs, const ExchangePolicy& policy,
              ExchangeBuffers& buffers, Prepared& prepared)
      : comm_(comm), inputs_(inputs), policy_(policy), buffers_(buffers), prepared_(prepared) {}

  Status make() {
    ESKER_ASSIGN_OR_RETURN(const Placement placement,
                           place_aggregators(comm_, inputs_.space, inputs_.fields, policy_));
    ESKER_RETURN_IF_ERROR(fit_to_budget(placement));
    ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
      std::shared_ptr<const RankGroup> group;
      const bool is_divided = placement.partitions && placement.partitions->cut.num_partitions() > 1;
      if (is_divided && waits_for_all(policy_, comm_.size())) {
        group = partition_of_this_rank(*placement.partitions);
      }
      prepared_.transport =
          make_message_transport(policy_, prepared_.plan.node.used, comm_.size(), std::move(group));
      add_buffer();
      explain();
      comm_.reserve_transfers(prepared_.plan.num_sends, prepared_.plan.num_receives);
      return Status();
    }));
    return reserve();
  }

 private:
  Status fit_to_budget(const Placement& placement) {
    std::optional<StepCut> cut;
    ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
      const std::span<const int> near = policy_.shares_memory() ? comm_.node_ranks() : std::span<const int>();
      cut.emplace(inputs_.space, policy_, comm_.size(), near, placement);
      relays_ = cut->relays(inputs_.fields);
      return Status();
    }));
    const auto shrink = [&](const auto& action) {
      return all_do(comm_, "plan", [&] {
        ESKER_RETURN_IF_ERROR(action());
        relays_ = cut->relays(inputs_.fields);
        return Status();
      });
    };
    ESKER_RETURN_IF_ERROR(cut->fit(shrink, [&] { return try_cut(*cut); }));
    if (!inputs_.keeps_ownership) return {};
    return all_do(comm_, "plan", [&] {
      prepared_.ownership = cut->ownership();
      return Status();
    });
  }

  /// Requests the boxes that this rank must know from the directory, and makes its plan.
  Result<StepCut::Needs> try_cut(const StepCut& cut) {
    ESKER_RETURN_IF_ERROR(inputs_.directory.learn([&](const VisitRegion& visit) {
      cut.for_each_region_to_know(comm_.rank(), inputs_.fields, *relays_, visit);
    }));
    ESKER_RETURN_IF_ERROR(all_do(comm_, "plan", [&] {
      Plan plan = cut.plan_of(comm_.rank(), inputs_.fields, *relays_);
      prepared_.plan =
          inputs_.direction == Direction::kFromFiles ? reversed(std::move(plan)) : std::move(plan);
      prepared_.num_aggregators = cut.ownership().num_aggregators();
      prepared_.num_writers = cut.num_writers(inputs_.directory.num_holders());
      return Status();
    }));
    ESKER_RETURN_IF_ERROR(combine_messages());
    StepCut::Needs needs = StepCut::needs_of(prepared_.plan);
    needs.plan_bytes += inputs_.held_bytes;
    return most_of_all(comm_, needs);
  }

  /// Makes node leaders combine the messages of their nodes where the policy asks for it.
  Status combine_messages() {
    if (!prepared_.plan.shares_buffers) return {};
    const bool always = policy_.topology == Topology::kNodeLeaders;
    if (!always && policy_.combine_from == 0) return {};
    return combine_by_node(comm_, prepared_.plan, always ? 0 : policy_.combine_from);
  }

  /// Adds a second buffer, filled while the first one is stored, if it is requested and the budget has room.
  void add_buffer() {
    Plan& plan = prepared_.plan;
    const Index needed = plan.total_buffer_bytes() + with_room_to_align(plan.buffer_bytes) + memory_of(plan) +
                         inputs_.held_bytes;
    const bool fits = needed <= policy_.memory_budget_bytes;
    if (policy_.second_buffer && fits && plan.rounds.size() > 1) plan.num_buffers = 2;
  }

  /// Collective. Communicates before it can throw.
  [[nodiscard]] std::shared_ptr<const RankGroup> partition_of_this_rank(const PartitionedRanks& partitions) {
    const int mine = partitions.of_rank[static_cast<std::size_t>(comm_.rank())];
    RankGroup group{comm_.split(mine, comm_.rank()), {}};
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (partitions.of_rank[static_cast<std::size_t>(rank)] == mine) group.ranks.push_back(rank);
    }
    return std::make_shared<const RankGroup>(std::move(group));
  }

  void explain() {
    const Plan& plan = prepared_.plan;
    prepared_.used = transport_name(policy_, plan.node.used, comm_.size());
    prepared_.reason = policy_.fallback;
    if (!policy_.shares_memory()) return;
    const bool is_one_node = comm_.node().size() == comm_.size();
    prepared_.reason = fmt::format("shared memory: {}, collective buffers of {} fit",
                                   is_one_node ? "all ranks are on one node" : "within each node",
                                   bytes_to_text(static_cast<double>(plan.shared_buffer_bytes)));
  }

  /// Reserves the buffers that the run of the plan needs, in addition to those of earlier plans.
  Status reserve() {
    const Plan& plan = prepared_.plan;
    const bool exposes = prepared_.transport->is_one_sided() && inputs_.direction == Direction::kToFiles;
    free_what_exceeds_budget();
    ESKER_RETURN_IF_ERROR(exposes ? buffers_.reserve_exposed(comm_, plan)
                                  : all_do(comm_, "plan", [&] { return buffers_.reserve(comm_, plan); }));
    return prepared_.transport->prepare(comm_, plan);
  }

  /// Buffers of earlier plans, with other options or of other fields, could exceed the budget together with
  /// those of this one: then all are freed, and earlier plans no longer fit. Collective.
  void free_what_exceeds_budget() {
    const Index bytes =
        buffers_.size_bytes_with(prepared_.plan) + memory_of(prepared_.plan) + inputs_.held_bytes;
    std::array<std::uint64_t, 1> any_exceeds{bytes > policy_.memory_budget_bytes ? 1u : 0u};
    comm_.all_reduce_max(any_exceeds);
    if (any_exceeds[0] != 0) buffers_.release();
  }

  Comm& comm_;
  const ExchangeInputs& inputs_;
  const ExchangePolicy& policy_;
  ExchangeBuffers& buffers_;
  Prepared& prepared_;
  std::optional<Relays> relays_;  // with the current cut
};

/// If derived datatypes are wrong on any rank, all ranks send packed messages.
Status check_datatypes(Comm& comm, ExchangePolicy& policy) {
  if (policy.packs) return {};
  Status found;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    found = comm.check_put_sources();
    return Status();
  }));
  const Status agreed = agree(comm, found);
  if (agreed.ok()) return {};
  return all_do(comm, "plan", [&] {
    use_packed_messages(policy, agreed.message());
    return Status();
  });
}

}  // namespace

Status prepare(Comm& comm, const ExchangeInputs& inputs, ExchangePolicy& policy, ExchangeBuffers& buffers,
               Prepared& prepared) {
  ESKER_RETURN_IF_ERROR(check_datatypes(comm, policy));
  if (policy.shares_memory()) {
    Status shared = Preparation(comm, inputs, policy, buffers, prepared).make();
    if (shared.ok() || !policy.may_use_messages) return shared;
    buffers.release_shared();
    ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
      use_messages(policy, shared.message());
      return Status();
    }));
  }
  return Preparation(comm, inputs, policy, buffers, prepared).make();
}

}  // namespace esker
