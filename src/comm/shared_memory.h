// SharedMemory: memory of a node, one stretch per rank, which all its ranks read and write.
//
// It is our own and not MPI's: MPI_Win_allocate_shared hangs the other ranks where /dev/shm is too small
// (shared rules, agreement). It never has a name in a directory (O_TMPFILE; the others open it
// through /proc), so nothing of it is left behind, whenever a rank is killed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/box.hpp"
#include "esker/status.hpp"

namespace esker {

class SharedMemory {
 public:
  /// `bytes` for this rank, zeroed. Collective over `node`, whose ranks share memory; errors are those of all
  /// its ranks: kOutOfMemory, naming the bytes and the system's reason.
  static Result<std::unique_ptr<SharedMemory>> create(Comm& node, Index bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// The stretch of a rank of the node. It begins a page.
  [[nodiscard]] std::span<std::byte> of(int node_rank) const {
    return {base_ + begins_[node_rank],
            static_cast<std::size_t>(begins_[node_rank + 1] - begins_[node_rank])};
  }

 private:
  SharedMemory() = default;
  [[nodiscard]] Status map(int descriptor);

  std::byte* base_ = nullptr;
  std::vector<Index> begins_;  // per rank of the node, and the end of all
};

}  // namespace esker
