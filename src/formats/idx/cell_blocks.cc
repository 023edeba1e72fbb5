#include "formats/idx/cell_blocks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/cell_heads.h"
#include "formats/idx/idx_block.h"
#include "formats/idx/pidx_header.h"
#include "grid/cells.h"

namespace esker::idx {
namespace {

template <class Visit>
void for_each_index(const Box& box, const Visit& visit) {
  Point i{};
  for (i[2] = box.lo[2]; i[2] < box.hi[2]; ++i[2]) {
    for (i[1] = box.lo[1]; i[1] < box.hi[1]; ++i[1]) {
      for (i[0] = box.lo[0]; i[0] < box.hi[0]; ++i[0]) visit(i);
    }
  }
}

}  // namespace

Index CellBlockForm::cell_bytes() const { return cell_samples(rank_) * sample_bytes(); }

/// Copies the requested samples of one cell.
void CellBlockForm::place_cell(const Point& cell, const std::byte* samples, Index sample_bytes,
                               const ReadTarget& target) const {
  const Box in_cell = samples_of_cell(cell, rank_);
  for_each_index(target.samples.indices_in(in_cell), [&](const Point& i) {
    const Point p = target.samples.point(i);
    Index from = 0;
    for (int a = rank_ - 1; a >= 0; --a) from = from * kCellEdge + (p[a] - in_cell.lo[a]);
    std::memcpy(target.out + target.position(i) * target.sample_stride_bytes, samples + from * sample_bytes,
                static_cast<std::size_t>(sample_bytes));
  });
}

template <class Visit>
void CellBlockForm::for_each_wanted_cell(Index block, InBlockOrder order, const ReadTarget& target,
                                         const Visit& visit) const {
  const Box cells = cells_meeting(target.samples.bounds(), blocks_.mask().rank());
  for (const PiecePart& part : block_parts(blocks_, block, order)) {
    for_each_index(part.lattice.indices_in(cells), [&](const Point& i) {
      visit(part.lattice.point(i), part.first_sample + part.order.at(i));
    });
  }
}

bool CellBlockForm::holds_any(Index block, const ReadTarget& target) const {
  bool any = false;
  for_each_wanted_cell(block, InBlockOrder::kHz, target, [&](const Point& cell, Index /*number*/) {
    any = any || !target.samples.indices_in(samples_of_cell(cell, rank_)).empty();
  });
  return any;
}

ByteRange CellBlockForm::wanted_range(Index /*block*/, InBlockOrder /*order*/,
                                      const ReadTarget& /*target*/) const {
  return {0, decoded_bytes()};
}

void CellBlockForm::place(Index block, InBlockOrder order, const std::byte* samples,
                          const ReadTarget& target) const {
  for_each_wanted_cell(block, order, target, [&](const Point& cell, Index number) {
    place_cell(cell, samples + number * cell_bytes(), sample_bytes(), target);
  });
}

void CellBlockForm::fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const {
  std::vector<std::byte> blank;
  for (Index n = 0; n < cell_samples(rank_); ++n) blank.insert(blank.end(), sample.begin(), sample.end());
  for_each_wanted_cell(block, InBlockOrder::kHz, target, [&](const Point& cell, Index /*number*/) {
    place_cell(cell, blank.data(), static_cast<Index>(sample.size()), target);
  });
}

Status check_chunked_field(const CellBlocks& chunks, const FieldEntry& field) {
  if (field.components != 1) {
    return error(Code::kUnsupported,
                 "field '{}': chunks of {} components are not supported, as PIDX stores them out of order",
                 field.name, field.components);
  }
  if (chunks.pidx_zfp_bits == 0) return {};
  return check_fixed_rate({field.type, kPidxAxes, chunks.pidx_zfp_bits})
      .with_context("field '" + field.name + "'");
}

PidxChunkBlocks::PidxChunkBlocks(const BlockGrid& blocks, int zfp_bits, const FieldEntry& field)
    : CellBlockForm(blocks, field, kPidxAxes), zfp_bits_(zfp_bits) {}

Status PidxChunkBlocks::check(Index block, const StoredBlock& stored) const {
  const Index expected = zfp_bits_ == 0 ? decoded_bytes() : num_cells() * (zfp_bits_ / 8);
  if (stored.size_bytes == expected && stored.order == InBlockOrder::kHz &&
      stored.codec.kind == CodecKind::kRaw) {
    return {};
  }
  return error(Code::kDataLoss, "block {} has {} bytes, expected {} of chunks in HZ order with flags 0",
               block, stored.size_bytes, expected);
}

Status PidxChunkBlocks::decode(Index block, const StoredBlock& /*stored*/, std::span<const std::byte> bytes,
                               std::span<std::byte> samples) const {
  return decode_fixed_rate({field().type, kPidxAxes, zfp_bits_}, bytes, samples)
      .with_context(fmt::format("block {}", block));
}

Status GroupedCellBlocks::check(Index block, const StoredBlock& stored) const {
  const Index expected = num_cells() * form_.coded_bytes();
  if (stored.size_bytes == expected && stored.codec.kind == CodecKind::kRaw) return {};
  return error(Code::kDataLoss, "block {} has {} bytes and codec {}, expected {} bytes of cells and codec 0",
               block, stored.size_bytes, stored.flags & 0xf, expected);
}

ByteRange GroupedCellBlocks::encoded_range(const StoredBlock& /*stored*/) const {
  return {0, prefix_bytes(form_, num_cells(), bits_)};
}

Status GroupedCellBlocks::check_bytes(Index block, const StoredBlock& stored,
                                      std::span<const std::byte> bytes) const {
  if (!stored.checksum) return {};
  const PieceHead head = decode_head(stored.head);
  for (int g = 0; g < CellForm::groups_for(bits_); ++g) {
    const GroupBytes range = group_bytes(form_, num_cells(), g);
    const auto group = bytes.subspan(static_cast<std::size_t>(range.first),
                                     static_cast<std::size_t>(range.last - range.first));
    if (group_checksum(number_, block, g, group) == head.sums[static_cast<std::size_t>(g)]) continue;
    return error(
        Code::kDataLoss,
        "block {}: the checksum of the bits up to {} per sample does not match: they were changed or "
        "lost",
        block, 1 << g);
  }
  return {};
}

Status GroupedCellBlocks::decode(Index block, const StoredBlock& /*stored*/, std::span<const std::byte> bytes,
                                 std::span<std::byte> samples) const {
  return decode_groups(form_, num_cells(), bits_, bytes, samples)
      .with_context(fmt::format("block {}", block));
}

}  // namespace esker::idx
