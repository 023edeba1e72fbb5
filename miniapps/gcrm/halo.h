// Halo: values of the cells beside the own ones, from the ranks that own them.
#pragma once

#include <mpi.h>

#include <vector>

#include "pieces.h"

namespace gcrm {

/// Which cells a rank needs of others. Neighbourship is mutual, so what others need of it follows, too.
struct Border {
  Stretch own;
  std::vector<Index> ghosts;  ///< cells of others beside own ones, ascending: owners one after the other
  /// Own cells beside a ghost, with its owner, ascending by owner, then cell; each once.
  std::vector<std::pair<int, Index>> wanted;
};

/// Local.
Border find_border(const Panels& panels, const Pieces& pieces, int rank);

class Halo {
 public:
  /// Local. All ranks of `comm` have a piece.
  Halo(MPI_Comm comm, const Pieces& pieces, const Border& border);

  /// Collective. `values` has `width` numbers per cell: own cells in their order, then ghosts, which are
  /// filled.
  void exchange(std::vector<double>& values, Index width) const;

 private:
  /// Cells that travel between this rank and another one.
  struct Message {
    int rank = 0;
    Index first = 0, count = 0;  ///< in `sent_`, or among all cells
  };

  MPI_Comm comm_;
  std::vector<Message> sends_, receives_;
  std::vector<Index> sent_;  ///< positions of own cells, message by message
};

}  // namespace gcrm
