#include "throttle.h"

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "dropped_writes.h"

extern "C" ssize_t __real_pwrite(int file, const void* bytes, std::size_t size, off_t offset);
extern "C" ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset);

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

StoreSpeed g_speed;
int* g_writers = nullptr;  // shared by the ranks of the node

/// Returns when a write of `bytes` that began at `start` is done.
void wait_for_store(double bytes, Clock::time_point start) {
  constexpr std::chrono::milliseconds kSlice{1};
  const std::atomic_ref<int> writers(*g_writers);
  Clock::time_point then = start;
  while (bytes > 0) {
    const double per_s = g_speed.bytes_per_s / (1 + g_speed.contention * (writers.load() - 1));
    std::this_thread::sleep_for(std::min<Clock::duration>(
        kSlice, std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(bytes / per_s))));
    const Clock::time_point now = Clock::now();
    bytes -= per_s * std::chrono::duration<double>(now - then).count();
    then = now;
  }
}

}  // namespace

Throttle::Throttle(const StoreSpeed& speed) {
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
  int rank = 0, unit = 0;
  MPI_Comm_rank(node_, &rank);
  const MPI_Aint own_bytes = rank == 0 ? sizeof(int) : 0;
  MPI_Win_allocate_shared(own_bytes, sizeof(int), MPI_INFO_NULL, node_, static_cast<void*>(&g_writers),
                          &writers_);
  MPI_Aint bytes = 0;
  MPI_Win_shared_query(writers_, 0, &bytes, &unit, static_cast<void*>(&g_writers));
  if (rank == 0) *g_writers = 0;
  MPI_Barrier(node_);
  g_speed = speed;
}

Throttle::~Throttle() {
  g_speed = {};
  if (std::uncaught_exceptions() > 0) return;  // on this rank alone: MPI_Abort follows
  MPI_Win_free(&writers_);
  MPI_Comm_free(&node_);
}

}  // namespace bench

ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (const std::size_t part = bench::stored_part(size, offset); part < size) {
    const ssize_t written = part > 0 ? __real_pwrite(file, bytes, part, offset) : 0;
    return written < static_cast<ssize_t>(part) ? written : static_cast<ssize_t>(size);
  }
  if (bench::g_speed.bytes_per_s <= 0) return __real_pwrite(file, bytes, size, offset);
  const std::atomic_ref<int> writers(*bench::g_writers);
  writers.fetch_add(1);
  const auto start = bench::Clock::now();
  const ssize_t written = __real_pwrite(file, bytes, size, offset);
  if (written > 0) bench::wait_for_store(static_cast<double>(written), start);
  writers.fetch_sub(1);
  return written;
}
