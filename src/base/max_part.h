// The maximum size of one MPI or file system call, and thus of one message or collective buffer of a round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace esker {

/// 1 GiB: MPI counts are 32 bits, and Linux moves at most 2 GiB - 4 KiB per call. Tests lower it with
/// ESKER_TEST_MAX_PART (bytes), the same on all ranks, to exercise the code paths of large data.
inline std::size_t max_part_bytes() {
  static const std::size_t most = [] {
    constexpr long long kMost = 1LL << 30;
    const char* text = std::getenv("ESKER_TEST_MAX_PART");
    return static_cast<std::size_t>(text ? std::clamp(std::atoll(text), 1LL, kMost) : kMost);
  }();
  return most;
}

}  // namespace esker
