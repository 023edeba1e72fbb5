// load_piece: reads a piece of a collective buffer from a dataset.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/lattice.hpp"
#include "esker/types/status.hpp"
#include "read/opened_dataset.h"
#include "read/parallel/read_request.h"

namespace esker {

/// Reads the samples `indices` of `samples`, the lattice of the column, to `bytes`: row-major, x fastest.
/// `indices` may extend past `domain`, which is inside the lattice; the samples there are unspecified. Local;
/// allocates nothing itself.
Status load_piece(const OpenedDataset& data, const ReadColumn& column, const Lattice& samples,
                  const Box& domain, const Box& indices, std::span<std::byte> bytes, bool verify);

}  // namespace esker
