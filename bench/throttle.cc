#include "throttle.h"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "dropped_writes.h"

extern "C" ssize_t __real_pwrite(int file, const void* bytes, std::size_t size, off_t offset);
extern "C" ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset);

namespace bench {
namespace {

std::atomic<double> g_bytes_per_second{0};

}  // namespace

void throttle_writes(double bytes_per_second) { g_bytes_per_second = bytes_per_second; }

}  // namespace bench

ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (const std::size_t part = bench::stored_part(size, offset); part < size) {
    const bool has_failed = part > 0 && __real_pwrite(file, bytes, part, offset) < 0;
    return has_failed ? -1 : static_cast<ssize_t>(size);
  }
  const double rate = bench::g_bytes_per_second;
  const auto start = std::chrono::steady_clock::now();
  const ssize_t written = __real_pwrite(file, bytes, size, offset);
  if (rate > 0 && written > 0) {
    std::this_thread::sleep_until(start +
                                  std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                      std::chrono::duration<double>(static_cast<double>(written) / rate)));
  }
  return written;
}
