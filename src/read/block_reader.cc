#include "read/block_reader.h"

#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker::idx {
namespace {

/// Where the samples that part and query share stand: in the part, and in the answer.
struct Placement {
  SampleMap in_part, in_answer;
  Index answer_offset_bytes = 0;
};

// Strides are powers of two, and the origin of a part is a multiple of its stride or lies half a stride off.
// Where the part is coarser than the answer, all its samples on that axis belong to it or none; where it is
// finer (block 0, below its own level), every k-th or none.
std::optional<Placement> place(const PiecePart& part, const Answer& answer, Index sample_bytes) {
  const Lattice& lattice = part.lattice;
  const Lattice& selection = answer.selection;
  Box indices = lattice.indices_in(answer.box);
  Point step{1, 1, 1, 1, 1};
  std::array<Index, kMaxRank> strides{};
  Placement placement;
  Index row_bytes = answer.sample_stride_bytes;
  for (int a = 0; a < lattice.rank; ++a) {
    step[a] = std::max<Index>(1, selection.stride[a] / lattice.stride[a]);
    indices.lo[a] = round_up(indices.lo[a], step[a]);
    if (indices.lo[a] >= indices.hi[a]) return std::nullopt;
    if (lattice.origin[a] % std::min(lattice.stride[a], selection.stride[a]) != 0) return std::nullopt;
    const Index first = lattice.origin[a] + indices.lo[a] * lattice.stride[a];
    placement.answer_offset_bytes += (first - selection.origin[a]) / selection.stride[a] * row_bytes;
    strides[a] = step[a] * lattice.stride[a] / selection.stride[a] * row_bytes;
    row_bytes *= selection.count[a];
  }
  placement.in_part = SampleMap::ordered(indices, part.order, sample_bytes, step);
  placement.in_answer = SampleMap::strided(placement.in_part, strides);
  return placement;
}

/// Bytes of a part from the first to the last sample that is wanted.
struct ByteRange {
  Index first = 0, last = 0;
};

ByteRange range_of(const SampleMap& map, Index sample_bytes) {
  ByteRange range{0, sample_bytes};
  for (int a = 0; a < map.num_axes(); ++a) {
    range.first += map.axis(a).offset(0);  // higher indices stand further on
    range.last += map.axis(a).offset(map.axis(a).count - 1);
  }
  return range;
}

BlockShape shape_of(const BlockGrid& blocks, const FieldEntry& field, Index block) {
  const Lattice lattice = blocks.lattice(block);
  return {field.type, field.components, lattice.rank, lattice.count};
}

Status check_size(const StoredBlock& stored, const BlockShape& shape, Index block) {
  return check_stored_size(stored.codec, stored.size_bytes, shape)
      .with_context(fmt::format("block {}", block));
}

}  // namespace

Status BlockReader::read(Index block, const StoredBlock& stored) {
  const bool whole = stored.codec.kind != CodecKind::kRaw || (verify_ && stored.checksum);
  if (whole) {
    ESKER_RETURN_IF_ERROR(load_block(blocks_, field_, field_number_, block, stored, stored_bytes_, samples_));
  } else {
    ESKER_RETURN_IF_ERROR(check_size(stored, shape_of(blocks_, field_, block), block));
  }
  for (const PiecePart& part : block_parts(blocks_, block, stored.order)) {
    if (whole) {
      place_decoded_part(part);
    } else {
      ESKER_RETURN_IF_ERROR(read_raw_part(stored, part));
    }
  }
  return {};
}

Status BlockReader::read_raw_part(const StoredBlock& stored, const PiecePart& part) {
  const Index sample_bytes = field_.sample_bytes();
  const auto placement = place(part, answer_, sample_bytes);
  if (!placement) return {};
  const ByteRange range = range_of(placement->in_part, sample_bytes);
  samples_.resize(static_cast<std::size_t>(range.last - range.first));
  const Index offset = stored.offset_bytes + part.first_sample * sample_bytes + range.first;
  ESKER_RETURN_IF_ERROR(stored.file->file->read_at(samples_, offset));
  copy_samples(sample_bytes, samples_.data() - range.first, placement->in_part,
               answer_.out + placement->answer_offset_bytes, placement->in_answer);
  return {};
}

void BlockReader::place_decoded_part(const PiecePart& part) {
  const Index sample_bytes = field_.sample_bytes();
  const auto placement = place(part, answer_, sample_bytes);
  if (!placement) return;
  copy_samples(sample_bytes, samples_.data() + part.first_sample * sample_bytes, placement->in_part,
               answer_.out + placement->answer_offset_bytes, placement->in_answer);
}

Status load_block(const BlockGrid& blocks, const FieldEntry& field, int field_number, Index block,
                  const StoredBlock& stored, std::vector<std::byte>& stored_bytes,
                  std::vector<std::byte>& samples) {
  const BlockShape shape = shape_of(blocks, field, block);
  ESKER_RETURN_IF_ERROR(check_size(stored, shape, block));
  stored_bytes.resize(static_cast<std::size_t>(stored.size_bytes));
  ESKER_RETURN_IF_ERROR(stored.file->file->read_at(stored_bytes, stored.offset_bytes));
  if (stored.checksum && *stored.checksum != block_checksum(field_number, block, stored_bytes)) {
    return error(Code::kDataLoss, "block {}: the checksum does not match: its bytes were changed or lost",
                 block);
  }
  if (stored.codec.kind == CodecKind::kRaw) {
    samples.swap(stored_bytes);
    return {};
  }
  samples.resize(static_cast<std::size_t>(shape.size_bytes()));
  return decode(stored.codec, stored_bytes, shape, samples).with_context(fmt::format("block {}", block));
}

}  // namespace esker::idx
