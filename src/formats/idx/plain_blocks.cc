#include "formats/idx/plain_blocks.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "codec/codec.h"
#include "formats/idx/entries.h"
#include "formats/idx/idx_block.h"
#include "grid/copy_samples.h"

namespace esker::idx {
namespace {

BlockShape shape_of(const BlockGrid& blocks, const FieldEntry& field, Index block) {
  const Lattice lattice = blocks.lattice(block);
  return {field.type, field.components, lattice.rank, lattice.count};
}

/// Bytes of a part from the first to the last requested sample.
ByteRange range_of(const SampleMap& map, Index sample_bytes) {
  ByteRange range{0, sample_bytes};
  for (int a = 0; a < map.num_axes(); ++a) {
    range.first += map.offset(a, 0);  // higher indices have higher offsets
    range.last += map.offset(a, map.axis(a).count - 1);
  }
  return range;
}

/// Calls visit(part, common) for the parts of a block with requested samples.
template <class Visit>
void for_each_wanted_part(const BlockGrid& blocks, Index block, InBlockOrder order, const ReadTarget& target,
                          const Visit& visit) {
  const std::vector<PiecePart> parts = block_parts(blocks, block, order);
  const bool is_one_per_level = parts.size() > 1;
  for (std::size_t level = 0; level < parts.size(); ++level) {
    const int finest = blocks.brick_digits() + static_cast<int>(level);  // part 0 has one sample
    if (is_one_per_level && finest < target.start_level) continue;
    const auto common = common_samples(parts[level].lattice, target);
    if (common) visit(parts[level], *common);
  }
}

}  // namespace

bool PlainBlocks::is_encoded(const StoredBlock& stored) const { return stored.codec.kind != CodecKind::kRaw; }

Status PlainBlocks::check(Index block, const StoredBlock& stored) const {
  const bool of_brick = blocks_.brick_digits() > 0 && block < blocks_.num_first_blocks();
  const bool is_ours = stored.checksum || blocks_.brick_digits() > 0;  // others may set any flags
  if (is_ours && of_brick != ((stored.flags & kBrickFlag) != 0)) {
    return error(
        Code::kDataLoss,
        "block {}: expected samples of {}, found those of {}: if `esker merge` was interrupted, run it "
        "again",
        block, of_brick ? "one brick" : "the grid", of_brick ? "the grid" : "one brick");
  }
  return check_stored_size(stored.codec, stored.size_bytes, shape_of(blocks_, field_, block))
      .with_context(fmt::format("block {}", block));
}

Status PlainBlocks::check_bytes(Index block, const StoredBlock& stored,
                                std::span<const std::byte> bytes) const {
  if (!stored.checksum ||
      *stored.checksum == block_checksum(field_number_, block, stored.flags, bytes, stored.sum_version)) {
    return {};
  }
  return error(Code::kDataLoss, "block {}: the checksum does not match: its bytes were changed or lost",
               block);
}

Status PlainBlocks::decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                           std::span<std::byte> samples) const {
  return esker::decode(stored.codec, bytes, shape_of(blocks_, field_, block), samples)
      .with_context(fmt::format("block {}", block));
}

bool PlainBlocks::holds_any(Index block, const ReadTarget& target) const {
  return common_samples(blocks_.lattice(block), target).has_value();
}

ByteRange PlainBlocks::wanted_range(Index block, InBlockOrder order, const ReadTarget& target) const {
  const Index bytes = sample_bytes();
  std::optional<ByteRange> wanted;
  for_each_wanted_part(
      blocks_, block, order, target, [&](const PiecePart& part, const CommonSamples& common) {
        const auto map = SampleMap::ordered(common.indices, part.order, bytes, common.step);
        const ByteRange range = range_of(map, bytes);
        const Index first = part.first_sample * bytes + range.first;
        const Index last = part.first_sample * bytes + range.last;
        wanted = wanted ? ByteRange{std::min(wanted->first, first), std::max(wanted->last, last)}
                        : ByteRange{first, last};
      });
  return wanted.value_or(ByteRange());
}

void PlainBlocks::place(Index block, InBlockOrder order, const std::byte* samples,
                        const ReadTarget& target) const {
  const Index bytes = sample_bytes();
  for_each_wanted_part(
      blocks_, block, order, target, [&](const PiecePart& part, const CommonSamples& common) {
        const auto from = SampleMap::ordered(common.indices, part.order, bytes, common.step);
        const auto to = SampleMap::strided(from, common.target.stride_bytes());
        copy_samples(bytes, samples + part.first_sample * bytes, from, common.target.out, to);
      });
}

void PlainBlocks::fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const {
  const auto common = common_samples(blocks_.lattice(block), target);
  if (!common) return;
  const Box indices = common->target.samples.all_indices();
  copy_samples(static_cast<Index>(sample.size()), sample.data(), SampleMap::strided(indices, {}),
               common->target.out, SampleMap::strided(indices, common->target.stride_bytes()));
}

}  // namespace esker::idx
