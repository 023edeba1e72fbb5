#include <bit>
#include <iterator>

#include "base/checked.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

/// Whether the bits are adjacent: an index is then shifted, not spread.
bool are_neighbours(std::uint64_t bits) { return std::has_single_bit((bits >> std::countr_zero(bits)) + 1); }

// Indices are added while spread over their bits: ones in between carry from each bit to the next one.
void append_spread(std::vector<Index>& table, const SampleOrder& order, int axis, Index first, Index count,
                   Index step, Index sample_bytes) {
  const std::uint64_t bits = order.axes[axis];
  const auto advance = static_cast<std::uint64_t>(order.on_axis(axis, step));
  auto at = static_cast<std::uint64_t>(order.on_axis(axis, first));
  for (Index i = 0; i < count; ++i) {
    table.push_back(static_cast<Index>(at) * sample_bytes);
    at = ((at | ~bits) + advance) & bits;
  }
}

}  // namespace

void SampleMap::begin_table(Axis& axis, Index count) {
  axis.begin_of_table = std::ssize(tables_);
  tables_.reserve(tables_.size() + static_cast<std::size_t>(count));
}

void SampleMap::add_repeated(Index count, Index first, Index step, Index repeat, Index stride_bytes) {
  if (repeat == 1 || step % repeat == 0) return add_strided(count, step / repeat * stride_bytes);
  Axis& axis = axes_[num_axes_++];
  axis.count = count;
  begin_table(axis, count);
  for (Index i = 0; i < count; ++i) {
    tables_.push_back(((first + i * step) / repeat - first / repeat) * stride_bytes);
  }
}

SampleMap SampleMap::strided(const Box& indices, const std::array<Index, kMaxRank>& stride_bytes) {
  SampleMap map;
  for (int a = 0; a < indices.rank; ++a) map.add_strided(indices.extent(a), stride_bytes[a]);
  return map;
}

SampleMap SampleMap::strided(const SampleMap& like, const std::array<Index, kMaxRank>& stride_bytes) {
  SampleMap map;
  for (int a = 0; a < like.num_axes(); ++a) map.add_strided(like.axis(a).count, stride_bytes[a]);
  return map;
}

SampleMap SampleMap::ordered(const Box& indices, const SampleOrder& order, Index sample_bytes,
                             const Point& step) {
  SampleMap map;
  map.num_axes_ = indices.rank;
  for (int a = 0; a < indices.rank; ++a) {
    const Index count = div_up(indices.extent(a), step[a]);
    Axis& axis = map.axes_[a];
    axis.count = count;
    if (count <= 1 || !order.has_bits || are_neighbours(order.axes[a])) {
      axis.first = order.on_axis(a, indices.lo[a]) * sample_bytes;
      axis.stride = count <= 1 ? 0 : order.on_axis(a, step[a]) * sample_bytes;
    } else {
      map.begin_table(axis, count);
      append_spread(map.tables_, order, a, indices.lo[a], count, step[a], sample_bytes);
    }
  }
  return map;
}

SampleMap SampleMap::dense(const Box& indices, Index sample_bytes) {
  std::array<Index, kMaxRank> strides{};
  Index stride = sample_bytes;
  for (int a = 0; a < indices.rank; ++a) {
    strides[a] = stride;
    stride *= indices.extent(a);
  }
  return strided(indices, strides);
}

}  // namespace esker
