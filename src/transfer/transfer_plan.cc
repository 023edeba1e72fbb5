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

/// The samples of a box that lies in that of a patch, in memory of type Byte.
template <class Byte, class AnyPatch>
AnyPatch part_of(const AnyPatch& patch, const Box& box) {
  AnyPatch part = patch;
  part.box = box;
  auto* data = static_cast<Byte*>(patch.data);
  for (int a = 0; a < box.rank; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    data += (box.lo[axis] - patch.box.lo[axis]) * patch.stride_bytes[axis];
  }
  part.data = data;
  return part;
}

// A larger piece is moved in parts, at any cost, where the budget has no room for the messages of all ranks
// that want it.
constexpr Index kLeastPieceBytes = Index{4} << 10;

}  // namespace

Result<std::unique_ptr<TransferPlan>> TransferPlan::make(Comm& comm, Direction direction,
                                                         const std::vector<FileArray>& arrays,
                                                         std::vector<ArrayBox> mine, const Limits& limits,
                                                         ExchangePolicy& policy, ExchangeBuffers& buffers) {
  Limits tried = limits;
  tried.piece_bytes = kTileBytes;
  for (;; tried.piece_bytes /= 2) {
    auto plan = make_with(comm, direction, arrays, mine, tried, policy, buffers);
    if (plan.ok() || plan.status().code() != Code::kOutOfMemory || direction == Direction::kToFiles ||
        tried.piece_bytes / 2 < kLeastPieceBytes) {
      return plan;
    }
  }
}

/// `mine` is moved to the plan if that succeeds, and unchanged otherwise.
Result<std::unique_ptr<TransferPlan>> TransferPlan::make_with(Comm& comm, Direction direction,
                                                              const std::vector<FileArray>& arrays,
                                                              std::vector<ArrayBox>& mine,
                                                              const Limits& limits, ExchangePolicy& policy,
                                                              ExchangeBuffers& buffers) {
  std::unique_ptr<TransferPlan> plan;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    plan = std::make_unique<TransferPlan>();
    plan->direction_ = direction;
    plan->arrays_ = arrays;
    return Status();
  }));
  plan->boxes_.swap(mine);
  Status status = plan->plan_exchange(comm, limits, policy, buffers);
  if (status.ok()) return plan;
  plan->boxes_.swap(mine);
  return status;
}

Status TransferPlan::plan_exchange(Comm& comm, const Limits& limits, ExchangePolicy& policy,
                                   ExchangeBuffers& buffers) {
  ESKER_ASSIGN_OR_RETURN(const auto extents, bound(comm));
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    lay_out(extents, limits.piece_bytes);
    return Status();
  }));
  if (is_empty()) return {};
  ESKER_RETURN_IF_ERROR(share(comm));
  const ExchangeInputs inputs{space_, *directory_, fields_, direction_, bytes_of_lists() + limits.kept_bytes};
  ExchangePolicy used;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    used = policy;
    if (used.aggregators == 0 && limits.most_writers > 0) {
      used.aggregators = std::min(limits.most_writers, num_aggregators(used, comm.size(), space_));
    }
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(prepare(comm, inputs, used, buffers, exchange_));
  keep_fallback(std::move(used), policy);
  return direction_ == Direction::kToFiles ? learn_gaps() : find_wanted(comm, limits.cheap_gap_bytes);
}

Result<std::vector<TransferPlan::Extent>> TransferPlan::bound(Comm& comm) const {
  std::vector<std::uint64_t> most;  // of each array: the highest index, and the lowest as its complement
  std::vector<Extent> extents;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    most.resize(2 * arrays_.size());
    extents.resize(arrays_.size());
    for (const ArrayBox& each : boxes_) {
      if (each.box.empty()) continue;
      const auto axis = static_cast<std::size_t>(slowest_axis(arrays_[static_cast<std::size_t>(each.array)]));
      std::uint64_t* of_array = &most[2 * static_cast<std::size_t>(each.array)];
      of_array[0] = std::max(of_array[0], static_cast<std::uint64_t>(each.box.hi[axis]));
      of_array[1] = std::max(of_array[1], ~static_cast<std::uint64_t>(each.box.lo[axis]));
    }
    return Status();
  }));
  comm.all_reduce_max(most);
  for (std::size_t n = 0; n < extents.size(); ++n) {
    if (most[2 * n] > 0) extents[n] = {static_cast<Index>(~most[2 * n + 1]), static_cast<Index>(most[2 * n])};
  }
  return extents;
}

void TransferPlan::lay_out(const std::vector<Extent>& extents, Index piece_bytes) {
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
    const ChunkedLayout::Tiles tiles{within_a_call(piece_bytes), 0, false};
    layouts_.push_back(std::make_unique<ChunkedLayout>(array.rank, of_part, array.sample_bytes(),
                                                       ChunkedLayout::Shape{of_part}, 0, tiles));
    space_.add(*layouts_.back());
  }
  for (std::size_t m = 0; m < boxes_.size(); ++m) {
    const auto array = static_cast<std::size_t>(boxes_[m].array);
    if (boxes_[m].box.empty()) continue;
    const auto part = static_cast<std::size_t>(part_of_array[array]);
    lists_[part].boxes.push_back(shifted(boxes_[m].box, slowest_axis(arrays_[array]), extents[array].lo));
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
  ESKER_ASSIGN_OR_RETURN(Claims claims, direction_ == Direction::kToFiles ? share_claims(comm, lists)
                                                                          : share_wanted(comm, lists));
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

/// An aggregator knows who wants what of its pieces, since it sends it.
Status TransferPlan::find_wanted(Comm& comm, Index cheap_gap_bytes) {
  return all_do(comm, "plan", [&] {
    std::vector<std::shared_ptr<const Distribution>> holders;
    for (const Part& part : parts_) holders.push_back(part.holders);
    wanted_ = WantedRuns(exchange_.plan, space_, holders, cheap_gap_bytes);
    return Status();
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
  Index bytes = bytes_of_lists() + memory_of(exchange_.plan) + wanted_.size_bytes();
  for (const auto& list : directory_->lists()) {
    bytes += list->num_known() * static_cast<Index>(sizeof(HeldBox));
  }
  return bytes;
}

bool TransferPlan::is_for(Direction direction, const std::vector<FileArray>& arrays) const {
  return direction == direction_ &&
         std::equal(arrays.begin(), arrays.end(), arrays_.begin(), arrays_.end(),
                    [](const FileArray& a, const FileArray& b) { return a.has_shape_of(b); });
}

bool TransferPlan::fits_in(const ExchangeBuffers& buffers) const {
  if (is_empty()) return true;
  const bool must_be_exposed = exchange_.transport->is_one_sided() && direction_ == Direction::kToFiles;
  return buffers.fit(exchange_.plan) && (!must_be_exposed || buffers.is_exposed());
}

/// Calls visit(layout, patch that the claim is a part of, box of the claim). Boxes are in indices of the
/// part.
template <class Brought, class Visit>
void TransferPlan::for_each_claim(std::span<const Brought> mine, const Visit& visit) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const FileArray& array = arrays_[static_cast<std::size_t>(part.array)];
    const int axis = slowest_axis(array);
    const Index first = part.first_byte / bytes_of_plane(array);
    for (std::size_t c = 0; c < part.claims.size(); ++c) {
      auto patch = mine[static_cast<std::size_t>(part.position_of(static_cast<int>(c)))].patch;
      patch.box = shifted(patch.box, axis, first);
      visit(p, patch, part.claims[c].box);
    }
  }
}

void TransferPlan::take(std::span<const ArrayPatch> mine, ExchangeBuffers& buffers) {
  patches_.assign(parts_.size(), {});
  for_each_claim(mine, [&](std::size_t p, const Patch& patch, const Box& box) {
    patches_[p].push_back(part_of<const std::byte>(patch, box));
  });
  exchange_.transport->take(exchange_.plan, patches_, buffers.parts(exchange_.plan));
}

void TransferPlan::take(std::span<const ArrayTarget> mine) {
  targets_.assign(parts_.size(), {});
  for_each_claim(mine, [&](std::size_t p, const MutablePatch& patch, const Box& box) {
    targets_[p].push_back(part_of<std::byte>(patch, box));
  });
}

TransferPlan::Place TransferPlan::place_at(Index position, const std::vector<FileArray>& arrays) const {
  const int layout = space_.layout_at(position);
  const Index base = space_.first_position(layout);
  const Layout::FileSpan span = space_.layout(layout).file_at(position - base);
  const Part& part = parts_[static_cast<std::size_t>(layout)];
  const Index first = arrays[static_cast<std::size_t>(part.array)].offset_bytes + part.first_byte;
  return {first + span.data_offset_bytes + (position - base - span.begin), base + span.end};
}

}  // namespace esker
