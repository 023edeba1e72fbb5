// Files of block sets: a byte says the grid, the rest is what the checksum covers.
#include <cstring>
#include <vector>

#include "formats/idx/block_set_file.h"
#include "fuzz/fuzz.h"
#include "store/checksum.h"

namespace {

using namespace esker;

constexpr std::size_t kColumns = 3;
constexpr std::size_t kStart = 16;

BlockGrid grid_of(std::uint8_t which) {
  const std::vector<Box> boxes{Box{{0, 0}, {33, 18}}, Box{{0}, {1000}},
                               Box{{0, 0, 0}, {1 << 20, 1 << 20, 1 << 20}}};
  const Box& box = boxes[which % boxes.size()];
  const Bitmask mask = Bitmask::for_extent(box.rank, box.hi).value();
  return {mask, std::min<int>(which / 16, mask.max_level()), box};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const BlockGrid grid = grid_of(data[0]);
  std::vector<std::byte> file(kStart);
  const auto rest = std::as_bytes(std::span(data, size)).subspan(1);
  file.insert(file.end(), rest.begin(), rest.end());
  std::memcpy(file.data(), "ESKBSET1", 8);
  const std::uint64_t sum = checksum(std::span(file).subspan(kStart), 0);
  std::memcpy(file.data() + 8, &sum, sizeof(sum));
  const auto sets = idx::decode_block_sets(file, grid, kColumns);
  fuzz::require_short_message(sets.status());
  if (!sets.ok()) return 0;
  for (const idx::StoredColumn& column : sets->columns) {
    if (!column.blocks) continue;
    fuzz::require(column.num_primary <= column.blocks->num_samples(), "primary samples are in the blocks");
    if (column.blocks->size() == 0) continue;
    const Index last = column.blocks->nth(column.blocks->size() - 1);
    fuzz::require(column.blocks->contains(last), "the last block is in its set");
  }
  const auto again = idx::encode_block_sets(*sets);
  fuzz::require(again.ok(), "decoded sets can be encoded");
  const auto same = idx::decode_block_sets(*again, grid, kColumns);
  fuzz::require(same.ok() && same->patches == sets->patches, "encoded sets can be decoded");
  for (std::size_t c = 0; same.ok() && c < kColumns; ++c) {
    const auto& one = sets->columns[c].blocks;
    const auto& other = same->columns[c].blocks;
    fuzz::require(!one == !other && (!one || one->runs() == other->runs()), "sets are kept");
  }
  return 0;
}
