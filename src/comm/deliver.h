// Deliveries: bytes for ranks that do not know who sends to them.
//
//   ESKER_ASSIGN_OR_RETURN(const Deliveries mail, deliver(comm, parcels));
//   for (const Delivery& from : mail.deliveries) read(from.rank, from.bytes);
//
// A rank's cost is that of its own partners, and a few small collectives: nothing of the size of the group.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/status.hpp"

namespace esker {

/// What one rank has for another, or for itself. The bytes are the caller's.
struct Parcel {
  int to = 0;
  std::span<const std::byte> bytes;
};

struct Delivery {
  int rank = 0;  ///< that sent it
  std::span<const std::byte> bytes;
};

/// What other ranks had for this one, by ascending ranks.
struct Deliveries {
  std::unique_ptr<std::byte[]> joined;
  std::vector<Delivery> deliveries;
};

/// Sends each parcel, at most one per receiver, and returns those for this rank. `expected` is a guess of how
/// many these are: one that is too low costs a second round. Collective; errors are those of all ranks:
/// kOutOfMemory, kUnsupported for a parcel of more than 1 GiB.
Result<Deliveries> deliver(Comm& comm, std::span<const Parcel> parcels, std::size_t expected = 0);

}  // namespace esker
