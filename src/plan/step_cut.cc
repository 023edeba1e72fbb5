#include "plan/step_cut.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/max_part.h"
#include "plan/partition_ranks.h"
#include "plan/plan_memory.h"

namespace esker {
namespace {

// A buffer of this size stays in a core's cache while it is filled and stored, together with its neighboring
// buffers and those of another rank. With 512 KiB the ice sheet writes IDX at 0.9 of the speed.
constexpr Index kCachedBufferBytes = Index{256} << 10;
// The ranks of a group wait for each other once per buffer, and several threads compress its pieces.
constexpr Index kCompressedBufferBytes = Index{2} << 20;
// Where no rank waits for others, a thread needs only a few pieces: buffers that stay in the cache.
constexpr Index kBufferBytesOfThread = Index{512} << 10;

Index max_part() { return static_cast<Index>(max_part_bytes()); }

/// The initial buffer. A buffer that receives no messages is small, to stay in a core's cache.
Index largest_buffer_bytes(const ExchangePolicy& policy, int n_aggregators, const PieceSpace& space,
                           Index least_bytes, bool has_messages) {
  const Index largest_share = 2 * div_up(space.stored_bytes(), n_aggregators);  // cuts move to ends of files
  const Index near_bytes = policy.in_file_order ? kCompressedBufferBytes : kCachedBufferBytes;
  const Index num_parts = policy.in_file_order ? 4 : 3;  // send, receive, collect, and compress
  const Index chosen = has_messages ? policy.memory_budget_bytes / num_parts : near_bytes;
  const Index wanted = policy.buffer_bytes > 0 ? policy.buffer_bytes : chosen;
  return std::clamp(std::min(wanted, largest_share), least_bytes, std::max(least_bytes, max_part() / 2));
}

/// All bricks on one rank.
Placement whole_placement(const PieceSpace& space) {
  Placement placement{{0}, {}};
  for (int number = 0; number < space.num_layouts(); ++number) {
    const Box domain = space.layout(number).domain();
    placement.bricks.push_back(bricks_like(domain, domain.hi, 1));
  }
  return placement;
}

Ownership cut_ownership(const ExchangePolicy& policy, int n_ranks, const PieceSpace& space, Index least_bytes,
                        bool is_shared, const Placement& placement) {
  const bool has_messages = n_ranks > 1 && !is_shared;
  const int n_aggregators = num_aggregators(policy, n_ranks, space);
  const Index buffer_bytes = largest_buffer_bytes(policy, n_aggregators, space, least_bytes, has_messages);
  const auto order = policy.in_file_order ? Ownership::Order::kOfFiles : Ownership::Order::kAny;
  if (n_ranks == 1 && !policy.in_file_order) return {space, n_ranks, whole_placement(space), buffer_bytes};
  Ownership ownership = placement.ranks.empty()
                            ? Ownership(space, n_ranks, n_aggregators, buffer_bytes, order)
                            : Ownership(space, n_ranks, placement, buffer_bytes, order);
  if (policy.in_file_order && !has_messages && policy.buffer_bytes == 0 && ownership.largest_group() == 1) {
    const Index of_threads = policy.compress_threads * kBufferBytesOfThread;
    ownership.set_buffer_bytes(std::clamp(of_threads, least_bytes, buffer_bytes));
  }
  return ownership;
}

}  // namespace

// With one phase aggregators only complete files.
int num_aggregators(const ExchangePolicy& policy, int n_ranks, const PieceSpace& space) {
  if (!policy.aggregate) return n_ranks;
  const int n = policy.aggregators > 0 ? policy.aggregators : choose_aggregators(n_ranks, space);
  if (policy.partitions == 0) return n;
  return std::clamp(n / policy.partitions, 1, n_ranks / policy.partitions) * policy.partitions;
}

StepCut::StepCut(const PieceSpace& space, const ExchangePolicy& policy, int n_ranks,
                 std::span<const int> near, const Placement& placement)
    : space_(space),
      policy_(policy),
      n_ranks_(n_ranks),
      near_(near),
      num_slots_(near.empty() ? 1 : policy.shared_slots),
      least_bytes_(std::max<Index>(1, space.largest_piece_bytes())),
      ownership_(cut_ownership(policy, n_ranks, space, least_bytes_, !near.empty(), placement)) {}

Relays StepCut::relays(const std::vector<FieldPatches>& fields) const {
  return {space_, ownership_, fields, n_ranks_, {policy_.restructure, policy_.max_fan_in}};
}

Plan StepCut::plan_of(int rank, const std::vector<FieldPatches>& fields, const Relays& relays) const {
  if (!policy_.aggregate) {
    return make_one_phase_plan(space_, ownership_, fields, rank, ownership_.buffer_bytes());
  }
  Plan plan = make_plan(space_, ownership_, fields, relays, rank);
  if (!policy_.packs) keep_relayed_apart(plan);
  if (!near_.empty()) place_near(plan, near_, num_slots_);
  if (ownership_.partitions()) count_partition_traffic(space_, ownership_, rank, plan);
  return plan;
}

void StepCut::for_each_region_to_know(int rank, const std::vector<FieldPatches>& fields, const Relays& relays,
                                      const VisitRegion& visit) const {
  if (!policy_.aggregate) return;  // a rank needs only its own boxes
  esker::for_each_region_to_know(space_, ownership_, fields, relays, rank, visit);
}

StepCut::Needs StepCut::needs_of(const std::vector<RankTraffic>& ranks) {
  Needs most;
  Plan plan;
  for (const RankTraffic& rank : ranks) {
    plan.send_bytes = rank.send_bytes;
    plan.receive_bytes = rank.receive_bytes;
    plan.buffer_bytes = rank.buffer_bytes;
    plan.compressed_bytes = rank.compressed_bytes;
    const Needs needs = needs_of(plan);
    most.buffer_bytes = std::max(most.buffer_bytes, needs.buffer_bytes);
    most.largest_part_bytes = std::max(most.largest_part_bytes, needs.largest_part_bytes);
  }
  return most;
}

StepCut::Needs StepCut::needs_of(const Plan& plan) {
  return {plan.total_buffer_bytes(), memory_of(plan),
          std::max({plan.send_bytes, plan.receive_bytes, plan.buffer_bytes, plan.shared_buffer_bytes,
                    plan.node.largest_bytes})};
}

bool StepCut::fits(const Needs& needs) const {
  return needs.total_bytes() <= policy_.memory_budget_bytes && needs.largest_part_bytes <= max_part();
}

bool StepCut::shrink() {
  if (ownership_.buffer_bytes() > least_bytes_) {
    ownership_.set_buffer_bytes(std::max(least_bytes_, ownership_.buffer_bytes() / 2));
    return true;
  }
  num_slots_ /= 2;
  return num_slots_ > 0;
}

Status StepCut::does_not_fit(const Needs& needs) const {
  return error(Code::kOutOfMemory,
               "memory_budget {} bytes: one piece at a time needs {} bytes on some rank, {} of them for the "
               "plan; set memory_budget to at least that, or use smaller blocks or chunks, or fewer patches",
               policy_.memory_budget_bytes, needs.total_bytes(), needs.plan_bytes);
}

}  // namespace esker
