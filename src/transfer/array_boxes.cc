#include "transfer/array_boxes.h"

#include <algorithm>
#include <limits>

namespace esker {

BoxWalk::BoxWalk(const ArrayBoxes& boxes)
    : boxes_(boxes),
      n_dims_(boxes.stride_bytes.size()),
      n_boxes_(n_dims_ == 0 ? 1 : boxes.start.size() / n_dims_),
      sample_bytes_(size_bytes(boxes.type)),
      memory_bytes_(size_bytes(boxes.memory_type)) {
  axes_.reserve(n_dims_);
}

// Axes that continue those before them, in the file and in memory, are joined to one run.
Index BoxWalk::use_box(std::size_t number, Index& at) {
  const Index* const start = boxes_.start.data() + number * n_dims_;
  const Index* const count = boxes_.count.data() + number * n_dims_;
  if (std::find(count, count + n_dims_, 0) != count + n_dims_) return 0;
  axes_.clear();
  run_ = {0, 1, nullptr, memory_bytes_};
  span_bytes_ = sample_bytes_;
  at = boxes_.offset_bytes;
  Index n = 1;
  for (std::size_t d = n_dims_; d-- > 0;) {
    at += start[d] * boxes_.stride_bytes[d];
    if (count[d] == 1) continue;
    const Index memory =
        boxes_.memory_stride_bytes.empty() ? n * memory_bytes_ : boxes_.memory_stride_bytes[d];
    add_axis(count[d], boxes_.stride_bytes[d] * (boxes_.step.empty() ? 1 : boxes_.step[d]), memory);
    n *= count[d];
  }
  return n;
}

void BoxWalk::add_axis(Index count, Index stride_bytes, Index memory_stride_bytes) {
  const bool continues = axes_.empty() && stride_bytes == span_bytes_ &&
                         (run_.count == 1 || memory_stride_bytes == run_.count * run_.stride_bytes);
  if (continues) {
    if (run_.count == 1) run_.stride_bytes = memory_stride_bytes;
    run_.count *= count;
  } else {
    axes_.push_back({count, stride_bytes, memory_stride_bytes, span_bytes_});
  }
  span_bytes_ += (count - 1) * stride_bytes;
}

FileRun BoxWalk::clipped(Index at, const std::byte* values, const FileRange& range) const {
  const Index first = std::max<Index>(0, ceil_div(range.begin - at, sample_bytes_));
  const Index last = std::min(run_.count, ceil_div(range.end - at, sample_bytes_));
  return {at + first * sample_bytes_, std::max<Index>(0, last - first), values + first * run_.stride_bytes,
          run_.stride_bytes};
}

FileRange BoxWalk::bounds(Index from) {
  FileRange bounds{std::numeric_limits<Index>::max(), 0};
  for_each_box([&](Index at, const std::byte*) {
    if (at + span_bytes_ <= from) return;
    bounds.begin = std::min(bounds.begin, std::max(at, from));
    bounds.end = std::max(bounds.end, at + span_bytes_);
  });
  return bounds;
}

}  // namespace esker
