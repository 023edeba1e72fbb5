#include "formats/idx/missing_blocks.h"

#include <algorithm>

#include "formats/idx/plain_blocks.h"
#include "grid/copy_samples.h"

namespace esker::idx {
namespace {

/// Each sample gets the value of the one that is `shift` samples further in the array.
void fill_from(Index shift, Index sample_bytes, const ReadTarget& gap) {
  const SampleMap map = SampleMap::strided(gap.samples.all_indices(), gap.stride_bytes());
  copy_samples(sample_bytes, gap.out + shift * gap.sample_stride_bytes, map, gap.out, map);
}

}  // namespace

// A level's samples are half way between coarser ones, on the axis that the level refines.
void fill_from_coarser(const BlockGrid& blocks, std::vector<Index> missing, Index sample_bytes,
                       const ReadTarget& target) {
  std::sort(missing.begin(), missing.end());  // blocks of finer levels have higher numbers
  const Lattice& samples = target.samples;
  for (const Index block : missing) {
    if (block == 0) continue;
    const Lattice lattice = blocks.lattice(block);
    const auto common = common_samples(lattice, target);
    if (!common) continue;
    const ReadTarget& gap = common->target;
    const int axis = blocks.mask().digit(blocks.level_of_block(block));
    const Index index = (gap.samples.origin[axis] - samples.origin[axis]) / samples.stride[axis];
    const Index apart = lattice.stride[axis] / 2 / samples.stride[axis];
    const Index shift = apart * target.strides[axis];
    Box inner = gap.samples.all_indices();
    if (index < apart) {  // the coarser sample before it is not in the target
      Box edge = inner;
      edge.hi[axis] = inner.lo[axis] = 1;
      if (index + apart < samples.count[axis]) fill_from(shift, sample_bytes, gap.sub(edge));
    }
    if (!inner.empty()) fill_from(-shift, sample_bytes, gap.sub(inner));
  }
}

}  // namespace esker::idx
