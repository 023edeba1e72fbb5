// HaloGeometry: the samples that complete the cells which a rank begins and other ranks' patches end, and the
// messages that carry them.
//
// A cell is a box of `edge` samples on each axis, and belongs to the rank that holds its lowest sample. Where
// patches are not aligned to cells, up to edge - 1 layers behind the upper ends of a patch are missing: slab
// a of a patch is beyond its upper end on axis a, within its cells on lower axes, and within the patch on
// higher ones. Which samples these are follows from the boxes on both sides, so a message is bare samples:
// those of pieces in the order (patch of the receiver, slab, patch of the sender).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/patch.hpp"
#include "grid/cells.h"
#include "plan/distribution.h"

namespace esker {

class HaloGeometry {
 public:
  /// Samples that one patch holds and another needs.
  struct Piece {
    int peer = 0;            ///< the rank at the other end
    int receiver_patch = 0;  ///< the patch that needs them
    int slab = 0;            ///< of what that patch needs
    int sender_patch = 0;    ///< the patch that holds them
    Box box;
    Index first_sample = 0;  ///< in the memory of what is received; of sent ones: of what is sent
  };

  /// Calls visit(a, box) for the slabs of a patch that are not empty.
  template <class Visit>
  static void for_each_slab(const Box& patch, const Box& domain, Index edge, const Visit& visit);
  /// Calls visit(region) for the regions of `holders` that a rank must know.
  template <class Visit>
  static void for_each_region(const Distribution& holders, Index edge, int rank, const Visit& visit);

  HaloGeometry() = default;
  /// For the patches of `rank`. May throw.
  HaloGeometry(const Distribution& holders, Index edge, int rank);

  /// The pieces that are received for a patch.
  [[nodiscard]] std::span<const Piece> pieces_of(int patch) const {
    const auto [first, last] = of_patch_[static_cast<std::size_t>(patch)];
    return std::span(pieces_).subspan(first, last - first);
  }
  [[nodiscard]] Index sent_samples() const { return sent_samples_; }
  [[nodiscard]] Index received_samples() const { return received_samples_; }
  /// At least the number of messages.
  [[nodiscard]] std::size_t num_sent() const { return sent_.size(); }
  [[nodiscard]] std::size_t num_received() const { return received_.size(); }
  /// Whether no message of samples of this size has more than 1 GiB.
  [[nodiscard]] bool can_send(Index sample_bytes) const {
    return most_samples_of_message() <= (Index{1} << 30) / sample_bytes;
  }
  /// The samples of the largest message.
  [[nodiscard]] Index most_samples_of_message() const;
  /// The memory of the lists.
  [[nodiscard]] Index size_bytes() const;

  /// Sends and receives all pieces, after Comm::reserve_transfers(). pack(patch, box, target) copies the
  /// samples of a box that a patch of this rank has, dense, `sample_bytes` each. Collective; allocates
  /// nothing.
  template <class Pack>
  void exchange(Comm& comm, Index sample_bytes, const Pack& pack, std::byte* received, std::byte* send) const;
  /// Copies samples of a patch, dense.
  static void pack(const Patch& patch, const Box& box, Index sample_bytes, std::byte* target);

 private:
  struct Range {
    std::size_t first = 0, last = 0;
  };
  static Box with_begun_cells(const Box& patch, Index edge);
  static void place(std::vector<Piece>& pieces, Index& num_samples);
  void find_received(const Distribution& holders, Index edge, int rank);
  void find_sent(const Distribution& holders, Index edge, int rank);

  /// Calls visit(peer, first, last) for the runs of pieces of one peer.
  template <class Visit>
  static void for_each_peer(const std::vector<Piece>& pieces, const Visit& visit) {
    for (std::size_t first = 0, last = 0; first < pieces.size(); first = last) {
      while (last < pieces.size() && pieces[last].peer == pieces[first].peer) ++last;
      visit(pieces[first].peer, first, last);
    }
  }
  static Index end_of(const Piece& piece) { return piece.first_sample + piece.box.num_samples(); }

  std::vector<Piece> sent_;      // by peer, then as the receiver lists them
  std::vector<Piece> received_;  // by peer, then by (receiver_patch, slab, sender_patch)
  std::vector<Piece> pieces_;    // those received, by patch
  std::vector<Range> of_patch_;  // [patch] -> pieces_
  Index sent_samples_ = 0, received_samples_ = 0;
};

template <class Visit>
void HaloGeometry::for_each_slab(const Box& patch, const Box& domain, Index edge, const Visit& visit) {
  const Box cells = cells_begun_in(patch, edge);
  if (patch.empty() || cells.empty()) return;
  const Box whole = intersect(samples_of_cells(cells, edge), domain);
  for (int a = 0; a < patch.rank; ++a) {
    Box slab = whole;
    slab.lo[a] = patch.hi[a];
    for (int b = a + 1; b < patch.rank; ++b) slab.hi[b] = std::min(slab.hi[b], patch.hi[b]);
    if (!slab.empty()) visit(a, slab);
  }
}

template <class Visit>
void HaloGeometry::for_each_region(const Distribution& holders, Index edge, int rank, const Visit& visit) {
  const Box domain = holders.domain();
  for (const Box& patch : holders.boxes_of(rank)) {
    if (patch.empty()) continue;
    for_each_slab(patch, domain, edge, [&](int, const Box& slab) { visit(slab); });
    const Box region = with_begun_cells(patch, edge);
    if (!region.empty()) visit(region);
  }
}

template <class Pack>
void HaloGeometry::exchange(Comm& comm, Index sample_bytes, const Pack& pack, std::byte* received,
                            std::byte* send) const {
  const auto bytes_of = [&](const std::vector<Piece>& pieces, std::size_t first, std::size_t last,
                            std::byte* memory) {
    const Index begin = pieces[first].first_sample * sample_bytes;
    const Index end = end_of(pieces[last - 1]) * sample_bytes;
    return std::span(memory + begin, static_cast<std::size_t>(end - begin));
  };
  const auto pack_piece = [&](const Piece& piece, std::byte* memory) {
    pack(piece.sender_patch, piece.box, memory + piece.first_sample * sample_bytes);
  };
  for_each_peer(received_, [&](int peer, std::size_t first, std::size_t last) {
    if (peer != comm.rank()) comm.start_receive(bytes_of(received_, first, last, received), peer);
  });
  for_each_peer(sent_, [&](int peer, std::size_t first, std::size_t last) {
    if (peer == comm.rank()) return;
    for (std::size_t n = first; n < last; ++n) pack_piece(sent_[n], send);
    comm.start_send(bytes_of(sent_, first, last, send), peer);
  });
  for (const Piece& piece : received_) {
    if (piece.peer == comm.rank()) pack_piece(piece, received);
  }
  comm.finish();
}

}  // namespace esker
