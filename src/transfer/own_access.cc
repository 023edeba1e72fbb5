#include "transfer/own_access.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/byte_order.h"
#include "base/macros.h"
#include "store/read_present.h"
#include "transfer/box_rows.h"
#include "transfer/convert_row.h"

namespace esker {
namespace {

constexpr Index kMostBytes = Index{1} << 20;

/// Collects converted rows that follow each other in the file.
class RowWriter {
 public:
  /// For at most `n_bytes`.
  RowWriter(File& file, const FileArray& array, Index n_bytes) : file_(file), array_(array) {
    buffer_.reserve(static_cast<std::size_t>(std::min(n_bytes, kMostBytes)));
  }

  Status add(Index offset, SampleType type, const std::byte* source, Index stride_bytes, Index count,
             bool& all_fit) {
    const Index size = array_.sample_bytes();
    while (count > 0) {
      if (offset != begin_ + std::ssize(buffer_) || std::ssize(buffer_) + size > kMostBytes) {
        ESKER_RETURN_IF_ERROR(flush());
        begin_ = offset;
      }
      const Index n = std::min(count, (kMostBytes - std::ssize(buffer_)) / size);
      const std::size_t at = buffer_.size();
      buffer_.resize(at + static_cast<std::size_t>(n * size));
      all_fit &= convert_row(type, source, stride_bytes, array_.type, array_.fill, buffer_.data() + at, n);
      source += n * stride_bytes;
      offset += n * size;
      count -= n;
    }
    return {};
  }

  Status flush() {
    if (buffer_.empty()) return {};
    swap_bytes(buffer_, static_cast<int>(array_.sample_bytes()));
    Status written = file_.write_at(buffer_, begin_);
    buffer_.clear();
    return written;
  }

 private:
  File& file_;
  const FileArray& array_;
  std::vector<std::byte> buffer_;
  Index begin_ = 0;
};

/// Reads a box through a buffer.
class BoxReader {
 public:
  BoxReader(const File& file, Index file_bytes, const FileArray& array, const MutablePatch& patch,
            std::span<const std::byte> misfit)
      : file_(file),
        file_bytes_(file_bytes),
        array_(array),
        patch_(patch),
        misfit_(misfit),
        strides_(strides_of(array)) {}

  /// A box at once if that reads little that is not needed, else the parts of it along its slowest axis: as
  /// many indices as fit if what lies between them is read through, else one by one.
  Status read(const Box& box, int axis) {
    const Index size = array_.sample_bytes();
    const Extent in_file = extent_of(box);
    const bool has_cheap_gaps = in_file.largest_gap < file_.cheap_gap_bytes();
    const bool is_dense = has_cheap_gaps || in_file.span <= 2 * box.num_samples() * size;
    if (is_dense && in_file.span <= kMostBytes) return read_at_once(box, in_file.span);
    const auto of_axis = static_cast<std::size_t>(axis);
    const bool in_groups = axis == 0 || has_cheap_gaps;
    const Index step = in_groups ? std::max<Index>(1, kMostBytes / strides_[of_axis]) : 1;
    for (Index i = box.lo[of_axis]; i < box.hi[of_axis]; i += step) {
      Box part = box;
      part.lo[of_axis] = i;
      part.hi[of_axis] = std::min(i + step, box.hi[of_axis]);
      ESKER_RETURN_IF_ERROR(read(part, std::max(axis - 1, 0)));
    }
    return {};
  }

  [[nodiscard]] bool all_fit() const { return all_fit_; }

 private:
  Status read_at_once(const Box& box, Index span_bytes) {
    const Index offset = array_.offset_bytes + offset_of(box.lo, {}, strides_, box.rank);
    buffer_.resize(static_cast<std::size_t>(span_bytes));
    ESKER_RETURN_IF_ERROR(read_present(file_, file_bytes_, buffer_, offset));
    const Index size = array_.sample_bytes();
    return for_each_row(box, [&](const Point& at) {
      std::byte* const row = buffer_.data() + offset_of(at, box.lo, strides_, box.rank);
      swap_bytes({row, static_cast<std::size_t>(box.extent(0) * size)}, static_cast<int>(size));
      auto* const target = static_cast<std::byte*>(patch_.data) +
                           offset_of(at, patch_.box.lo, patch_.stride_bytes, patch_.box.rank);
      all_fit_ &= place_row(array_.type, row, size, patch_.type, misfit_, target, patch_.stride_bytes[0],
                            box.extent(0));
      return Status();
    });
  }

  /// Bytes from the first sample of a box to its last, and the largest gap between two of its rows.
  struct Extent {
    Index span = 0, largest_gap = 0;
  };
  [[nodiscard]] Extent extent_of(const Box& box) const {
    Extent extent{box.extent(0) * array_.sample_bytes(), 0};
    for (int a = 1; a < box.rank; ++a) {
      if (box.extent(a) == 1) continue;
      const Index stride = strides_[static_cast<std::size_t>(a)];
      extent.largest_gap = std::max(extent.largest_gap, stride - extent.span);
      extent.span += (box.extent(a) - 1) * stride;
    }
    return extent;
  }

  const File& file_;
  Index file_bytes_;
  const FileArray& array_;
  const MutablePatch& patch_;
  std::span<const std::byte> misfit_;
  std::array<Index, kMaxRank> strides_;
  std::vector<std::byte> buffer_;
  bool all_fit_ = true;
};

}  // namespace

Status write_alone(File& file, const FileArray& array, const Patch& patch, bool& all_fit) {
  if (patch.box.empty()) return {};
  RowWriter writer(file, array, patch.box.num_samples() * array.sample_bytes());
  const auto strides = strides_of(array);
  ESKER_RETURN_IF_ERROR(for_each_row(patch.box, [&](const Point& at) {
    const auto* source = static_cast<const std::byte*>(patch.data) +
                         offset_of(at, patch.box.lo, patch.stride_bytes, patch.box.rank);
    const Index offset = array.offset_bytes + offset_of(at, {}, strides, array.rank);
    return writer.add(offset, patch.type, source, patch.stride_bytes[0], patch.box.extent(0), all_fit);
  }));
  return writer.flush();
}

Status read_alone(const File& file, const FileArray& array, const MutablePatch& patch,
                  std::span<const std::byte> misfit, bool& all_fit) {
  if (patch.box.empty()) return {};
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  BoxReader reader(file, file_bytes, array, patch, misfit);
  ESKER_RETURN_IF_ERROR(reader.read(patch.box, array.rank - 1));
  if (!reader.all_fit()) all_fit = false;
  return {};
}

}  // namespace esker
