#include "comm/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

constexpr Index kPageBytes = 4096;

using Name = std::array<char, 64>;

/// A name that no other process, and no other memory of this one, has.
Name make_name() {
  static std::atomic<unsigned> number{0};
  Name name{};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  fmt::format_to_n(name.data(), name.size() - 1, "/esker-{}-{}-{}", ::getpid(), number++, now);
  return name;
}

/// Tests make memory scarce by ESKER_TEST_SHARED_BYTES.
bool is_allowed(Index bytes) {
  const char* most = std::getenv("ESKER_TEST_SHARED_BYTES");
  return !most || bytes <= std::atoll(most);
}

Status no_memory(Index bytes, int reason) {
  return error(Code::kOutOfMemory, "cannot share {} bytes of memory on this node: {}", bytes,
               std::strerror(reason));
}

}  // namespace

// Memory is reserved when it is made: a page that is missing later would be a SIGBUS.
Status SharedMemory::map(const char* name, bool make) {
  const Index bytes = begins_.back();
  if (make && !is_allowed(bytes)) return no_memory(bytes, ENOSPC);
  const int descriptor = ::shm_open(name, O_RDWR | (make ? O_CREAT | O_EXCL : 0), 0600);
  if (descriptor < 0) return no_memory(bytes, errno);
  const int reserved = make ? ::posix_fallocate(descriptor, 0, bytes) : 0;
  void* memory = MAP_FAILED;
  if (reserved == 0) {
    memory =
        ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  const int reason = reserved != 0 ? reserved : errno;
  ::close(descriptor);
  if (memory == MAP_FAILED) return no_memory(bytes, reason);
  base_ = static_cast<std::byte*>(memory);
  return {};
}

Result<std::unique_ptr<SharedMemory>> SharedMemory::create(Comm& node, Index bytes) {
  std::unique_ptr<SharedMemory> memory;
  std::vector<std::uint64_t> sizes;
  const auto n_ranks = static_cast<std::size_t>(node.size());
  ESKER_RETURN_IF_ERROR(all_do(node, "share memory", [&] {
    memory.reset(new SharedMemory());
    memory->begins_.reserve(n_ranks + 1);
    sizes.resize(n_ranks);
    return Status();
  }));
  node.all_gather(static_cast<std::uint64_t>(round_up(std::max<Index>(bytes, 1), kPageBytes)), sizes);
  memory->begins_.push_back(0);
  for (const std::uint64_t size : sizes) {
    memory->begins_.push_back(memory->begins_.back() + static_cast<Index>(size));
  }
  Name name{};
  Status made;
  if (node.rank() == 0) {
    made = guarded("share memory", [&] {
      name = make_name();
      return memory->map(name.data(), true);
    });
  }
  node.broadcast(std::as_writable_bytes(std::span(name)), 0);
  Status status = agree(node, made);
  if (status.ok() && node.size() > 1) {
    status = all_do(node, "share memory",
                    [&] { return node.rank() == 0 ? Status() : memory->map(name.data(), false); });
  }
  if (node.rank() == 0) (void)::shm_unlink(name.data());
  ESKER_RETURN_IF_ERROR(status);
  return memory;
}

SharedMemory::~SharedMemory() {
  if (base_) ::munmap(base_, static_cast<std::size_t>(begins_.back()));
}

}  // namespace esker
