// Progress: one line on a terminal, updated in place while the model runs. Prints nothing elsewhere.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace miniapp {

class Progress {
 public:
  /// `unit` of the model's time, "year".
  Progress(bool wanted, const char* unit) : on_(wanted && isatty(STDERR_FILENO) == 1), unit_(unit) {}

  /// Shows the model time: at most five times a second, and only after two seconds of work.
  void show(double time, double end) {
    const auto now = Clock::now();
    if (!on_ || now - started_ < std::chrono::seconds(2) || now - shown_ < std::chrono::milliseconds(200))
      return;
    shown_ = now;
    fmt::print(stderr, "\rmodel {} {:.1f} of {:.1f} ", unit_, time, end);
    std::fflush(stderr);
  }
  /// Clears the line before other output, and restarts the two seconds.
  void clear() {
    if (on_ && shown_ > started_) fmt::print(stderr, "\r{:40}\r", "");
    started_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  const char* unit_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point shown_ = started_;
};

}  // namespace miniapp
