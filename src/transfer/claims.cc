#include "transfer/claims.h"

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/macros.h"
#include "comm/agree.h"
#include "grid/subtract.h"

namespace esker {
namespace {

/// All of the boxes.
std::vector<std::vector<Claim>> claim_all(const std::vector<BoxList>& lists) {
  std::vector<std::vector<Claim>> claims(lists.size());
  for (std::size_t l = 0; l < lists.size(); ++l) {
    for (const Box& box : lists[l].boxes) claims[l].push_back({static_cast<int>(claims[l].size()), box});
  }
  return claims;
}

/// Two halves of a box of several samples, along its longest axis.
std::array<Box, 2> halves_of(const Box& box) {
  int longest = 0;
  for (int a = 1; a < box.rank; ++a) {
    if (box.extent(a) > box.extent(longest)) longest = a;
  }
  const auto axis = static_cast<std::size_t>(longest);
  std::array<Box, 2> halves{box, box};
  halves[0].hi[axis] = halves[1].lo[axis] = box.lo[axis] + box.extent(longest) / 2;
  return halves;
}

/// Cuts the boxes of a rank by the known boxes that come later.
class Cut {
 public:
  Cut(const KnownBoxes& known, int rank) : known_(known), rank_(rank) {}

  /// Appends what they leave of `box`, a part of box number `patch`. Where there are many, each half is cut
  /// by itself: cutting all parts by all boxes would take the square of their number.
  void append_rest(int patch, const Box& box, std::vector<Box>& rest) const {
    constexpr std::size_t kMany = 64;
    if (box.empty()) return;
    std::vector<Box> later;
    bool is_covered = false;
    known_.for_each_meeting(box, [&](int other_rank, int other_patch, const Box& other) {
      if (std::tie(other_rank, other_patch) <= std::tie(rank_, patch)) return;
      is_covered = is_covered || other.contains(box);
      if (!is_covered) later.push_back(other);
    });
    if (is_covered) return;
    if (later.size() > kMany) {
      for (const Box& half : halves_of(box)) append_rest(patch, half, rest);
      return;
    }
    std::vector<Box> left{box}, next;
    for (const Box& other : later) {
      next.clear();
      for (const Box& part : left) subtract(part, other, next);
      left.swap(next);
    }
    rest.insert(rest.end(), left.begin(), left.end());
  }

 private:
  const KnownBoxes& known_;
  int rank_;
};

std::vector<std::vector<Claim>> cut_claims(const Directory& directory, const std::vector<BoxList>& lists,
                                           int rank) {
  std::vector<std::vector<Claim>> claims(lists.size());
  std::vector<Box> rest;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    const Cut cut(*directory.lists()[l], rank);
    for (std::size_t b = 0; b < lists[l].boxes.size(); ++b) {
      const int source = static_cast<int>(b);
      rest.clear();
      cut.append_rest(source, lists[l].boxes[b], rest);
      for (const Box& box : rest) claims[l].push_back({source, box});
    }
  }
  return claims;
}

/// The lists that hold the claims.
std::vector<BoxList> lists_of(const std::vector<BoxList>& lists,
                              const std::vector<std::vector<Claim>>& claims) {
  std::vector<BoxList> cut;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    cut.push_back({lists[l].domain, {}, true});
    for (const Claim& claim : claims[l]) cut.back().boxes.push_back(claim.box);
  }
  return cut;
}

}  // namespace

Result<Claims> share_wanted(Comm& comm, const std::vector<BoxList>& mine) {
  ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, mine));
  std::vector<std::vector<Claim>> claims;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    claims = claim_all(mine);
    return Status();
  }));
  return Claims{std::move(directory), std::move(claims)};
}

Result<Claims> share_claims(Comm& comm, const std::vector<BoxList>& mine) {
  ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, mine));
  std::array<std::uint64_t, 1> any_overlap{directory.defect() ? 1u : 0u};
  comm.all_reduce_max(any_overlap);
  std::vector<std::vector<Claim>> claims;
  if (any_overlap[0] == 0) {
    ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
      claims = claim_all(mine);
      return Status();
    }));
    return Claims{std::move(directory), std::move(claims)};
  }
  ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
    for (std::size_t l = 0; l < mine.size(); ++l) {
      for (const Box& box : mine[l].boxes) {
        if (!box.empty()) visit(*directory.lists()[l], box);
      }
    }
  }));
  std::vector<BoxList> cut;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    claims = cut_claims(directory, mine, comm.rank());
    cut = lists_of(mine, claims);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(Directory without_overlap, Directory::publish(comm, cut));
  return Claims{std::move(without_overlap), std::move(claims)};
}

}  // namespace esker
