// Shares data of any length. The ranks allocate the memory, and agree on it, before any data moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/comm.h"
#include "esker/types/status.hpp"

namespace esker {

/// Bytes of all ranks.
struct Gathered {
  std::unique_ptr<std::byte[]> joined;
  std::vector<std::span<const std::byte>> of_rank;
};

/// Every rank's bytes. Collective; errors are those of all ranks: kOutOfMemory.
Result<Gathered> gather(Comm& comm, std::span<const std::byte> mine);

/// Replaces `values`, a string or a vector of plain elements, by those of rank `root`. Collective; errors are
/// those of all ranks: kOutOfMemory.
template <class Values>
Status share(Comm& comm, Values& values, int root) {
  std::uint64_t count = values.size();
  comm.broadcast(std::as_writable_bytes(std::span(&count, 1)), root);
  ESKER_RETURN_IF_ERROR(all_do(comm, "broadcast", [&] {
    values.resize(count);
    return Status();
  }));
  comm.broadcast(std::as_writable_bytes(std::span(values)), root);
  return {};
}

/// The same for values that rank 0 makes, by an action, whose errors are those of all ranks, too. Collective.
template <class Values, class Make>
Status share_of_root(Comm& comm, const char* what, Values& values, const Make& make) {
  std::array<std::uint64_t, 1> count{};
  const Status made = all_do(comm, what, count, [&]() -> Status {
    if (comm.rank() != 0) return {};
    ESKER_RETURN_IF_ERROR(make());
    count[0] = values.size();
    return {};
  });
  ESKER_RETURN_IF_ERROR(made);
  ESKER_RETURN_IF_ERROR(all_do(comm, what, [&] {
    values.resize(count[0]);
    return Status();
  }));
  comm.broadcast(std::as_writable_bytes(std::span(values)), 0);
  return {};
}

/// Returns the text of rank `root`. Collective; errors are those of all ranks: kOutOfMemory.
Result<std::string> share_text(Comm& comm, std::string text, int root);

}  // namespace esker
