// CellHalo: the samples that complete the cells which a rank begins and other ranks' patches end.
//
// A cell belongs to the rank that holds its lowest sample (plan/cell_distribution.h). Where patches are not
// aligned to 4 samples, up to 3 layers behind the upper ends of a patch are missing. Their holders send them
// (write/halo_geometry.h), once per step, before any cell is coded. Patches aligned to 4 need nothing.
#pragma once

#include <memory>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "exchange/directory.h"
#include "exchange/message_transport.h"
#include "write/halo_geometry.h"

namespace esker {

class CellHalo {
 public:
  /// A field of the plan whose samples are cells; patches have one component of `sample_bytes`.
  struct Column {
    int number = 0;                               ///< of the field in the plan
    std::shared_ptr<const Distribution> holders;  ///< of the samples: a list of the directory
    Index sample_bytes = 0;
  };

  /// Plans the exchange and allocates its memory. Collective; errors are those of all ranks (memory).
  Status plan(Comm& comm, Directory& directory, std::vector<Column> columns);
  /// Memory that counts in the budget: what is received for all columns, and sent for one at a time.
  [[nodiscard]] Index size_bytes() const { return std::ssize(received_) + std::ssize(send_); }

  /// Sends and receives the samples of a step. Collective; allocates nothing. The planned bytes move in any
  /// case.
  void exchange(Comm& comm, const PatchesOfFields& patches);

  /// Samples of `box`, dense, x fastest, that another patch holds.
  struct Part {
    Box box;
    const std::byte* samples = nullptr;
  };
  /// Calls visit(part) for the samples of column `column` (index in the list) that complete the cells of a
  /// patch.
  template <class Visit>
  void for_each_part(std::size_t column, int patch, const Visit& visit) const {
    const ColumnOf& of = columns_[column];
    for (const HaloGeometry::Piece& piece : geometries_[of.geometry].halo.pieces_of(patch)) {
      visit(Part{piece.box, received_.data() + of.offset_bytes + piece.first_sample * of.bytes});
    }
  }

 private:
  /// What the columns with the same holders have in common.
  struct Geometry {
    const Distribution* holders = nullptr;
    HaloGeometry halo;
  };
  struct ColumnOf {
    int number = 0;
    std::size_t geometry = 0;
    Index bytes = 0;         // of a sample
    Index offset_bytes = 0;  // in received_
  };

  std::size_t geometry_of(const Distribution* holders, int rank);
  Status make_room(Comm& comm);

  std::vector<Geometry> geometries_;
  std::vector<ColumnOf> columns_;
  std::vector<std::byte> received_, send_;
};

}  // namespace esker
