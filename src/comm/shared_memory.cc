#include "comm/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/system.h"
#include "comm/agree.h"

namespace esker {
namespace {

constexpr Index kPageBytes = 4096;

constexpr const char* kDirectory = "/dev/shm";

/// Identifies a file of this process so that other processes of the same user can open it and verify it.
struct Address {
  std::array<char, 64> path{};
  std::uint64_t device = 0, inode = 0;
};

Address address_of(int descriptor) {
  Address address;
  fmt::format_to_n(address.path.data(), address.path.size() - 1, "{}", path_of_descriptor(descriptor));
  struct stat file {};
  if (::fstat(descriptor, &file) == 0) {
    address.device = file.st_dev;
    address.inode = file.st_ino;
  }
  return address;
}

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { set(-1); }
  void set(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

/// Tests set ESKER_TEST_SHARED_BYTES to limit the memory.
bool is_allowed(Index bytes) {
  const char* most = std::getenv("ESKER_TEST_SHARED_BYTES");
  return !most || bytes <= std::atoll(most);
}

Status no_memory(Index bytes, int reason) {
  return error(Code::kOutOfMemory, "cannot share {} bytes of memory on this node: {}", bytes,
               std::strerror(reason));
}

// A file without a name: nothing remains of it when the ranks are killed. The memory is reserved at creation,
// because a page that is missing later would be a SIGBUS.
Status make_memory(Index bytes, Descriptor& descriptor) {
  if (!is_allowed(bytes)) return no_memory(bytes, ENOSPC);
  descriptor.set(open_unnamed_file(kDirectory));
  if (descriptor.number() < 0) return no_memory(bytes, errno);
  const int failure = reserve_bytes(descriptor.number(), bytes);
  return failure == 0 ? Status() : no_memory(bytes, failure);
}

Status open_memory(const Address& address, Index bytes, Descriptor& descriptor) {
  descriptor.set(::open(address.path.data(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.number() < 0) return no_memory(bytes, errno);
  struct stat file {};
  const bool is_known = ::fstat(descriptor.number(), &file) == 0 && file.st_dev == address.device &&
                        file.st_ino == address.inode && file.st_size == bytes;
  return is_known ? Status() : no_memory(bytes, ESTALE);
}

}  // namespace

Status SharedMemory::map(int descriptor) {
  const Index bytes = begins_.back();
  void* memory =
      ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return no_memory(bytes, errno);
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
  Address address;
  Descriptor descriptor;  // of the rank that creates it, until all have joined
  Status made;
  if (node.rank() == 0) {
    made = guarded("share memory", [&]() -> Status {
      ESKER_RETURN_IF_ERROR(make_memory(memory->begins_.back(), descriptor));
      address = address_of(descriptor.number());
      return memory->map(descriptor.number());
    });
  }
  if (!made.ok()) address = {};
  node.broadcast(std::as_writable_bytes(std::span(&address, 1)), 0);
  const Status joined = all_do(node, "share memory", [&]() -> Status {
    const bool is_made = address.path[0] != 0;  // otherwise rank 0 says why
    if (node.rank() == 0 || !is_made) return made;
    ESKER_RETURN_IF_ERROR(open_memory(address, memory->begins_.back(), descriptor));
    return memory->map(descriptor.number());
  });
  ESKER_RETURN_IF_ERROR(joined);
  return memory;
}

SharedMemory::~SharedMemory() {
  if (base_) ::munmap(base_, static_cast<std::size_t>(begins_.back()));
}

}  // namespace esker
