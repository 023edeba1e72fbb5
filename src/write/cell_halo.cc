#include "write/cell_halo.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/cells.h"

namespace esker {
namespace {

/// kUnsupported: a message of more than 1 GiB.
Status check_messages(const HaloGeometry& halo, Index bytes) {
  if (halo.can_send(bytes)) return {};
  return error(Code::kUnsupported,
               "stored_bits: {} samples of one rank complete cells of another, expected at most 1 GiB; put "
               "patches whose boxes begin and end at multiples of 4",
               halo.most_samples_of_message());
}

}  // namespace

Status CellHalo::plan(Comm& comm, Directory& directory, std::vector<Column> columns) {
  const int rank = comm.rank();
  ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
    for (const Column& column : columns) {
      HaloGeometry::for_each_region(*column.holders, kCellEdge, rank,
                                    [&](const Box& region) { visit(*column.holders, region); });
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
  geometries_.push_back({holders, HaloGeometry(*holders, kCellEdge, rank)});
  return geometries_.size() - 1;
}

Status CellHalo::make_room(Comm& comm) {
  Index received = 0, sent = 0;
  for (ColumnOf& column : columns_) {
    const HaloGeometry& halo = geometries_[column.geometry].halo;
    ESKER_RETURN_IF_ERROR(check_messages(halo, column.bytes));
    column.offset_bytes = received;
    received += halo.received_samples() * column.bytes;
    sent = std::max(sent, halo.sent_samples() * column.bytes);
    comm.reserve_transfers(halo.num_sent(), halo.num_received());
  }
  received_.resize(static_cast<std::size_t>(received));
  send_.resize(static_cast<std::size_t>(sent));
  return {};
}

void CellHalo::exchange(Comm& comm, const PatchesOfFields& patches) {
  for (const ColumnOf& column : columns_) {
    const PatchList& list = patches[static_cast<std::size_t>(column.number)];
    geometries_[column.geometry].halo.exchange(
        comm, column.bytes,
        [&](int patch, const Box& box, std::byte* target) {
          HaloGeometry::pack(list[static_cast<std::size_t>(patch)], box, column.bytes, target);
        },
        received_.data() + column.offset_bytes, send_.data());
  }
}

}  // namespace esker
