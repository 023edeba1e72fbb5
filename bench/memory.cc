#include "memory.h"

#ifdef __linux__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace bench {

esker::Index pss_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    esker::Index kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return kilobytes * 1024;
  }
  return -1;
}

namespace {

/// First returns freed memory to the system: if it were reused, new allocations would not be visible.
esker::Index pss_without_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return pss_bytes();
}

}  // namespace

MemoryWatch::MemoryWatch()
    : start_(pss_without_free_memory()), peak_(start_), thread_([this] {
        while (!stop_) {
          sample();
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
      }) {}

MemoryWatch::~MemoryWatch() {
  stop_ = true;
  thread_.join();
}

void MemoryWatch::sample() { peak_ = std::max(peak_.load(), pss_bytes()); }

}  // namespace bench
