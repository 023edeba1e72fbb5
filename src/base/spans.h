// Seconds: how long one rank was busy with one kind of work. Spans: when, if someone asked for that.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace esker {

/// The latest intervals of a rank, by kind of work. Of one thread at a time.
class Spans {
 public:
  using Clock = std::chrono::steady_clock;
  /// The kind of the element with which a step begins; its `seconds` are 0.
  static constexpr std::int16_t kBegin = -1;

  struct Span {
    std::int64_t step = 0;
    double begin_s = 0;  ///< since `origin`
    float seconds = 0;
    std::int16_t kind = 0;
    std::int16_t is_cut = 0;  ///< kBegin: whether the first spans of the step were lost to later ones
  };

  /// Holds at least one span, and at most `most`: the latest. Allocates nothing later.
  Spans(std::size_t most, Clock::time_point origin) : ring_(most), origin_(origin) {}

  /// Spans from now on are of this step. Those of a step that was not kept are forgotten.
  void begin_step(std::int64_t step);
  /// Keeps the spans of the current step, which ends.
  void keep_step() {
    kept_begin_ = begin_;
    kept_size_ = in_step_;
    in_step_ = 0;
  }
  /// Of the kind that ended now, after so many seconds. Joins spans of one kind without a gap. Nothing
  /// outside of steps.
  void add(int kind, double seconds) { add(kind, seconds, Clock::now()); }
  /// The same at another time.
  void add(int kind, double seconds, Clock::time_point end);

  /// Those of kept steps, oldest first. Of the last one always the begin, also if it has more spans than
  /// there is room for, or a later step that was not kept had: then the latest spans that are left.
  [[nodiscard]] std::vector<Span> list() const;

 private:
  [[nodiscard]] std::size_t before(std::size_t place, std::size_t distance) const {
    return (place + ring_.size() - distance) % ring_.size();
  }
  [[nodiscard]] double seconds_at(Clock::time_point time) const {
    return std::chrono::duration<double>(time - origin_).count();
  }
  void push(const Span& span);

  std::vector<Span> ring_;
  Clock::time_point origin_;
  std::size_t next_ = 0, size_ = 0;
  std::size_t in_step_ = 0;  // the latest ones, of a step that is not kept yet
  std::int64_t step_ = 0;
  Span begin_, kept_begin_;    // of the current step, and of the latest that was kept
  std::size_t kept_size_ = 0;  // how many spans that one had
};

/// A sum of seconds. What is added has just ended, and becomes a span where spans are recorded.
class Seconds {
 public:
  Seconds() = default;
  operator double() const { return sum_; }  // NOLINT(google-explicit-constructor): it is a number
  Seconds& operator+=(double seconds) {
    sum_ += seconds;
    if (spans_) spans_->add(kind_, seconds);
    return *this;
  }
  /// Adds seconds that were recorded before, or takes some off.
  void correct(double seconds) { sum_ += seconds; }
  /// `spans` must outlive this object and its copies.
  void record_in(Spans& spans, int kind) {
    spans_ = &spans;
    kind_ = kind;
  }
  /// An empty sum of the same kind, recorded in the same place.
  [[nodiscard]] Seconds restarted() const {
    Seconds fresh = *this;
    fresh.sum_ = 0;
    return fresh;
  }

 private:
  double sum_ = 0;
  Spans* spans_ = nullptr;
  int kind_ = 0;
};

}  // namespace esker
