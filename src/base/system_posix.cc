// Systems other than Linux: what POSIX says, else what the callers do without. ESKER_PORTABLE=ON takes it on
// Linux, too.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "base/system.h"

namespace esker {

void mark_usable_processors(std::span<std::uint64_t> usable) {
  std::fill(usable.begin(), usable.end(), 0);
  std::fill_n(usable.begin(), std::min<std::size_t>(usable.size(), std::thread::hardware_concurrency()), 1);
}

void run_on_last(int) noexcept {}

void yield_to_program() noexcept {}

void prefer_huge_pages(std::span<std::byte>) noexcept {}

std::uint64_t library_loads() noexcept {
  static std::atomic<std::uint64_t> calls = 0;
  return ++calls;
}

long thread_sleeps() noexcept { return 0; }

// fsync() of macOS leaves the data in the cache of the device; this command does not. Not all of its file
// systems have it.
int sync_data(int descriptor) noexcept {
#ifdef F_FULLFSYNC
  if (::fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  return ::fsync(descriptor);
}

int open_unnamed_file(const std::string& directory) { return open_unlinked_file(directory); }

int reserve_bytes(int, off_t) noexcept { return ENOTSUP; }

std::string path_of_descriptor(int) { return {}; }

bool is_on_lustre(const std::string&) noexcept { return false; }

std::string boot_id() { return {}; }

std::string pid_namespace() { return {}; }

ProcessFacts own_process_facts() { return {}; }

ProcessFacts process_facts(long) { return {}; }

bool process_numbers_are_ours() { return false; }

}  // namespace esker
