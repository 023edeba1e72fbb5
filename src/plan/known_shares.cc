#include "plan/known_shares.h"

#include <algorithm>

#include "plan/alike_fields.h"

namespace esker {
namespace {

bool are_relayed_alike(const std::vector<VirtualGrid>& a, const std::vector<VirtualGrid>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const VirtualGrid& one, const VirtualGrid& other) {
                      return one.levels.first == other.levels.first && one.levels.last == other.levels.last &&
                             one.boxes.has_value() == other.boxes.has_value();
                    });
}

}  // namespace

KnownShares::KnownShares(const PieceSpace& space, const std::vector<FieldPatches>& fields,
                         const Relays& relays)
    : first_alike_(fields.size(), -1) {
  const auto are_alike = [&](std::size_t f, std::size_t g) {
    return have_same_pieces(space, fields[f], fields[g]) &&
           are_relayed_alike(relays.relay_grids(static_cast<int>(f)),
                             relays.relay_grids(static_cast<int>(g)));
  };
  std::vector<std::size_t> firsts;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto first = std::find_if(firsts.begin(), firsts.end(),
                                    [&](std::size_t candidate) { return are_alike(candidate, f); });
    if (first == firsts.end()) {
      firsts.push_back(f);
    } else {
      first_alike_[f] = first_alike_[*first] = static_cast<int>(*first);
    }
  }
}

const std::vector<Share>* KnownShares::find(int field, const Piece& piece) const {
  const int first = first_alike_[static_cast<std::size_t>(field)];
  if (first < 0 || file_ != std::pair(first, piece.file)) return nullptr;
  const auto known = of_piece_.find(piece.id);
  return known == of_piece_.end() ? nullptr : &known->second;
}

void KnownShares::keep(int field, const Piece& piece, const std::vector<Share>& shares) {
  const int first = first_alike_[static_cast<std::size_t>(field)];
  if (first < 0) return;
  if (file_ != std::pair(first, piece.file)) {
    file_ = {first, piece.file};
    of_piece_.clear();
    num_shares_ = 0;
  }
  if (num_shares_ + shares.size() > kMostShares) return;
  num_shares_ += shares.size();
  of_piece_.emplace(piece.id, shares);
}

}  // namespace esker
