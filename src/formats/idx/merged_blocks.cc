#include "formats/idx/merged_blocks.h"

#include <vector>

#include "formats/idx/idx_block.h"
#include "formats/idx/plain_blocks.h"
#include "grid/copy_samples.h"
#include "read/read_target.h"

namespace esker::idx {

void MergedBlocks::make(Index block, InBlockOrder order, std::span<const std::byte> of_bricks,
                        std::span<std::byte> out) const {
  const PlainBlocks form(bricks_, field_, 0);
  const Index sample_bytes = field_.sample_bytes();
  const auto gather = [&](const Lattice& samples, std::byte* to) {
    const auto target = ReadTarget::dense(samples, bricks_.mask().max_level(), to, sample_bytes);
    bricks_.for_each_block_meeting(samples.bounds(), bricks_.coarsest_level(), [&](Index brick) {
      form.place(brick, order, of_bricks.data() + brick * block_bytes(), target);
    });
  };
  if (order == InBlockOrder::kRowMajor) return gather(global_.lattice(block), out.data());
  std::vector<std::byte> dense(out.size());
  for (const PiecePart& part : block_parts(global_, block, order)) {
    gather(part.lattice, dense.data());
    const Box indices = part.lattice.all_indices();
    copy_samples(sample_bytes, dense.data(), SampleMap::dense(indices, sample_bytes),
                 out.data() + part.first_sample * sample_bytes,
                 SampleMap::ordered(indices, part.order, sample_bytes));
  }
}

}  // namespace esker::idx
