#include "plan/segment_list.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace esker {
namespace {

// Signed numbers, small ones in one byte: zigzag, seven bits per byte, lowest bits first.
void append_number(std::string& text, Index number) {
  auto bits = (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
  for (; bits >= 0x80; bits >>= 7) text.push_back(static_cast<char>(bits | 0x80));
  text.push_back(static_cast<char>(bits));
}

Index take_number(const char*& next) {
  std::uint64_t bits = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*next++);
    bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return static_cast<Index>(bits >> 1) ^ -static_cast<Index>(bits & 1);
}

/// Appends the properties that all segments of a part share.
void append_part(std::string& text, const Segment& segment) {
  append_number(text, segment.samples.rank);
  append_number(text, segment.order.rank);
  append_number(text, segment.order.has_bits ? 1 : 0);
  for (int a = 0; a < segment.samples.rank; ++a) {
    append_number(text, segment.samples.origin[a] - segment.indices.lo[a] * segment.samples.stride[a]);
    append_number(text, segment.samples.stride[a]);
  }
  for (int a = 0; a < segment.order.rank; ++a) {
    append_number(text, static_cast<Index>(segment.order.axes[static_cast<std::size_t>(a)]));
  }
}

void append_segment(std::string& text, const Segment& segment, int patch_before, int first_relayed) {
  append_number(text, segment.patch - patch_before);
  append_number(text, segment.relayed < 0 ? -1 : segment.relayed - first_relayed);
  for (int a = 0; a < segment.samples.rank; ++a) {
    append_number(text, segment.indices.lo[a]);
    append_number(text, segment.samples.count[a]);
  }
}

}  // namespace

std::size_t SegmentPool::add(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>()(text);
  const auto [first, last] = places_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (std::string_view(text_).substr(it->second.begin, it->second.size) == text) return it->second.begin;
  }
  const std::size_t begin = text_.size();
  text_.append(text);
  places_.emplace(hash, Place{begin, text.size()});
  return begin;
}

void SegmentPool::complete() {
  text_.shrink_to_fit();
  places_ = {};
}

Index SegmentList::size() const {
  return std::accumulate(runs_.begin(), runs_.end(), Index{0},
                         [](Index sum, const Run& run) { return sum + run.count; });
}

void SegmentList::sort() {
  std::stable_sort(runs_.begin(), runs_.end(),
                   [](const Run& a, const Run& b) { return a.position < b.position; });
  runs_.shrink_to_fit();
}

SegmentList::Iterator& SegmentList::Iterator::operator++() {
  if (left_ > 0) {
    decode();
  } else {
    ++run_;
    begin_run();
  }
  return *this;
}

void SegmentList::Iterator::begin_run() {
  if (is_at_end()) return;
  const Run& run = list_->runs_[run_];
  segment_ = {};
  segment_.position = run.position;
  segment_.field = run.field;
  segment_.sample_bytes = run.sample_bytes;
  next_ = list_->pool_->at(run.text);
  const auto rank = static_cast<int>(take_number(next_));
  segment_.indices.rank = segment_.samples.rank = rank;
  segment_.order.rank = static_cast<int>(take_number(next_));
  segment_.order.has_bits = take_number(next_) != 0;
  for (int a = 0; a < rank; ++a) {
    origin_[a] = take_number(next_);
    segment_.samples.stride[a] = take_number(next_);
  }
  for (int a = 0; a < segment_.order.rank; ++a) {
    segment_.order.axes[static_cast<std::size_t>(a)] = static_cast<std::uint64_t>(take_number(next_));
  }
  left_ = run.count;
  decode();
}

void SegmentList::Iterator::decode() {
  --left_;
  segment_.patch += static_cast<int>(take_number(next_));
  const auto relayed = static_cast<int>(take_number(next_));
  segment_.relayed = relayed < 0 ? -1 : list_->runs_[run_].first_relayed + relayed;
  for (int a = 0; a < segment_.samples.rank; ++a) {
    const Index lo = take_number(next_);
    const Index count = take_number(next_);
    segment_.indices.lo[a] = lo;
    segment_.indices.hi[a] = lo + count;
    segment_.samples.origin[a] = origin_[a] + lo * segment_.samples.stride[a];
    segment_.samples.count[a] = count;
  }
}

void SegmentCollector::flush() {
  sorted_.resize(waiting_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Segment &left = waiting_[a].segment, &right = waiting_[b].segment;
    if (waiting_[a].list != waiting_[b].list) return std::less<>()(waiting_[a].list, waiting_[b].list);
    return std::tie(left.position, left.patch, left.indices.lo) <
           std::tie(right.position, right.patch, right.indices.lo);
  });
  for (std::size_t first = 0; first < sorted_.size();) {
    const Waiting& begin = waiting_[sorted_[first]];
    std::size_t last = first + 1;
    while (last < sorted_.size() && waiting_[sorted_[last]].list == begin.list &&
           waiting_[sorted_[last]].segment.position == begin.segment.position) {
      ++last;
    }
    add_run(first, last);
    first = last;
  }
  waiting_.clear();
  also_.clear();
}

/// Adds the run of sorted_[first, last).
void SegmentCollector::add_run(std::size_t first, std::size_t last) {
  const auto segment = [&](std::size_t s) -> const Segment& { return waiting_[sorted_[s]].segment; };
  int first_relayed = -1;
  for (std::size_t s = first; s < last; ++s) {
    const int relayed = segment(s).relayed;
    if (relayed >= 0 && (first_relayed < 0 || relayed < first_relayed)) first_relayed = relayed;
  }
  text_.clear();
  append_part(text_, segment(first));
  int patch_before = 0;
  for (std::size_t s = first; s < last; ++s) {
    append_segment(text_, segment(s), patch_before, first_relayed);
    patch_before = segment(s).patch;
  }
  const Waiting& any = waiting_[sorted_[first]];
  SegmentList::Run run{any.segment.position, any.segment.sample_bytes,
                       pool_->add(text_),    any.segment.field,
                       first_relayed,        static_cast<int>(last - first)};
  any.list->add(run, pool_);
  for (std::size_t a = any.first_also; a < any.last_also; ++a) {
    run.position = also_[a].position;
    run.sample_bytes = also_[a].sample_bytes;
    run.field = also_[a].field;
    also_[a].list->add(run, pool_);
  }
}

std::shared_ptr<const SegmentPool> SegmentCollector::complete() {
  pool_->complete();
  return pool_;
}

}  // namespace esker
