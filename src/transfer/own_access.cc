#include "transfer/own_access.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/byte_order.h"
#include "base/macros.h"
#include "store/read_present.h"
#include "transfer/convert_row.h"

namespace esker {
namespace {

constexpr Index kMostBytes = Index{1} << 20;

/// The array's strides, in bytes of the file.
std::array<Index, kMaxRank> strides_of(const FileArray& array) {
  std::array<Index, kMaxRank> strides{};
  Index bytes = array.sample_bytes();
  for (int a = 0; a < array.rank; ++a) {
    strides[static_cast<std::size_t>(a)] = bytes;
    bytes *= array.extent[static_cast<std::size_t>(a)];
  }
  return strides;
}

/// Calls visit(index) for the rows along x of a box, in file order; index.x is box.lo.x. Stops at an error.
template <class Visit>
Status for_each_row(const Box& box, const Visit& visit) {
  Point at = box.lo;
  while (true) {
    ESKER_RETURN_IF_ERROR(visit(at));
    int a = 1;
    while (a < box.rank && ++at[static_cast<std::size_t>(a)] == box.hi[static_cast<std::size_t>(a)]) {
      at[static_cast<std::size_t>(a)] = box.lo[static_cast<std::size_t>(a)];
      ++a;
    }
    if (a >= box.rank) return {};
  }
}

Index offset_of(const Point& at, const Point& from, const std::array<Index, kMaxRank>& strides, int rank) {
  Index bytes = 0;
  for (int a = 0; a < rank; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    bytes += (at[axis] - from[axis]) * strides[axis];
  }
  return bytes;
}

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
    const Status written = file_.write_at(buffer_, begin_);
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
  BoxReader(const File& file, const FileArray& array, const MutablePatch& patch,
            std::span<const std::byte> misfit)
      : file_(file), array_(array), patch_(patch), misfit_(misfit), strides_(strides_of(array)) {}

  /// A box at once if that reads little that is not needed, else the parts of it along its slowest axis.
  Status read(const Box& box, int axis) {
    const Index size = array_.sample_bytes();
    Point last = box.hi;
    for (int a = 0; a < box.rank; ++a) --last[static_cast<std::size_t>(a)];
    const Index span_bytes = offset_of(last, box.lo, strides_, box.rank) + size;
    const bool is_short = span_bytes <= kMostBytes;
    if (is_short && span_bytes <= std::max(2 * box.num_samples() * size, file_.cheap_gap_bytes()))
      return read_at_once(box, span_bytes);
    const auto of_axis = static_cast<std::size_t>(axis);
    const Index step = axis > 0 ? 1 : std::max<Index>(1, kMostBytes / size);
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
    ESKER_RETURN_IF_ERROR(read_present(file_, buffer_, offset));
    swap_bytes(buffer_, static_cast<int>(array_.sample_bytes()));
    return for_each_row(box, [&](const Point& at) {
      place_row(at, box.extent(0), buffer_.data() + offset_of(at, box.lo, strides_, box.rank));
      return Status();
    });
  }

  void place_row(const Point& at, Index count, const std::byte* source) {
    const Index target_bytes = size_bytes(patch_.type);
    auto* target = static_cast<std::byte*>(patch_.data) +
                   offset_of(at, patch_.box.lo, patch_.stride_bytes, patch_.box.rank);
    row_.resize(static_cast<std::size_t>(count * target_bytes));
    all_fit_ &=
        convert_row(array_.type, source, array_.sample_bytes(), patch_.type, misfit_, row_.data(), count);
    const Index stride = patch_.stride_bytes[0];
    if (stride == target_bytes) {
      std::memcpy(target, row_.data(), row_.size());
      return;
    }
    for (Index i = 0; i < count; ++i) {
      std::memcpy(target + i * stride, row_.data() + i * target_bytes,
                  static_cast<std::size_t>(target_bytes));
    }
  }

  const File& file_;
  const FileArray& array_;
  const MutablePatch& patch_;
  std::span<const std::byte> misfit_;
  std::array<Index, kMaxRank> strides_;
  std::vector<std::byte> buffer_, row_;
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
  BoxReader reader(file, array, patch, misfit);
  ESKER_RETURN_IF_ERROR(reader.read(patch.box, array.rank - 1));
  if (!reader.all_fit()) all_fit = false;
  return {};
}

}  // namespace esker
