// KnownShares: who holds the samples of a piece, found once for all fields that have it.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "plan/piece_space.h"
#include "plan/relays.h"

namespace esker {

/// In a file, the pieces of one field follow those of another. Remembers the pieces of the last file that was
/// asked for, up to a limit.
class KnownShares {
 public:
  KnownShares(const PieceSpace& space, const std::vector<FieldPatches>& fields, const Relays& relays);

  /// Null: not known. Valid until the next call of keep().
  [[nodiscard]] const std::vector<Share>* find(int field, const Piece& piece) const;
  /// `shares` are those of the whole piece, whose samples the ranks send directly.
  void keep(int field, const Piece& piece, const std::vector<Share>& shares);

 private:
  static constexpr std::size_t kMostShares = std::size_t{1} << 20;

  std::vector<int> first_alike_;  // [field]: the first with the same pieces; -1: no other field has them
  std::pair<int, Index> file_{-1, -1};  // of the pieces that are known: the first field, and the number
  std::size_t num_shares_ = 0;
  std::unordered_map<Index, std::vector<Share>> of_piece_;  // by its id
};

}  // namespace esker
