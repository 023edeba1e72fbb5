// Linux.
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/system.h"

namespace esker {
namespace {

constexpr auto kLustreMagic = 0x0BD00BD0;
constexpr mode_t kOwnerOnly = 0600;

/// From the /proc entry of a process.
ProcessFacts facts_at(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  // The second word is a name in brackets that may contain any characters. After it follow the state and, as
  // the twentieth word, the start time.
  constexpr int kWordsBehindState = 19;
  std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state, word;
  rest >> state;
  for (int i = 0; i < kWordsBehindState; ++i) rest >> word;
  return {state.empty() ? '\0' : state[0], rest ? word : ""};
}

}  // namespace

void mark_usable_processors(std::span<std::uint64_t> usable) {
  std::fill(usable.begin(), usable.end(), 0);
  ::cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof(mine), &mine) == 0) {
    const auto count = std::min<std::size_t>(usable.size(), CPU_SETSIZE);
    for (std::size_t p = 0; p < count; ++p) usable[p] = CPU_ISSET(p, &mine) ? 1 : 0;
    return;
  }
  std::fill_n(usable.begin(), std::min<std::size_t>(usable.size(), std::thread::hardware_concurrency()), 1);
}

void run_on_last(int cores) noexcept {
  const auto online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (cores <= 0 || online <= 0) return;
  ::cpu_set_t last;
  CPU_ZERO(&last);
  for (int processor = std::max(0, online - cores); processor < online; ++processor)
    CPU_SET(processor, &last);
  (void)::pthread_setaffinity_np(::pthread_self(), sizeof(last), &last);
}

// The priority of a process number that is a thread's is that of this thread alone.
void yield_to_program() noexcept {
  constexpr int kLower = 5;  // a third of the time of a thread that does not yield
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLower);
}

long thread_sleeps() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

int sync_data(int descriptor) noexcept { return ::fdatasync(descriptor); }

int open_unnamed_file(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  const bool is_missing = descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR);  // on some file systems
  return is_missing ? open_unlinked_file(directory) : descriptor;
}

int reserve_bytes(int descriptor, off_t bytes) noexcept { return ::posix_fallocate(descriptor, 0, bytes); }

// In another process namespace the process number denotes another process, so the path leads to another file.
std::string path_of_descriptor(int descriptor) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor);
}

void prefer_huge_pages(std::span<std::byte> memory) noexcept {
  (void)::madvise(memory.data(), memory.size(), MADV_HUGEPAGE);
}

std::uint64_t library_loads() noexcept {
  std::uint64_t loads = 0;
  const auto take = [](::dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<std::uint64_t*>(to) = info->dlpi_adds;
    return 1;  // the first has it
  };
  (void)::dl_iterate_phdr(take, &loads);
  return loads;
}

bool is_on_lustre(const std::string& path) noexcept {
  struct statfs facts {};
  int result = -1;
  do {
    result = ::statfs(path.c_str(), &facts);
  } while (result != 0 && errno == EINTR);
  return result == 0 && facts.f_type == kLustreMagic;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::string pid_namespace() {
  std::error_code failure;
  const std::string name = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  return failure ? "" : name;
}

// /proc may belong to another PID namespace, in which "self" is valid and a number is not.
ProcessFacts own_process_facts() { return facts_at("/proc/self/stat"); }

ProcessFacts process_facts(long process) { return facts_at(fmt::format("/proc/{}/stat", process)); }

bool process_numbers_are_ours() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self", failure).string() == std::to_string(::getpid());
}

}  // namespace esker
