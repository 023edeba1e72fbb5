#include "write/halo_geometry.h"

#include <array>
#include <tuple>

#include "base/checked.h"
#include "grid/copy_samples.h"

namespace esker {

HaloGeometry::HaloGeometry(const Distribution& holders, Index edge, int rank) {
  find_received(holders, edge, rank);
  find_sent(holders, edge, rank);
}

/// The samples of a patch and of those before it that are in cells with samples of the patch; empty if no
/// cell begins before the patch.
Box HaloGeometry::with_begun_cells(const Box& patch, Index edge) {
  Box region = patch;
  bool any = false;
  for (int a = 0; a < patch.rank; ++a) {
    region.lo[a] = floor_div(patch.lo[a], edge) * edge;
    any = any || region.lo[a] < patch.lo[a];
  }
  return any ? region : Box(patch.rank, patch.lo, patch.lo);
}

void HaloGeometry::pack(const Patch& patch, const Box& box, Index sample_bytes, std::byte* target) {
  Index first = 0;
  std::array<Index, kMaxRank> strides{};
  for (int a = 0; a < box.rank; ++a) {
    first += (box.lo[a] - patch.box.lo[a]) * patch.stride_bytes[a];
    strides[a] = patch.stride_bytes[a];
  }
  copy_samples(sample_bytes, static_cast<const std::byte*>(patch.data) + first,
               SampleMap::strided(box, strides), target, SampleMap::dense(box, sample_bytes));
}

void HaloGeometry::find_received(const Distribution& holders, Index edge, int rank) {
  const std::vector<Box> patches = holders.boxes_of(rank);
  for (std::size_t p = 0; p < patches.size(); ++p) {
    for_each_slab(patches[p], holders.domain(), edge, [&](int slab, const Box& missing) {
      holders.for_each_meeting(missing, [&](int peer, int holder, const Box& box) {
        const Box common = intersect(missing, box);
        if (!common.empty()) received_.push_back({peer, static_cast<int>(p), slab, holder, common, 0});
      });
    });
  }
  place(received_, received_samples_);
  pieces_ = received_;
  std::stable_sort(pieces_.begin(), pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.receiver_patch < b.receiver_patch; });
  of_patch_.resize(patches.size());
  for (std::size_t n = 0; n < pieces_.size(); ++n) {
    Range& range = of_patch_[static_cast<std::size_t>(pieces_[n].receiver_patch)];
    if (range.last == 0) range.first = n;
    range.last = n + 1;
  }
}

void HaloGeometry::find_sent(const Distribution& holders, Index edge, int rank) {
  const std::vector<Box> patches = holders.boxes_of(rank);
  const Box domain = holders.domain();
  for (std::size_t q = 0; q < patches.size(); ++q) {
    if (patches[q].empty()) continue;
    const Box region = with_begun_cells(patches[q], edge);
    if (region.empty()) continue;
    holders.for_each_meeting(region, [&](int peer, int receiver_patch, const Box& box) {
      for_each_slab(box, domain, edge, [&](int slab, const Box& missing) {
        const Box common = intersect(missing, patches[q]);
        if (!common.empty()) sent_.push_back({peer, receiver_patch, slab, static_cast<int>(q), common, 0});
      });
    });
  }
  place(sent_, sent_samples_);
}

/// Both ends list the pieces of a message in the same order.
void HaloGeometry::place(std::vector<Piece>& pieces, Index& num_samples) {
  const auto key = [](const Piece& piece) {
    return std::tuple(piece.peer, piece.receiver_patch, piece.slab, piece.sender_patch);
  };
  std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return key(a) < key(b); });
  for (Piece& piece : pieces) {
    piece.first_sample = num_samples;
    num_samples += piece.box.num_samples();
  }
}

Index HaloGeometry::most_samples_of_message() const {
  Index most = 0;
  for (const auto* pieces : {&sent_, &received_}) {
    for_each_peer(*pieces, [&](int, std::size_t first, std::size_t last) {
      most = std::max(most, end_of((*pieces)[last - 1]) - (*pieces)[first].first_sample);
    });
  }
  return most;
}

Index HaloGeometry::size_bytes() const {
  const std::size_t pieces = sent_.capacity() + received_.capacity() + pieces_.capacity();
  return static_cast<Index>(pieces * sizeof(Piece) + of_patch_.capacity() * sizeof(Range));
}

}  // namespace esker
