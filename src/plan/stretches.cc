#include "plan/stretches.h"

#include <algorithm>

namespace esker {

std::vector<PositionRange> united(std::vector<PositionRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const PositionRange& a, const PositionRange& b) { return a.begin < b.begin; });
  std::vector<PositionRange> found;
  for (const PositionRange& range : ranges) {
    if (range.begin == range.end) continue;
    if (!found.empty() && found.back().end == range.begin) {
      found.back().end = range.end;
    } else {
      found.push_back(range);
    }
  }
  return found;
}

Stretches::Stretches(const std::vector<PositionRange>& ranges) {
  for (const PositionRange& range : ranges) {
    in_order_.push_back({range.begin, range.end, size_bytes_});
    size_bytes_ += range.end - range.begin;
  }
  ascending_ = in_order_;
  std::sort(ascending_.begin(), ascending_.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
}

Index Stretches::place_of(Index position) const {
  const auto after = std::upper_bound(ascending_.begin(), ascending_.end(), position,
                                      [](Index at, const Stretch& s) { return at < s.begin; });
  const Stretch& stretch = *(after - 1);
  return stretch.before + position - stretch.begin;
}

std::vector<PositionRange> Stretches::slice(Index begin, Index end) const {
  std::vector<PositionRange> ranges;
  auto next = std::partition_point(in_order_.begin(), in_order_.end(),
                                   [&](const Stretch& s) { return s.before + (s.end - s.begin) <= begin; });
  for (; next != in_order_.end() && next->before < end; ++next) {
    ranges.push_back({next->begin + std::max<Index>(0, begin - next->before),
                      std::min(next->end, next->begin + (end - next->before))});
  }
  return ranges;
}

}  // namespace esker
