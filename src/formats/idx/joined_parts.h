// Joined parts: .idx files with local coordinates, each with a box of a grid, that are read as one.
//
// There are two kinds: partitions of PIDX (pidx_partitions.h), and those of Esker that are stored separately
// (partition_index=local). A query reads the samples of every part whose box it meets, and copies them to the
// part's offset. Source: docs/formats/idx.md, sections 10 and 16.
#pragma once

#include <memory>
#include <vector>

#include "esker/types/lattice.hpp"
#include "formats/idx/catalog.h"
#include "formats/idx/idx_part.h"

namespace esker::idx {

struct JoinedPart {
  std::unique_ptr<IdxPart> part;
  Point offset{};  ///< position of its sample (0, 0, 0) in the complete dataset
  Box box;         ///< box of its samples in the complete dataset, clipped to it
};

/// Reads field number `field` of each part at integer time `time`. Thread-safe.
Status read_joined_parts(const std::vector<JoinedPart>& parts, int field, Index time,
                         const ReadTarget& target, const ReadContext& context);

/// The place that the catalog names. kDataLoss, naming the part, if its .idx is not of that place: another
/// size, or another corner in its record.
Result<JoinedPart> place_part(std::unique_ptr<IdxPart> part, const CatalogPart& named);

/// The complete dataset of parts that place_part() has placed; `named` are theirs, which cover the grid
/// exactly once. kDataLoss, naming the part, if their fields differ.
Result<std::unique_ptr<IdxPart>> join_parts(std::shared_ptr<Store> store, const std::string& path,
                                            const std::vector<const CatalogPart*>& named,
                                            std::vector<JoinedPart> parts);

}  // namespace esker::idx
