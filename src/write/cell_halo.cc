#include "write/cell_halo.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/cells.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

constexpr Index kMaxMessageBytes = Index{1} << 30;

/// Calls visit(slab number, box) for the samples, not in `patch`, of the cells that begin in it: beyond its
/// upper end on axis a, within the cells on lower axes, within the patch on higher ones.
template <class Visit>
void for_each_slab(const Box& patch, const Box& domain, const Visit& visit) {
  const Box cells = cells_begun_in(patch);
  if (cells.empty()) return;
  const Box whole = intersect(samples_of_cells(cells), domain);
  for (int a = 0; a < patch.rank; ++a) {
    Box slab = whole;
    slab.lo[a] = patch.hi[a];
    for (int b = a + 1; b < patch.rank; ++b) slab.hi[b] = std::min(slab.hi[b], patch.hi[b]);
    if (!slab.empty()) visit(a, slab);
  }
}

/// The samples of a patch and of those before it that are in cells with samples of the patch; empty if no
/// cell begins before the patch.
Box with_begun_cells(const Box& patch) {
  Box region = patch;
  bool any = false;
  for (int a = 0; a < patch.rank; ++a) {
    region.lo[a] = floor_div(patch.lo[a], kCellEdge) * kCellEdge;
    any = any || region.lo[a] < patch.lo[a];
  }
  return any ? region : Box(patch.rank, patch.lo, patch.lo);
}

/// Copies samples of a patch, dense.
void pack(const Patch& patch, const Box& box, Index sample_bytes, std::byte* target) {
  Index first = 0;
  std::array<Index, kMaxRank> strides{};
  for (int a = 0; a < box.rank; ++a) {
    first += (box.lo[a] - patch.box.lo[a]) * patch.stride_bytes[a];
    strides[a] = patch.stride_bytes[a];
  }
  copy_samples(sample_bytes, static_cast<const std::byte*>(patch.data) + first,
               SampleMap::strided(box, strides), target, SampleMap::dense(box, sample_bytes));
}

/// Calls visit(first, last) for the runs of pieces of one peer.
template <class Pieces, class Visit>
void for_each_peer(const Pieces& pieces, const Visit& visit) {
  for (std::size_t first = 0, last = 0; first < pieces.size(); first = last) {
    while (last < pieces.size() && pieces[last].peer == pieces[first].peer) ++last;
    visit(first, last);
  }
}

}  // namespace

Status CellHalo::plan(Comm& comm, Directory& directory, std::vector<Column> columns) {
  const int rank = comm.rank();
  ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
    for (const Column& column : columns) {
      const Box domain = column.holders->domain();
      for (const Box& patch : column.holders->boxes_of(rank)) {
        if (patch.empty()) continue;
        for_each_slab(patch, domain, [&](int, const Box& slab) { visit(*column.holders, slab); });
        const Box region = with_begun_cells(patch);
        if (!region.empty()) visit(*column.holders, region);
      }
    }
  }));
  return all_do(comm, "plan", [&] {
    for (const Column& column : columns) {
      columns_.push_back({column.number, geometry_of(column.holders.get(), rank), column.sample_bytes, 0});
    }
    return make_room(comm);
  });
}

std::size_t CellHalo::geometry_of(const Distribution* holders, int rank) {
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    if (geometries_[g].holders == holders) return g;
  }
  Geometry& geometry = geometries_.emplace_back();
  geometry.holders = holders;
  find_received(geometry, rank);
  find_sent(geometry, rank);
  return geometries_.size() - 1;
}

void CellHalo::find_received(Geometry& geometry, int rank) {
  const std::vector<Box> patches = geometry.holders->boxes_of(rank);
  for (std::size_t p = 0; p < patches.size(); ++p) {
    if (patches[p].empty()) continue;
    for_each_slab(patches[p], geometry.holders->domain(), [&](int slab, const Box& missing) {
      geometry.holders->for_each_meeting(missing, [&](int peer, int holder, const Box& box) {
        const Box common = intersect(missing, box);
        if (!common.empty())
          geometry.received.push_back({peer, static_cast<int>(p), slab, holder, common, 0});
      });
    });
  }
  place_pieces(geometry.received, geometry.received_samples);
  geometry.pieces = geometry.received;
  std::stable_sort(geometry.pieces.begin(), geometry.pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.receiver_patch < b.receiver_patch; });
  geometry.of_patch.resize(patches.size());
  for (std::size_t n = 0; n < geometry.pieces.size(); ++n) {
    Range& range = geometry.of_patch[static_cast<std::size_t>(geometry.pieces[n].receiver_patch)];
    if (range.last == 0) range.first = n;
    range.last = n + 1;
  }
}

void CellHalo::find_sent(Geometry& geometry, int rank) {
  const std::vector<Box> patches = geometry.holders->boxes_of(rank);
  const Box domain = geometry.holders->domain();
  for (std::size_t q = 0; q < patches.size(); ++q) {
    if (patches[q].empty()) continue;
    const Box region = with_begun_cells(patches[q]);
    if (region.empty()) continue;
    geometry.holders->for_each_meeting(region, [&](int peer, int receiver_patch, const Box& box) {
      for_each_slab(box, domain, [&](int slab, const Box& missing) {
        const Box common = intersect(missing, patches[q]);
        if (!common.empty())
          geometry.sent.push_back({peer, receiver_patch, slab, static_cast<int>(q), common, 0});
      });
    });
  }
  place_pieces(geometry.sent, geometry.sent_samples);
}

/// Both ends list the pieces of a message in the same order.
void CellHalo::place_pieces(std::vector<Piece>& pieces, Index& num_samples) {
  const auto key = [](const Piece& piece) {
    return std::tuple(piece.peer, piece.receiver_patch, piece.slab, piece.sender_patch);
  };
  std::sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) { return key(a) < key(b); });
  for (Piece& piece : pieces) {
    piece.first_sample = num_samples;
    num_samples += piece.box.num_samples();
  }
}

/// kUnsupported: a message of more than 1 GiB.
Status CellHalo::check_messages(const std::vector<Piece>& pieces, Index bytes) {
  Status status;
  for_each_peer(pieces, [&](std::size_t first, std::size_t last) {
    Index samples = 0;
    for (std::size_t n = first; n < last; ++n) samples += pieces[n].box.num_samples();
    if (samples > kMaxMessageBytes / bytes) {
      status =
          error(Code::kUnsupported,
                "stored_bits: {} samples of one rank complete cells of another, expected at most 1 GiB; put "
                "patches whose boxes begin and end at multiples of 4",
                samples);
    }
  });
  return status;
}

Status CellHalo::make_room(Comm& comm) {
  Index received = 0, sent = 0;
  for (ColumnOf& column : columns_) {
    const Geometry& geometry = geometries_[column.geometry];
    ESKER_RETURN_IF_ERROR(check_messages(geometry.sent, column.bytes));
    ESKER_RETURN_IF_ERROR(check_messages(geometry.received, column.bytes));
    column.offset_bytes = received;
    received += geometry.received_samples * column.bytes;
    sent = std::max(sent, geometry.sent_samples * column.bytes);
    comm.reserve_transfers(geometry.sent.size(), geometry.received.size());
  }
  received_.resize(static_cast<std::size_t>(received));
  send_.resize(static_cast<std::size_t>(sent));
  return {};
}

void CellHalo::exchange(Comm& comm, const PatchesOfFields& patches) {
  for (const ColumnOf& column : columns_) run(comm, column, patches[static_cast<std::size_t>(column.number)]);
}

void CellHalo::run(Comm& comm, const ColumnOf& column, const PatchList& patches) {
  const Geometry& geometry = geometries_[column.geometry];
  const auto bytes_of = [&](const std::vector<Piece>& pieces, std::size_t first, std::size_t last,
                            std::vector<std::byte>& memory, Index offset) {
    const Index begin = pieces[first].first_sample;
    const Index end = pieces[last - 1].first_sample + pieces[last - 1].box.num_samples();
    return std::span(memory).subspan(static_cast<std::size_t>(offset + begin * column.bytes),
                                     static_cast<std::size_t>((end - begin) * column.bytes));
  };
  for_each_peer(geometry.received, [&](std::size_t first, std::size_t last) {
    const int peer = geometry.received[first].peer;
    if (peer == comm.rank()) return;
    comm.start_receive(bytes_of(geometry.received, first, last, received_, column.offset_bytes), peer);
  });
  for_each_peer(geometry.sent, [&](std::size_t first, std::size_t last) {
    const int peer = geometry.sent[first].peer;
    if (peer == comm.rank()) return;
    for (std::size_t n = first; n < last; ++n) {
      const Piece& piece = geometry.sent[n];
      pack(patches[static_cast<std::size_t>(piece.sender_patch)], piece.box, column.bytes,
           send_.data() + piece.first_sample * column.bytes);
    }
    comm.start_send(bytes_of(geometry.sent, first, last, send_, 0), peer);
  });
  for (const Piece& piece : geometry.received) {
    if (piece.peer != comm.rank()) continue;
    pack(patches[static_cast<std::size_t>(piece.sender_patch)], piece.box, column.bytes,
         received_.data() + column.offset_bytes + piece.first_sample * column.bytes);
  }
  comm.finish();
}

}  // namespace esker
