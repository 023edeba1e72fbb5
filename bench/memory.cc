#include "memory.h"

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

MemoryWatch::MemoryWatch()
    : start_(pss_bytes()), peak_(start_), thread_([this] {
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
