#include "formats/vtkhdf/patch_reader.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "grid/copy_samples.h"
#include "read/row_major_reader.h"

namespace esker::vtkhdf {
namespace {

/// The samples of the patch that `wanted`, a lattice of the grid, needs, in indices of the patch. Of an
/// axis whose stride is not a multiple of the ratio, these are all samples of a range.
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

/// Where samples go: the first one, and the bytes from one to the next on each axis.
struct Target {
  std::byte* first = nullptr;
  std::array<Index, kMaxRank> strides{};
};

class PatchReader {
 public:
  PatchReader(const File& file, const StoredPatch& patch, const Point& ratio)
      : file_(file), patch_(patch), ratio_(ratio) {
    Index bytes = patch.sample_bytes;
    for (int a = 0; a < patch.box.rank; ++a) {
      index_bytes_[a] = bytes;
      bytes *= patch.box.extent(a);
    }
  }

  /// `axis` and faster ones are not divided yet. Every n-th sample of an axis that is divided is at a
  /// multiple of the ratio from the first.
  Status read(int axis, const Lattice& wanted, const Target& target) const {
    if (axis < 0) return read_ranges(wanted, target);
    if (!is_divided(axis, wanted)) return read(axis - 1, wanted, target);
    const Index n = ratio_[axis] / std::gcd(ratio_[axis], wanted.stride[axis]);
    for (Index i = 0; i < std::min(n, wanted.count[axis]); ++i) {
      Lattice part = wanted;
      part.origin[axis] += i * wanted.stride[axis];
      part.count[axis] = (wanted.count[axis] - i + n - 1) / n;
      part.stride[axis] = part.count[axis] > 1 ? n * wanted.stride[axis] : ratio_[axis];
      Target of_part = target;
      of_part.first += i * target.strides[axis];
      of_part.strides[axis] *= n;
      const Status status = read(axis - 1, part, of_part);
      if (!status.ok()) return status;
    }
    return {};
  }

 private:
  /// Whether the samples between those that are needed cost more than another read.
  [[nodiscard]] bool is_divided(int axis, const Lattice& wanted) const {
    const Index step = wanted.stride[axis] / ratio_[axis];
    return wanted.stride[axis] % ratio_[axis] != 0 && wanted.count[axis] > 1 && step > 0 &&
           step * index_bytes_[axis] > file_.cheap_gap_bytes();
  }

  Status read_ranges(const Lattice& wanted, const Target& target) const {
    const Lattice needed = needed_of(patch_, ratio_, wanted);
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(needed.num_samples() * patch_.sample_bytes));
    RowMajorReader reader(file_, patch_.offset, patch_.box.extents(), patch_.sample_bytes, needed);
    const Status read = reader.read(bytes.get(), [](std::span<std::byte>) {});
    if (!read.ok()) return read;
    SampleMap from;
    Index needed_bytes = patch_.sample_bytes;
    for (int a = 0; a < wanted.rank; ++a) {
      if (wanted.stride[a] % ratio_[a] == 0) {
        from.add_strided(wanted.count[a], needed_bytes);
      } else {
        const Index first = wanted.origin[a] % ratio_[a];
        from.add_repeated(wanted.count[a], first, wanted.stride[a], ratio_[a], needed_bytes);
      }
      needed_bytes *= needed.count[a];
    }
    copy_samples(patch_.sample_bytes, bytes.get(), from, target.first,
                 SampleMap::strided(from, target.strides));
    return {};
  }

  const File& file_;
  const StoredPatch& patch_;
  const Point& ratio_;
  Point index_bytes_{};  // in the file, of one index of each axis
};

}  // namespace

Status read_patch(const File& file, const StoredPatch& patch, const Point& ratio, const Lattice& samples,
                  const Box& indices, std::byte* out) {
  Target target{out, {}};
  Index stride = patch.sample_bytes;
  for (int a = 0; a < samples.rank; ++a) {
    target.strides[a] = stride;
    target.first += indices.lo[a] * stride;
    stride *= samples.count[a];
  }
  return PatchReader(file, patch, ratio).read(samples.rank - 1, samples.sub(indices), target);
}

}  // namespace esker::vtkhdf
