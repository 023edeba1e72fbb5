#include "read/row_major_reader.h"

#include <algorithm>

#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

constexpr Index kMaxSpanBytes = 1 << 20;  // of one read

}  // namespace

RowMajorReader::RowMajorReader(const File& file, Index offset, const Point& extent, Index sample_bytes,
                               const Lattice& selection)
    : file_(file), offset_(offset), sample_bytes_(sample_bytes), rank_(selection.rank) {
  Index index_bytes = sample_bytes;  // in the file, of one index of the axis
  Index span = sample_bytes, selected = sample_bytes;
  bool is_one_read = true;  // an index
  for (int a = 0; a < rank_; ++a) {
    offset_ += selection.origin[a] * index_bytes;
    const Index stride = selection.stride[a] * index_bytes;
    const bool joins = is_one_read && span <= kMaxSpanBytes && stride - span <= file.cheap_gap_bytes();
    const Index most = joins ? (kMaxSpanBytes - span) / stride + 1 : 0;
    axes_[a] = {selection.count[a], stride, span, selected, std::min(most, selection.count[a])};
    is_one_read = joins && most >= selection.count[a];
    span += (selection.count[a] - 1) * stride;
    selected *= selection.count[a];
    index_bytes *= extent[a];
  }
}

Status RowMajorReader::read(std::byte* out, const std::function<void(std::span<std::byte>)>& decode) {
  if (std::any_of(axes_.begin(), axes_.begin() + rank_, [](const Axis& axis) { return axis.count == 0; })) {
    return {};
  }
  decode_ = &decode;
  return read_axis(rank_ - 1, offset_, out);
}

Status RowMajorReader::read_axis(int axis, Index offset, std::byte* out) {
  if (axis < 0) return read_indices(0, 1, offset, out);
  const Axis& of = axes_[axis];
  const Index step = std::max<Index>(1, of.indices_per_read);
  for (Index i = 0; i < of.count; i += step) {
    const Index from = offset + i * of.stride_bytes;
    std::byte* to = out + i * of.selected_bytes;
    ESKER_RETURN_IF_ERROR(of.indices_per_read == 0
                              ? read_axis(axis - 1, from, to)
                              : read_indices(axis, std::min(step, of.count - i), from, to));
  }
  return {};
}

Status RowMajorReader::read_indices(int axis, Index n, Index offset, std::byte* out) {
  const Axis& of = axes_[axis];
  const Index span = (n - 1) * of.stride_bytes + of.span_bytes;
  const std::span selected(out, static_cast<std::size_t>(n * of.selected_bytes));
  if (span == static_cast<Index>(selected.size())) {
    ESKER_RETURN_IF_ERROR(file_.read_at(selected, offset));
  } else {
    buffer_.resize(static_cast<std::size_t>(span));
    ESKER_RETURN_IF_ERROR(file_.read_at(buffer_, offset));
    Point count{1, 1, 1, 1, 1};
    std::array<Index, kMaxRank> strides{};
    for (int a = 0; a <= axis; ++a) {
      count[a] = a < axis ? axes_[a].count : n;
      strides[a] = axes_[a].stride_bytes;
    }
    const Box indices = Box::from_extent(axis + 1, count);
    copy_samples(sample_bytes_, buffer_.data(), SampleMap::strided(indices, strides), out,
                 SampleMap::dense(indices, sample_bytes_));
  }
  (*decode_)(selected);
  return {};
}

}  // namespace esker
