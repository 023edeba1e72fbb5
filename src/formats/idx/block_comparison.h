// BlockComparison: compares stored blocks with the samples that they were made from.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "esker/types/original.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/block_files.h"
#include "formats/idx/idx_part.h"

namespace esker::idx {

class BlockComparison {
 public:
  /// What a field of the header holds: some components of a field of the schema; null: no field.
  struct Column {
    const Field* field = nullptr;
    int first_component = 0;
  };

  /// `columns`: one per field of the part's header. All references must outlive this object.
  BlockComparison(const IdxPart& part, std::vector<Column> columns, const ReadOriginal& original)
      : part_(part), columns_(std::move(columns)), original_(original) {}

  /// Compares the samples of a block inside the grid. `loaded`: as by IdxPart::load_block(). False: the
  /// original does not have them, or the block is lossy and has no errors to compare with. Errors: kDataLoss,
  /// naming the block, if the errors exceed the ones in its entry (0 for blocks without loss); those of the
  /// original.
  Result<bool> run(int column, Index block, Index step, const StoredBlock& stored,
                   std::span<const std::byte> loaded) const;

 private:
  /// The errors of some samples of a block; none if the original does not have them.
  Result<std::optional<BlockErrors>> measure(int column, Index block, Index step, const Lattice& samples,
                                             const StoredBlock& stored,
                                             std::span<const std::byte> loaded) const;
  /// Reads the component values of a column, dense.
  Result<bool> read_original(int column, Index step, const Lattice& samples, std::span<std::byte> out) const;

  const IdxPart& part_;
  std::vector<Column> columns_;
  const ReadOriginal& original_;
};

}  // namespace esker::idx
