#include "grid/memory_overlap.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "grid/value_name.h"

namespace esker {
namespace {

__extension__ typedef __int128 Wide;  // sums of strides times extents

Wide magnitude(Wide a) { return a < 0 ? -a : a; }

constexpr int kComponents = kMaxRank;  // the number of the components' axis
constexpr int kMostVisits = 100000;

struct StridedAxis {
  int number;
  Index count, stride;
};

/// Looks for differences of indices, not all 0, at which two values lie less than `element_bytes` apart.
class Search {
 public:
  Search(const Patch& patch, int components) : element_bytes_(size_bytes(patch.type)) {
    for (int a = 0; a < patch.box.rank; ++a)
      add(a, patch.count_in_memory(a), patch.stride_bytes[a], patch.repeats);
    add(kComponents, components, patch.component_stride_bytes, false);
    for (int i = num_axes_; i-- > 0;) {
      reach_[i] = reach_[i + 1] + magnitude(axes_[i].stride) * (axes_[i].count - 1);
    }
  }

  bool find() { return find_from(0, 0, false); }

  [[nodiscard]] MemoryOverlap found() const {
    MemoryOverlap overlap;
    for (int i = 0; i < num_axes_; ++i) {
      const Index first = std::max<Index>(difference_[i], 0), second = std::max<Index>(-difference_[i], 0);
      if (axes_[i].number == kComponents) {
        overlap.first_component = static_cast<int>(first);
        overlap.second_component = static_cast<int>(second);
      } else {
        overlap.first[axes_[i].number] = first;
        overlap.second[axes_[i].number] = second;
      }
    }
    return overlap;
  }

 private:
  /// The axes are sorted by stride, largest first.
  void add(int number, Index count, Index stride, bool may_repeat) {
    if (count <= 1 || (stride == 0 && may_repeat)) return;
    int i = num_axes_++;
    for (; i > 0 && magnitude(axes_[i - 1].stride) < magnitude(stride); --i) axes_[i] = axes_[i - 1];
    axes_[i] = {number, count, stride};
  }

  /// Whether differences along axes `i` and later reduce `distance` below one element. `moved`: an earlier
  /// difference is not 0. The first nonzero difference is positive.
  bool find_from(int i, Wide distance, bool moved) {
    if (i == num_axes_) return moved && magnitude(distance) < element_bytes_;
    if (++visits_ > kMostVisits) return false;
    const StridedAxis& axis = axes_[i];
    const Wide stride = axis.stride, most = axis.count - 1, rest = reach_[i + 1] + element_bytes_ - 1;
    Wide low = moved ? 0 : most, high = low;  // for a stride of 0
    if (stride != 0) {                        // |distance + d * stride| <= rest
      low = moved ? -most : 0;
      high = most;
      const Wide length = magnitude(stride), along = stride > 0 ? distance : -distance;
      low = std::max(low, -floor_div(along + rest, length));
      high = std::min(high, floor_div(rest - along, length));
    }
    for (Wide d = high; d >= low; --d) {  // 0 last: what differs is found early
      difference_[i] = static_cast<Index>(d);
      if (find_from(i + 1, distance + d * stride, moved || d != 0)) return true;
      if (visits_ > kMostVisits) return false;
    }
    return false;
  }

  static Wide floor_div(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

  static constexpr int kMostAxes = kMaxRank + 1;
  Wide element_bytes_;
  int num_axes_ = 0, visits_ = 0;
  std::array<StridedAxis, kMostAxes> axes_{};
  std::array<Wide, kMostAxes + 1> reach_{};  // of axes i and later, together
  std::array<Index, kMostAxes> difference_{};
};

}  // namespace

std::optional<MemoryOverlap> find_memory_overlap(const Patch& patch, int components) {
  Search search(patch, components);
  if (!search.find()) return std::nullopt;
  return search.found();
}

Status check_memory(const Patch& patch, int components) {
  const auto overlap = find_memory_overlap(patch, components);
  if (!overlap) return {};
  const int n_axes = patch.box.rank;
  const auto* first = patch.stride_bytes.data();
  std::string strides = fmt::format("{}", fmt::join(first, first + n_axes, ", "));
  if (components > 1) {
    strides += fmt::format("; {} between the {} components", patch.component_stride_bytes, components);
  }
  return error(Code::kInvalidArgument,
               "the patch {} has strides of {} bytes: {} and {} share memory; give one stride per axis, "
               "large enough to step over all components of a sample",
               patch.box.to_string(), strides,
               value_name(patch.box, overlap->first, overlap->first_component, components),
               value_name(patch.box, overlap->second, overlap->second_component, components));
}

}  // namespace esker
