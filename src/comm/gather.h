// Sharing data of any length: the memory for it is allocated, and agreed on, before anything is moved.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/status.hpp"

namespace esker {

/// Bytes of all ranks.
struct Gathered {
  std::unique_ptr<std::byte[]> joined;
  std::vector<std::span<const std::byte>> of_rank;
};

/// Every rank's bytes. Collective; errors are those of all ranks: kOutOfMemory.
Result<Gathered> gather(Comm& comm, std::span<const std::byte> mine);

/// Text of rank `root`. Collective; errors are those of all ranks: kOutOfMemory.
Result<std::string> share_text(Comm& comm, std::string text, int root);

}  // namespace esker
