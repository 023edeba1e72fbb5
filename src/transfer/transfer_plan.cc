#include "transfer/transfer_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/list_groups.h"
#include "plan/plan_memory.h"
#include "plan/step_cut.h"

namespace esker {
namespace {

int slowest_axis(const FileArray& array) { return array.rank - 1; }

Index bytes_of_plane(const FileArray& array) {
  Index bytes = array.sample_bytes();
  for (int a = 0; a < slowest_axis(array); ++a) bytes *= array.extent[static_cast<std::size_t>(a)];
  return bytes;
}

/// A box in indices that begin at `first` along one axis.
Box shifted(Box box, int axis, Index first) {
  box.lo[static_cast<std::size_t>(axis)] -= first;
  box.hi[static_cast<std::size_t>(axis)] -= first;
  return box;
}

/// The samples of a box that lies in that of a patch.
Patch part_of(const Patch& patch, const Box& box) {
  Patch part = patch;
  part.box = box;
  const auto* data = static_cast<const std::byte*>(patch.data);
  for (int a = 0; a < box.rank; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    data += (box.lo[axis] - patch.box.lo[axis]) * patch.stride_bytes[axis];
  }
  part.data = data;
  return part;
}

}  // namespace

Result<std::unique_ptr<TransferPlan>> TransferPlan::make(Comm& comm, const std::vector<FileArray>& arrays,
                                                         std::span<const ArrayPatch> mine,
                                                         const Limits& limits, ExchangePolicy& policy,
                                                         ExchangeBuffers& buffers) {
  std::unique_ptr<TransferPlan> plan;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    plan = std::make_unique<TransferPlan>();
    plan->arrays_ = arrays;
    for (const ArrayPatch& each : mine) plan->boxes_.emplace_back(each.array, each.patch.box);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const auto extents, plan->bound(comm, mine));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    plan->lay_out(extents, mine);
    return Status();
  }));
  if (plan->is_empty()) return plan;
  ESKER_RETURN_IF_ERROR(plan->share(comm));
  const ExchangeInputs inputs{plan->space_, *plan->directory_, plan->fields_, Direction::kToFiles,
                              plan->bytes_of_lists() + limits.kept_bytes};
  ExchangePolicy used;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    used = policy;
    if (used.aggregators == 0 && limits.most_writers > 0) {
      used.aggregators = std::min(limits.most_writers, num_aggregators(used, comm.size(), plan->space_));
    }
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(prepare(comm, inputs, used, buffers, plan->exchange_));
  keep_fallback(std::move(used), policy);
  ESKER_RETURN_IF_ERROR(plan->learn_gaps());
  return plan;
}

Result<std::vector<TransferPlan::Extent>> TransferPlan::bound(Comm& comm,
                                                              std::span<const ArrayPatch> mine) const {
  std::vector<std::uint64_t> most;  // of each array: the highest index, and the lowest as its complement
  std::vector<Extent> extents;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    most.resize(2 * arrays_.size());
    extents.resize(arrays_.size());
    for (const ArrayPatch& each : mine) {
      if (each.patch.box.empty()) continue;
      const auto axis = static_cast<std::size_t>(slowest_axis(arrays_[static_cast<std::size_t>(each.array)]));
      std::uint64_t* of_array = &most[2 * static_cast<std::size_t>(each.array)];
      of_array[0] = std::max(of_array[0], static_cast<std::uint64_t>(each.patch.box.hi[axis]));
      of_array[1] = std::max(of_array[1], ~static_cast<std::uint64_t>(each.patch.box.lo[axis]));
    }
    return Status();
  }));
  comm.all_reduce_max(most);
  for (std::size_t n = 0; n < extents.size(); ++n) {
    if (most[2 * n] > 0) extents[n] = {static_cast<Index>(~most[2 * n + 1]), static_cast<Index>(most[2 * n])};
  }
  return extents;
}

void TransferPlan::lay_out(const std::vector<Extent>& extents, std::span<const ArrayPatch> mine) {
  std::vector<int> part_of_array(arrays_.size(), -1);
  for (std::size_t n = 0; n < arrays_.size(); ++n) {
    const FileArray& array = arrays_[n];
    const Extent& extent = extents[n];
    if (extent.hi == extent.lo) continue;
    Point of_part = array.extent;
    of_part[static_cast<std::size_t>(slowest_axis(array))] = extent.hi - extent.lo;
    part_of_array[n] = static_cast<int>(parts_.size());
    parts_.emplace_back().array = static_cast<int>(n);
    parts_.back().first_byte = extent.lo * bytes_of_plane(array);
    lists_.push_back({Box::from_extent(array.rank, of_part), {}, true});
    const ChunkedLayout::Tiles tiles{within_a_call(kTileBytes), 0, false};
    layouts_.push_back(std::make_unique<ChunkedLayout>(array.rank, of_part, array.sample_bytes(),
                                                       ChunkedLayout::Shape{of_part}, 0, tiles));
    space_.add(*layouts_.back());
  }
  for (std::size_t m = 0; m < mine.size(); ++m) {
    const auto array = static_cast<std::size_t>(mine[m].array);
    if (mine[m].patch.box.empty()) continue;
    const auto part = static_cast<std::size_t>(part_of_array[array]);
    lists_[part].boxes.push_back(shifted(mine[m].patch.box, slowest_axis(arrays_[array]), extents[array].lo));
    parts_[part].first_of_array.push_back(static_cast<int>(m));
  }
}

/// Parts of one shape that all ranks bring in the same boxes share a list.
Status TransferPlan::share(Comm& comm) {
  std::vector<int> grids;
  std::vector<std::vector<Box>> boxes;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    std::vector<Box> domains;
    for (const BoxList& list : lists_) {
      const auto known = std::find(domains.begin(), domains.end(), list.domain);
      grids.push_back(static_cast<int>(known - domains.begin()));
      if (known == domains.end()) domains.push_back(list.domain);
      boxes.push_back(list.boxes);
    }
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const ListGroups groups, group_lists(comm, grids, boxes));
  std::vector<BoxList> lists;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for (const int first : groups.first_field)
      lists.push_back(std::move(lists_[static_cast<std::size_t>(first)]));
    lists_.clear();
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(Claims claims, share_claims(comm, lists));
  directory_ = std::move(claims.directory);
  return all_do(comm, "plan", [&] {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto list = static_cast<std::size_t>(groups.list_of[p]);
      parts_[p].claims = claims.mine[list];
      parts_[p].holders = directory_->lists()[list];
      fields_.push_back({static_cast<int>(p), 0, parts_[p].holders});
    }
    return Status();
  });
}

/// An aggregator must know who holds what in pieces that are not covered.
Status TransferPlan::learn_gaps() {
  return directory_->learn([&](const VisitRegion& visit) {
    for (const Round& round : exchange_.plan.rounds) {
      for (const PaddedPiece& padded : round.content.padded) {
        const Index position = round.content.begin + padded.offset_bytes;
        const int number = space_.layout_at(position);
        const Piece piece = space_.piece(space_.first_piece_from(position));
        most_masked_samples_ = std::max(most_masked_samples_, piece.size_bytes / piece.sample_bytes);
        const Layout& layout = space_.layout(number);
        for (int n = 0; n < piece.num_parts; ++n) {
          const Box region = intersect(layout.part(piece, n).lattice.bounds(), layout.domain());
          visit(*parts_[static_cast<std::size_t>(number)].holders, region);
        }
      }
    }
  });
}

/// Of this rank's boxes: as they were brought, claimed and will be taken; and of what masks may need.
Index TransferPlan::bytes_of_lists() const {
  Index n_claims = 0;
  for (const Part& part : parts_) n_claims += std::ssize(part.claims);
  return std::ssize(boxes_) * static_cast<Index>(sizeof(boxes_[0]) + sizeof(int)) +
         n_claims * static_cast<Index>(sizeof(Claim) + sizeof(Patch)) + 2 * space_.largest_piece_bytes();
}

Index TransferPlan::size_bytes() const {
  if (is_empty()) return std::ssize(boxes_) * static_cast<Index>(sizeof(boxes_[0]));
  Index bytes = bytes_of_lists() + memory_of(exchange_.plan);
  for (const auto& list : directory_->lists()) {
    bytes += list->num_known() * static_cast<Index>(sizeof(HeldBox));
  }
  return bytes;
}

bool TransferPlan::is_for(const std::vector<FileArray>& arrays) const {
  return std::equal(arrays.begin(), arrays.end(), arrays_.begin(), arrays_.end(),
                    [](const FileArray& a, const FileArray& b) { return a.has_shape_of(b); });
}

bool TransferPlan::has_boxes(std::span<const ArrayPatch> mine) const {
  return std::equal(mine.begin(), mine.end(), boxes_.begin(), boxes_.end(),
                    [](const auto& each, const auto& planned) {
                      return each.array == planned.first && each.patch.box == planned.second;
                    });
}

bool TransferPlan::fits(std::span<const ArrayPatch> mine, const ExchangeBuffers& buffers) const {
  if (!has_boxes(mine)) return false;
  return is_empty() ||
         (buffers.fit(exchange_.plan) && (!exchange_.transport->is_one_sided() || buffers.is_exposed()));
}

void TransferPlan::take(std::span<const ArrayPatch> mine, ExchangeBuffers& buffers) {
  patches_.assign(parts_.size(), {});
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const FileArray& array = arrays_[static_cast<std::size_t>(part.array)];
    const int axis = slowest_axis(array);
    const Index first = part.first_byte / bytes_of_plane(array);
    for (const Claim& claim : part.claims) {
      const auto source =
          static_cast<std::size_t>(part.first_of_array[static_cast<std::size_t>(claim.source)]);
      Patch patch = mine[source].patch;
      patch.box = shifted(patch.box, axis, first);
      patches_[p].push_back(part_of(patch, claim.box));
    }
  }
  exchange_.transport->take(exchange_.plan, patches_, buffers.parts(exchange_.plan));
}

}  // namespace esker
