#include "formats/vtkhdf/patch_reader.h"

#include <array>
#include <memory>

#include "grid/copy_samples.h"
#include "read/row_major_reader.h"

namespace esker::vtkhdf {
namespace {

/// The samples of the patch that `wanted`, a lattice of the grid, needs, in indices of the patch. An axis
/// whose stride is not a multiple of the ratio needs all samples of a range.
Lattice needed_of(const StoredPatch& patch, const Point& ratio, const Lattice& wanted) {
  Lattice needed;
  needed.rank = wanted.rank;
  for (int a = 0; a < wanted.rank; ++a) {
    const Index first = wanted.origin[a] / ratio[a];
    const Index last = (wanted.origin[a] + (wanted.count[a] - 1) * wanted.stride[a]) / ratio[a];
    const bool is_regular = wanted.stride[a] % ratio[a] == 0;
    needed.origin[a] = first - patch.box.lo[a];
    needed.stride[a] = is_regular ? wanted.stride[a] / ratio[a] : 1;
    needed.count[a] = is_regular ? wanted.count[a] : last - first + 1;
  }
  return needed;
}

}  // namespace

Status read_patch(const File& file, const StoredPatch& patch, const Point& ratio, const Lattice& samples,
                  const Box& indices, std::byte* out) {
  const Lattice wanted = samples.sub(indices);
  const Lattice needed = needed_of(patch, ratio, wanted);
  const auto bytes = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(needed.num_samples() * patch.sample_bytes));
  RowMajorReader reader(file, patch.offset, patch.box.extents(), patch.sample_bytes, needed);
  const Status read = reader.read(bytes.get(), [](std::span<std::byte>) {});
  if (!read.ok()) return read;
  SampleMap from;
  std::array<Index, kMaxRank> strides{};  // of `out`
  Index needed_bytes = patch.sample_bytes, out_bytes = patch.sample_bytes;
  for (int a = 0; a < wanted.rank; ++a) {
    if (wanted.stride[a] % ratio[a] == 0) {
      from.add_strided(wanted.count[a], needed_bytes);
    } else {
      const Index first = wanted.origin[a] % ratio[a];
      from.add_repeated(wanted.count[a], first, wanted.stride[a], ratio[a], needed_bytes);
    }
    needed_bytes *= needed.count[a];
    strides[static_cast<std::size_t>(a)] = out_bytes;
    out += indices.lo[a] * out_bytes;
    out_bytes *= samples.count[a];
  }
  copy_samples(patch.sample_bytes, bytes.get(), from, out, SampleMap::strided(from, strides));
  return {};
}

}  // namespace esker::vtkhdf
