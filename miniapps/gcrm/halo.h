// Halo: values of the neighbor cells, from the ranks that own them.
#pragma once

#include <mpi.h>

#include <vector>

#include "pieces.h"

namespace gcrm {

/// The cells that a rank needs from others. Neighbors are mutual, so the cells that others need from this
/// rank follow from it.
struct Border {
  Stretch own;
  std::vector<Index> ghosts;  ///< neighbor cells that other ranks own, ascending, so grouped by owner
  /// Own cells next to a ghost, with the ghost's owner, ascending by owner, then cell; each once.
  std::vector<std::pair<int, Index>> wanted;
};

/// Local.
Border find_border(const Panels& panels, const Pieces& pieces, int rank);

class Halo {
 public:
  /// Local. Each rank of `comm` has a piece.
  Halo(MPI_Comm comm, const Pieces& pieces, const Border& border);

  /// Collective. `values` has `width` numbers per cell: own cells in their order, then ghosts, which are
  /// filled.
  void exchange(std::vector<double>& values, Index width) const;

 private:
  /// Cells that this rank exchanges with another rank.
  struct Message {
    int rank = 0;
    Index first = 0, count = 0;  ///< in `sent_`, or among all cells
  };

  MPI_Comm comm_;
  std::vector<Message> sends_, receives_;
  std::vector<Index> sent_;  ///< positions of own cells, message by message
};

}  // namespace gcrm
