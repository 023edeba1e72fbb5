// SharedMemory: memory of a node, one segment per rank, which all ranks of the node read and write.
//
// Esker does not use MPI_Win_allocate_shared: it hangs the other ranks where /dev/shm is too small (shared
// rules, agreement). The memory never has a name in a directory (O_TMPFILE; the other ranks open it through
// /proc), so a killed rank leaves no file behind.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker {

class SharedMemory {
 public:
  /// Creates `bytes` for this rank, zeroed. Collective over `node`, whose ranks share memory; errors are
  /// those of all its ranks: kOutOfMemory with the number of bytes and the system's reason.
  static Result<std::unique_ptr<SharedMemory>> create(Comm& node, Index bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// The segment of a rank of the node. It begins at a page boundary.
  [[nodiscard]] std::span<std::byte> of(int node_rank) const {
    return {base_ + begins_[node_rank],
            static_cast<std::size_t>(begins_[node_rank + 1] - begins_[node_rank])};
  }

 private:
  SharedMemory() = default;
  [[nodiscard]] Status map(int descriptor);

  std::byte* base_ = nullptr;
  std::vector<Index> begins_;  // per rank of the node, then the end of the last
};

}  // namespace esker
