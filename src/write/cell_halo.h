// CellHalo: the samples that complete the cells which a rank begins and other ranks' patches end.
//
// A cell belongs to the rank that holds its lowest sample (plan/cell_distribution.h). Where patches are not
// aligned to 4 samples, up to 3 layers behind the upper ends of a patch are missing. Their holders send them,
// once per step, before any cell is coded. Which samples these are follows from the boxes on both sides, so a
// message is bare samples. Patches aligned to 4 need nothing.
#pragma once

#include <memory>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "exchange/directory.h"
#include "exchange/message_transport.h"

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
    const Geometry& geometry = geometries_[columns_[column].geometry];
    const auto [first, last] = geometry.of_patch[static_cast<std::size_t>(patch)];
    for (std::size_t p = first; p < last; ++p) {
      const Piece& piece = geometry.pieces[p];
      visit(Part{piece.box, received_.data() + columns_[column].offset_bytes +
                                piece.first_sample * columns_[column].bytes});
    }
  }

 private:
  /// Samples that one patch holds and another needs.
  struct Piece {
    int peer = 0;            // the rank at the other end
    int receiver_patch = 0;  // the patch that needs them
    int slab = 0;            // of what that patch needs
    int sender_patch = 0;    // the patch that holds them
    Box box;
    Index first_sample = 0;  // in the memory of a column; of sent ones: in the send buffer
  };
  struct Range {
    std::size_t first = 0, last = 0;
  };
  /// What the columns with the same holders have in common.
  struct Geometry {
    const Distribution* holders = nullptr;
    std::vector<Piece> sent;      // by peer, then as the receiver lists them
    std::vector<Piece> received;  // by peer, then by (receiver_patch, slab, sender_patch)
    std::vector<Piece> pieces;    // those received, by patch
    std::vector<Range> of_patch;  // [patch] -> pieces
    Index sent_samples = 0, received_samples = 0;
  };
  struct ColumnOf {
    int number = 0;
    std::size_t geometry = 0;
    Index bytes = 0;         // of a sample
    Index offset_bytes = 0;  // in received_
  };

  static void find_received(Geometry& geometry, int rank);
  static void find_sent(Geometry& geometry, int rank);
  static void place_pieces(std::vector<Piece>& pieces, Index& num_samples);
  std::size_t geometry_of(const Distribution* holders, int rank);
  static Status check_messages(const std::vector<Piece>& pieces, Index bytes);
  Status make_room(Comm& comm);
  void run(Comm& comm, const ColumnOf& column, const PatchList& patches);

  std::vector<Geometry> geometries_;
  std::vector<ColumnOf> columns_;
  std::vector<std::byte> received_, send_;
};

}  // namespace esker
