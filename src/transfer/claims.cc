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

/// What later ones of the known boxes leave of box number `patch` of `rank`.
std::vector<Box> remainder(const KnownBoxes& known, int rank, int patch, const Box& box) {
  if (box.empty()) return {};
  std::vector<Box> left{box};
  known.for_each_meeting(box, [&](int other_rank, int other_patch, const Box& other) {
    if (std::tie(other_rank, other_patch) <= std::tie(rank, patch)) return;
    std::vector<Box> rest;
    for (const Box& part : left) subtract(part, other, rest);
    left = std::move(rest);
  });
  return left;
}

std::vector<std::vector<Claim>> cut_claims(const Directory& directory, const std::vector<BoxList>& lists,
                                           int rank) {
  std::vector<std::vector<Claim>> claims(lists.size());
  for (std::size_t l = 0; l < lists.size(); ++l) {
    for (std::size_t b = 0; b < lists[l].boxes.size(); ++b) {
      const int source = static_cast<int>(b);
      for (const Box& box : remainder(*directory.lists()[l], rank, source, lists[l].boxes[b])) {
        claims[l].push_back({source, box});
      }
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
