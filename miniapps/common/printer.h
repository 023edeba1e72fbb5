// Printer: what a model prints about its run, on one rank.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace miniapp {

class Printer {
 public:
  explicit Printer(bool wanted) : on_(wanted) {}

  template <class... Args>
  void operator()(fmt::format_string<Args...> format, Args&&... args) const {
    if (!on_) return;
    fmt::print(format, std::forward<Args>(args)...);
    std::fflush(stdout);
  }

 private:
  bool on_;
};

}  // namespace miniapp
