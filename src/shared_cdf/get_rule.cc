#include "shared_cdf/get_rule.h"

#include <algorithm>
#include <array>
#include <limits>

#include "store/checksum.h"

namespace esker::cdf {
namespace {

constexpr Index kLongRunBytes = Index{1} << 20;
constexpr Index kFewBytes = Index{64} << 10, kFewBytesOnNode = Index{4} << 20;  // of all ranks
constexpr Index kSmallBoxBytes = Index{4} << 10;
constexpr std::uint64_t kMostBoxesOnNode = 1024;

/// The length of the runs of a box that are contiguous in the file.
Index run_bytes_of(const FileArray& array, const Box& box) {
  Index bytes = array.sample_bytes();
  for (int a = 0; a < box.rank; ++a) {
    bytes *= box.extent(a);
    if (box.extent(a) < array.extent[static_cast<std::size_t>(a)]) break;
  }
  return bytes;
}

}  // namespace

GetRule::GetRule(Comm& comm, const Store& store, std::optional<bool> together) : n_ranks_(comm.size()) {
  const bool is_near = comm.node().size() == comm.size() && store.is_local();
  if (together) {
    kind_ = *together ? Kind::kTogether : Kind::kAlone;
  } else if (comm.size() == 1) {
    kind_ = Kind::kAlone;
  } else {
    kind_ = is_near ? Kind::kNear : Kind::kFar;
  }
}

std::uint64_t GetRule::most_boxes() const {
  return kind_ == Kind::kNear ? kMostBoxesOnNode : kMostPlannedPatches;
}

bool GetRule::pays(const File& file, Index n_bytes, Index n_boxes, Index run_bytes) const {
  const auto all_want = [&](Index least) { return n_bytes >= least / n_ranks_; };
  switch (kind_) {
    case Kind::kAlone:
      return false;
    case Kind::kNear:
      return run_bytes < file.cheap_gap_bytes() && all_want(kFewBytesOnNode) &&
             n_bytes / kSmallBoxBytes >= n_boxes;
    case Kind::kFar:
      return run_bytes < kLongRunBytes && all_want(kFewBytes);
    case Kind::kTogether:
      break;
  }
  return true;
}

Wanted::Wanted(const Brought& brought, const GetRule& rule, const File& file)
    : broadcasts_(rule.broadcasts()), has_plan_(brought.plan != 0), arrays_hash_(brought.hash()) {
  Index run_bytes = std::numeric_limits<Index>::max();
  for (std::size_t p = 0; p < brought.patches.size(); ++p) {
    const ArrayKey& key = brought.patches[p].key;
    const Box& box = brought.patches[p].box;
    const FileArray& array = brought.arrays[static_cast<std::size_t>(brought.to_get[p].array)];
    n_bytes_ += box.num_samples() * array.sample_bytes();
    run_bytes = std::min(run_bytes, run_bytes_of(array, box));
    std::array<Index, 3 + 2 * kMaxRank> place{key.record, key.variable, key.outer};
    std::copy(box.lo.begin(), box.lo.end(), place.begin() + 3);
    std::copy(box.hi.begin(), box.hi.end(), place.begin() + 3 + kMaxRank);
    boxes_hash_ = checksum(std::as_bytes(std::span(place)), boxes_hash_);
  }
  pays_ = n_bytes_ > 0 && rule.pays(file, n_bytes_, std::ssize(brought.patches), run_bytes);
}

GetMethod Wanted::compare(Comm& comm) {
  std::array<std::uint64_t, 6> most{arrays_hash_, ~arrays_hash_,       boxes_hash_,
                                    ~boxes_hash_, has_plan_ ? 0u : 1u, pays_ ? 1u : 0u};
  comm.all_reduce_max(most);
  has_same_arrays_ = most[0] == ~most[1];
  has_plan_ = has_same_arrays_ && most[4] == 0;
  const bool is_same = most[2] == ~most[3], any_pays = most[5] != 0;
  if (is_same && broadcasts_) return GetMethod::kSame;
  return any_pays && !is_same ? GetMethod::kPlan : GetMethod::kAlone;
}

}  // namespace esker::cdf
