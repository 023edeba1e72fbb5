// load_piece: a piece of a window, from a dataset.
#pragma once

#include <cstddef>
#include <span>

#include "esker/lattice.hpp"
#include "esker/status.hpp"
#include "read/opened_dataset.h"
#include "read/parallel/read_request.h"

namespace esker {

/// Reads the samples `indices` of `samples`, the lattice of the column, to `bytes`: row-major, x fastest.
/// `indices` may reach beyond `domain`, which is within the lattice: what stands there is anything. Local;
/// allocates nothing itself.
Status load_piece(const OpenedDataset& data, const ReadColumn& column, const Lattice& samples,
                  const Box& domain, const Box& indices, std::span<std::byte> bytes, bool verify);

}  // namespace esker
