// Seconds, for the report.
#pragma once

#include <chrono>
#include <utility>

namespace esker {

class Stopwatch {
 public:
  /// Seconds since construction or the last lap().
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  /// Seconds since the last lap(), which begins anew.
  double lap() {
    const auto now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace esker
