#include "read/pidx_chunks.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codec.h"
#include "format/idx/pidx_header.h"
#include "layout/idx_block.h"

namespace esker::idx {
namespace {

/// The box around the samples of a lattice that has some.
Box bounds(const Lattice& lattice) {
  Box box = Box::from_extent(lattice.rank, lattice.count);
  for (int a = 0; a < lattice.rank; ++a) {
    box.lo[a] = lattice.origin[a];
    box.hi[a] = lattice.origin[a] + (lattice.count[a] - 1) * lattice.stride[a] + 1;
  }
  return box;
}

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

Box chunks_of(const Box& box, int rank) {
  Box chunks = Box::from_extent(rank, {1, 1, 1, 1, 1});
  for (int a = 0; a < rank; ++a) {
    chunks.lo[a] = floor_div(box.lo[a], kChunkEdge);
    chunks.hi[a] = ceil_div(box.hi[a], kChunkEdge);
  }
  return chunks;
}

Status check_chunked_field(const PidxChunks& chunks, const FieldEntry& field) {
  if (field.components != 1) {
    return error(Code::kUnsupported, "field '{}': chunks of {} components, which PIDX stores out of order",
                 field.name, field.components);
  }
  if (chunks.zfp_bits == 0) return {};
  return check_fixed_rate(field.type, chunks.zfp_bits).with_context("field '" + field.name + "'");
}

PidxChunkReader::PidxChunkReader(const BlockGrid& blocks, int zfp_bits, const FieldEntry& field,
                                 const Lattice& selection, std::byte* out)
    : blocks_(blocks),
      zfp_bits_(zfp_bits),
      field_(field),
      selection_(selection),
      chunks_(selection.num_samples() == 0 ? Box() : chunks_of(bounds(selection), blocks.mask().rank())),
      out_(out) {}

Status PidxChunkReader::read(Index block, const StoredBlock& stored) {
  ESKER_RETURN_IF_ERROR(load(block, stored));
  const Index chunk_bytes = kChunkSamples * field_.sample_bytes();
  for (const PiecePart& part : block_parts(blocks_, block, InBlockOrder::kHz)) {
    for_each_index(part.lattice.indices_in(chunks_), [&](const Point& i) {
      const Index number = part.first_sample + part.order.at(i);
      place_chunk(part.lattice.point(i), samples_.data() + number * chunk_bytes);
    });
  }
  return {};
}

Status PidxChunkReader::load(Index block, const StoredBlock& stored) {
  const Index raw_bytes = blocks_.samples_per_block() * kChunkSamples * field_.sample_bytes();
  const Index expected = zfp_bits_ == 0 ? raw_bytes : blocks_.samples_per_block() * (zfp_bits_ / 8);
  if (stored.size_bytes != expected || stored.order != InBlockOrder::kHz ||
      stored.codec.kind != CodecKind::kRaw) {
    return error(Code::kDataLoss, "block {} has {} bytes, expected {} of chunks in HZ order with flags 0",
                 block, stored.size_bytes, expected);
  }
  samples_.resize(static_cast<std::size_t>(raw_bytes));
  if (zfp_bits_ == 0) return stored.file->file->read_at(samples_, stored.offset_bytes);
  stored_bytes_.resize(static_cast<std::size_t>(expected));
  ESKER_RETURN_IF_ERROR(stored.file->file->read_at(stored_bytes_, stored.offset_bytes));
  return decode_fixed_rate(field_.type, zfp_bits_, stored_bytes_, samples_)
      .with_context(fmt::format("block {}", block));
}

// `chunk` in chunks, `samples` its 64 samples.
void PidxChunkReader::place_chunk(const Point& chunk, const std::byte* samples) {
  Box in_chunk{{0, 0, 0}, {kChunkEdge, kChunkEdge, kChunkEdge}};
  for (int a = 0; a < 3; ++a) {
    in_chunk.lo[a] += chunk[a] * kChunkEdge;
    in_chunk.hi[a] += chunk[a] * kChunkEdge;
  }
  const Index bytes = field_.sample_bytes();
  for_each_index(selection_.indices_in(in_chunk), [&](const Point& i) {
    Index from = 0, to = 0;
    for (int a = 2; a >= 0; --a) {
      const Index p = selection_.origin[a] + i[a] * selection_.stride[a];
      from = from * kChunkEdge + (p - in_chunk.lo[a]);
      to = to * selection_.count[a] + i[a];
    }
    std::memcpy(out_ + to * bytes, samples + from * bytes, static_cast<std::size_t>(bytes));
  });
}

}  // namespace esker::idx
