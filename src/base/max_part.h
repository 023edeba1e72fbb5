// The most that goes into one call of MPI or of the file system, and so into one message or window of a
// round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace esker {

/// 1 GiB: MPI counts are 32 bits, and Linux moves at most 2 GiB - 4 KiB per call. Tests lower it by
/// ESKER_TEST_MAX_PART (bytes), the same on all ranks, to take the paths that only large data take otherwise.
inline std::size_t max_part_bytes() {
  static const std::size_t most = [] {
    constexpr long long kMost = 1LL << 30;
    const char* text = std::getenv("ESKER_TEST_MAX_PART");
    return static_cast<std::size_t>(text ? std::clamp(std::atoll(text), 1LL, kMost) : kMost);
  }();
  return most;
}

}  // namespace esker
