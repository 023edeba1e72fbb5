// Headers of version 7: blocks hold cells, coded with a fixed number of bits per sample.
//
// OpenVisus refuses this version. Source: docs/formats/idx.md, section 13.
#pragma once

#include "esker/types/status.hpp"
#include "formats/idx/header.h"
#include "grid/blocks.h"

namespace esker::idx {

inline constexpr int kCellVersion = 7;  ///< of (version)

/// The mask of samples: that of cells on `rank` axes, followed by the splits inside a cell. kDataLoss: more
/// axes, or too many levels.
Result<Bitmask> mask_of_samples(const Bitmask& cells, int rank);

/// The blocks of an .idx: of samples, or of cells.
BlockGrid block_grid(const Header& header);

/// If fields have stored_bits: sets header.cells, and then header.bitmask to the bitmask of the samples.
/// kUnsupported: neither these nor bricks, so that another extension is meant. kDataLoss: cells that cannot
/// be, see check_cell_form().
Status resolve_cells(Header& header);

}  // namespace esker::idx
