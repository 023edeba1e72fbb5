#include "throttle.h"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <thread>

extern "C" ssize_t __real_pwrite(int file, const void* bytes, std::size_t size, off_t offset);
extern "C" ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset);

namespace bench {
namespace {

constexpr off_t kKept = off_t{64} << 10;

std::atomic<double> g_bytes_per_second{0};
std::atomic<bool> g_drops{false};

}  // namespace

void throttle_writes(double bytes_per_second) { g_bytes_per_second = bytes_per_second; }
void drop_writes(bool drops) { g_drops = drops; }

}  // namespace bench

ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (bench::g_drops && offset >= bench::kKept) return static_cast<ssize_t>(size);
  if (bench::g_drops && offset + static_cast<off_t>(size) > bench::kKept) {
    const ssize_t kept = __real_pwrite(file, bytes, static_cast<std::size_t>(bench::kKept - offset), offset);
    return kept < 0 ? kept : static_cast<ssize_t>(size);
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
