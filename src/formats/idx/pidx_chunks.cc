#include "formats/idx/pidx_chunks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "codec/codec.h"
#include "formats/idx/idx_block.h"
#include "formats/idx/pidx_header.h"

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

Box samples_of(const Point& chunk) {
  Box samples{{0, 0, 0}, {kChunkEdge, kChunkEdge, kChunkEdge}};
  for (int a = 0; a < 3; ++a) {
    samples.lo[a] += chunk[a] * kChunkEdge;
    samples.hi[a] += chunk[a] * kChunkEdge;
  }
  return samples;
}

/// Copies the requested samples of one chunk.
void place_chunk(const Point& chunk, const std::byte* samples, Index sample_bytes, const ReadTarget& target) {
  const Box in_chunk = samples_of(chunk);
  for_each_index(target.samples.indices_in(in_chunk), [&](const Point& i) {
    const Point p = target.samples.point(i);
    Index from = 0;
    for (int a = 2; a >= 0; --a) from = from * kChunkEdge + (p[a] - in_chunk.lo[a]);
    std::memcpy(target.out + target.position(i) * target.sample_stride_bytes, samples + from * sample_bytes,
                static_cast<std::size_t>(sample_bytes));
  });
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
    return error(Code::kUnsupported,
                 "field '{}': chunks of {} components are not supported, as PIDX stores them out of order",
                 field.name, field.components);
  }
  if (chunks.zfp_bits == 0) return {};
  return check_fixed_rate(field.type, chunks.zfp_bits).with_context("field '" + field.name + "'");
}

Index PidxChunkBlocks::decoded_bytes() const {
  return blocks_.samples_per_block() * kChunkSamples * sample_bytes();
}

Status PidxChunkBlocks::check(Index block, const StoredBlock& stored) const {
  const Index expected = zfp_bits_ == 0 ? decoded_bytes() : blocks_.samples_per_block() * (zfp_bits_ / 8);
  if (stored.size_bytes == expected && stored.order == InBlockOrder::kHz &&
      stored.codec.kind == CodecKind::kRaw) {
    return {};
  }
  return error(Code::kDataLoss, "block {} has {} bytes, expected {} of chunks in HZ order with flags 0",
               block, stored.size_bytes, expected);
}

Status PidxChunkBlocks::decode(Index block, const StoredBlock& /*stored*/, std::span<const std::byte> bytes,
                               std::span<std::byte> samples) const {
  return decode_fixed_rate(field_.type, zfp_bits_, bytes, samples)
      .with_context(fmt::format("block {}", block));
}

template <class Visit>
void PidxChunkBlocks::for_each_wanted_chunk(Index block, const ReadTarget& target, const Visit& visit) const {
  const Box chunks = chunks_of(target.samples.bounds(), blocks_.mask().rank());
  for (const PiecePart& part : block_parts(blocks_, block, InBlockOrder::kHz)) {
    for_each_index(part.lattice.indices_in(chunks), [&](const Point& i) {
      visit(part.lattice.point(i), part.first_sample + part.order.at(i));
    });
  }
}

bool PidxChunkBlocks::holds_any(Index block, const ReadTarget& target) const {
  bool any = false;
  for_each_wanted_chunk(block, target, [&](const Point& chunk, Index /*number*/) {
    any = any || !target.samples.indices_in(samples_of(chunk)).empty();
  });
  return any;
}

ByteRange PidxChunkBlocks::wanted_range(Index /*block*/, InBlockOrder /*order*/,
                                        const ReadTarget& /*target*/) const {
  return {0, decoded_bytes()};
}

void PidxChunkBlocks::place(Index block, InBlockOrder /*order*/, const std::byte* samples,
                            const ReadTarget& target) const {
  const Index chunk_bytes = kChunkSamples * sample_bytes();
  for_each_wanted_chunk(block, target, [&](const Point& chunk, Index number) {
    place_chunk(chunk, samples + number * chunk_bytes, sample_bytes(), target);
  });
}

void PidxChunkBlocks::fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const {
  std::vector<std::byte> blank;
  for (Index n = 0; n < kChunkSamples; ++n) blank.insert(blank.end(), sample.begin(), sample.end());
  for_each_wanted_chunk(block, target, [&](const Point& chunk, Index /*number*/) {
    place_chunk(chunk, blank.data(), static_cast<Index>(sample.size()), target);
  });
}

}  // namespace esker::idx
