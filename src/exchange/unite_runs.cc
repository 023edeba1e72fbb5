#include "exchange/unite_runs.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/macros.h"
#include "base/max_part.h"
#include "comm/agree.h"

namespace esker {
namespace {

/// The partners of a rank in one stage: whom it sends its runs to, and whose runs it receives; -1: none.
struct Partners {
  int to = -1, from = -1;
};

/// What start() begins is complete afterwards.
template <class Start>
void transfer(Comm& comm, const Start& start) {
  start();
  while (comm.wait_any_receive() >= 0) {
  }
  comm.finish();
}

std::size_t num_parts(std::size_t n_runs) {
  const std::size_t most = max_part_bytes();
  return (n_runs * sizeof(BlockRun) + most - 1) / most;
}

/// Calls visit(part) for the parts of `bytes` that one transfer moves.
template <class Byte, class Visit>
void for_each_part(std::span<Byte> bytes, const Visit& visit) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), max_part_bytes());
    visit(bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

/// Receives the runs of partners.from. The ranks agree on the memory between the sizes and the runs.
Status swap_runs(Comm& comm, const Partners& partners, const BlockRuns& mine, BlockRuns& theirs) {
  std::uint64_t n_mine = mine.size(), n_theirs = 0;
  transfer(comm, [&] {
    if (partners.from >= 0) {
      comm.start_receive(std::as_writable_bytes(std::span(&n_theirs, 1)), partners.from);
    }
    if (partners.to >= 0) comm.start_send(std::as_bytes(std::span(&n_mine, 1)), partners.to);
  });
  ESKER_RETURN_IF_ERROR(all_do(comm, "unite blocks", [&] {
    theirs.resize(n_theirs);
    comm.reserve_transfers(num_parts(n_mine), num_parts(n_theirs));
    return Status();
  }));
  transfer(comm, [&] {
    for_each_part(std::as_writable_bytes(std::span(theirs)),
                  [&](std::span<std::byte> part) { comm.start_receive(part, partners.from); });
    if (partners.to < 0) return;
    for_each_part(std::as_bytes(std::span(mine)),
                  [&](std::span<const std::byte> part) { comm.start_send(part, partners.to); });
  });
  return {};
}

Status add_theirs(Comm& comm, const Partners& partners, BlockRuns& runs) {
  BlockRuns theirs;
  ESKER_RETURN_IF_ERROR(swap_runs(comm, partners, runs, theirs));
  return all_do(comm, "unite blocks", [&] {
    runs = unite(runs, theirs);
    return Status();
  });
}

}  // namespace

// The ranks beyond the largest power of two join a partner first, and get the union from it last.
Status unite_over_ranks(Comm& comm, BlockRuns& runs) {
  const int rank = comm.rank(), size = comm.size();
  if (size == 1) return {};
  const auto power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const bool joins = rank >= power, is_joined = rank + power < size;
  ESKER_RETURN_IF_ERROR(all_do(comm, "unite blocks", [&] {
    comm.reserve_transfers(1, 1);
    return Status();
  }));
  if (power < size) {
    const Partners partners{joins ? rank - power : -1, is_joined ? rank + power : -1};
    ESKER_RETURN_IF_ERROR(add_theirs(comm, partners, runs));
  }
  for (int distance = 1; distance < power; distance *= 2) {
    const int partner = joins ? -1 : rank ^ distance;
    ESKER_RETURN_IF_ERROR(add_theirs(comm, {partner, partner}, runs));
  }
  if (power < size) {
    const Partners partners{is_joined ? rank + power : -1, joins ? rank - power : -1};
    BlockRuns all;
    ESKER_RETURN_IF_ERROR(swap_runs(comm, partners, runs, all));
    if (joins) runs = std::move(all);
  }
  return {};
}

}  // namespace esker
