#include "formats/idx/idx_choice.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "grid/blocks.h"
#include "layout/choose_block_bits.h"

namespace esker::idx {
namespace {

constexpr Index kMaxChosenBlockBytes = Index{256} << 10;
constexpr Index kMaxFileBytes = Index{64} << 20;
constexpr Index kMinFileBytes = Index{4} << 20;
constexpr Index kWantedFiles = 8;

}  // namespace

double stored_over_data(const Bitmask& mask, int bits_per_block, const Box& box) {
  const BlockGrid blocks(mask, bits_per_block, box);
  return static_cast<double>(blocks.num_existing()) * static_cast<double>(blocks.samples_per_block()) /
         static_cast<double>(box.num_samples());
}

int choose_bits_per_block(const Bitmask& mask, const Box& box, const SampleBytes& sample_bytes) {
  std::vector<StoredByBits> choices;
  const auto data = static_cast<double>(box.num_samples());
  for (int bits = std::min(mask.max_level(), 30); bits >= 1; --bits) {
    if (sample_bytes.largest << bits > kMaxChosenBlockBytes && bits > 1) continue;
    if (sample_bytes.smallest << bits < kMinBlockBytes && !choices.empty()) break;
    choices.push_back({bits, stored_over_data(mask, bits, box) * data, data});
  }
  return choose_block_bits(choices);
}

Index choose_blocks_per_file(Index num_blocks, Index num_existing, Index block_bytes, Index partitions) {
  const Index step_bytes = num_existing * block_bytes;
  const Index file_bytes = std::clamp(step_bytes / kWantedFiles, kMinFileBytes, kMaxFileBytes);
  Index wanted = std::max<Index>(1, file_bytes / block_bytes);
  if (partitions > 0) wanted = std::max(wanted, num_existing / (partitions * kWantedFiles));
  const Index power = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
  return std::min(power, num_blocks);
}

}  // namespace esker::idx
