// Memory of this process, as the kernel counts it.
#pragma once

#include <atomic>
#include <thread>

#include "esker/types/box.hpp"

namespace bench {

/// Proportional set size: private pages, and this process' share of shared pages. -1 if the kernel does not
/// report it.
esker::Index pss_bytes();

/// Samples the process' memory from a thread during its lifetime.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  /// The largest growth since the beginning.
  [[nodiscard]] esker::Index peak_growth_bytes() const { return peak_ - start_; }

 private:
  void sample();

  esker::Index start_;
  std::atomic<esker::Index> peak_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bench
