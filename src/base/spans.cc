#include "base/spans.h"

#include <algorithm>

namespace esker {

void Spans::begin_step(std::int64_t step) {
  const std::size_t forgotten = std::min(in_step_, size_);
  next_ = before(next_, forgotten);
  size_ -= forgotten;
  in_step_ = 0;
  step_ = step;
  begin_ = {step_, seconds_at(Clock::now()), 0, kBegin};
  push(begin_);
}

void Spans::add(int kind, double seconds, Clock::time_point end) {
  constexpr double kGap_s = 1e-6;  // not worth a separate span
  if (in_step_ == 0) return;
  const double end_s = seconds_at(end), begin_s = end_s - seconds;
  Span& last = ring_[before(next_, 1)];
  if (last.kind == kind && begin_s - (last.begin_s + static_cast<double>(last.seconds)) < kGap_s) {
    last.seconds = static_cast<float>(end_s - last.begin_s);
    return;
  }
  push({step_, begin_s, static_cast<float>(seconds), static_cast<std::int16_t>(kind)});
}

void Spans::push(const Span& span) {
  ring_[next_] = span;
  next_ = (next_ + 1) % ring_.size();
  size_ = std::min(size_ + 1, ring_.size());
  ++in_step_;
}

std::vector<Spans::Span> Spans::list() const {
  std::vector<Span> all;
  all.reserve(size_);
  for (std::size_t n = size_; n > std::min(in_step_, size_); --n) all.push_back(ring_[before(next_, n)]);
  const auto is_begin = [](const Span& span) { return span.kind == kBegin; };
  const bool is_begin_lost = is_begin(kept_begin_) && std::none_of(all.begin(), all.end(), is_begin);
  if (!is_begin_lost) return all;
  all.insert(all.begin(), kept_begin_);
  if (all.size() > ring_.size()) all.erase(all.begin() + 1);
  all.front().is_cut = all.size() < kept_size_ ? 1 : 0;
  return all;
}

}  // namespace esker
