// The levels that rules of one rank keep among the samples of others: StepRegions::share_levels().
//
// clang-format off
// message = *(entry levels)
// entry   = group box count        ; all Index
// levels  = count * int8           ; of the box, x fastest; count 1: the same level everywhere
// clang-format on
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "write/step_regions.h"

namespace esker {
namespace {

struct Entry {
  Index group = 0, count = 0;
  Point lo{}, hi{};
};

using Bytes = std::vector<std::byte>;

Status check_memory(Index needed, Index most) {
  if (needed <= most) return {};
  return error(
      Code::kOutOfMemory,
      "levels that rules keep of other ranks' samples: needs {} bytes of memory; half of memory_budget, "
      "{} bytes, is for that: set memory_budget to {} bytes, or dilate less",
      needed, most, 2 * needed);
}

/// The messages of a rank. What needs more memory than `most_bytes` is counted, but not kept.
class Messages {
 public:
  explicit Messages(Index most_bytes) : most_bytes_(most_bytes) {}

  /// Levels that are the same everywhere are sent once. Those that keep nothing are not sent.
  void add(int rank, Index group, const Box& box, std::span<const KeptLevel> levels) {
    const auto [least, most] = std::minmax_element(levels.begin(), levels.end());
    if (*most == kNotKept) return;
    if (*least == *most) levels = levels.first(1);
    const Entry entry{group, std::ssize(levels), box.lo, box.hi};
    bytes_ += std::ssize(levels) + static_cast<Index>(sizeof(entry));
    if (bytes_ > most_bytes_) return;
    Bytes& bytes = of_ranks_[rank];
    const auto* first = reinterpret_cast<const std::byte*>(&entry);
    bytes.insert(bytes.end(), first, first + sizeof(entry));
    const auto of_levels = std::as_bytes(levels);
    bytes.insert(bytes.end(), of_levels.begin(), of_levels.end());
  }

  /// [rank] -> its message; kOutOfMemory: they need more than `most_bytes`.
  Result<std::map<int, Bytes>> take() {
    ESKER_RETURN_IF_ERROR(check_memory(bytes_, most_bytes_));
    return std::move(of_ranks_);
  }

 private:
  Index most_bytes_, bytes_ = 0;
  std::map<int, Bytes> of_ranks_;
};

/// The other ranks' boxes that have samples in `reach`, without repetitions.
std::vector<HeldBox> others_meeting(const Distribution& holders, const std::vector<Box>& reach, int rank) {
  std::map<std::pair<int, int>, Box> found;
  for (const Box& region : reach) {
    holders.for_each_meeting(region, [&](int r, int patch, const Box& box) {
      if (r != rank) found[{r, patch}] = box;
    });
  }
  std::vector<HeldBox> boxes;
  for (const auto& [key, box] : found) boxes.push_back({box, key.first, key.second});
  return boxes;
}

/// The part of `box` in the smallest box around its intersections with `reach`.
Box reached_part(const Box& box, const std::vector<Box>& reach) {
  Box part = box;
  for (int a = 0; a < box.rank; ++a) std::swap(part.lo[a], part.hi[a]);  // empty
  for (const Box& region : reach) {
    const Box common = intersect(box, region);
    if (common.empty()) continue;
    for (int a = 0; a < box.rank; ++a) {
      part.lo[a] = std::min(part.lo[a], common.lo[a]);
      part.hi[a] = std::max(part.hi[a], common.hi[a]);
    }
  }
  return part;
}

}  // namespace

/// [rank] -> what this rank's rules keep of the samples of other ranks.
Result<std::map<int, Bytes>> StepRegions::levels_for_others(const BoxesOfField& holders) const {
  Messages messages(in_.levels_bytes);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Distribution& of_group = *holders.at(group.fields.front());
    const LevelRules rules = rules_of(group);
    const auto number = static_cast<Index>(g);
    if (levels_travel_) {
      LevelMap map(group.blocks.box(), rules, group.of_others);
      const std::vector<Box> reach = reach_of(group);
      for (const HeldBox& other : others_meeting(of_group, reach, comm_.rank())) {
        for_each_tile(group.blocks.mask(), reached_part(other.box, reach), [&](const Box& tile) {
          messages.add(other.rank, number, tile, map.levels_by_samples(tile));
        });
      }
    }
    if (!boxes_travel_) continue;
    for (const LevelBox& rule : rules.boxes) {
      for (const HeldBox& other : others_meeting(of_group, {rule.box}, comm_.rank())) {
        messages.add(other.rank, number, intersect(rule.box, other.box), {&rule.level, 1});
      }
    }
  }
  return messages.take();
}

void StepRegions::take_levels(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    Entry entry;
    std::memcpy(&entry, bytes.data(), sizeof(entry));
    bytes = bytes.subspan(sizeof(entry));
    Group& group = groups_[static_cast<std::size_t>(entry.group)];
    LevelPatch& patch = group.of_others.emplace_back();
    patch.box = Box(group.blocks.box().rank, entry.lo, entry.hi);
    patch.levels.resize(static_cast<std::size_t>(entry.count));
    std::memcpy(patch.levels.data(), bytes.data(), patch.levels.size());
    bytes = bytes.subspan(patch.levels.size());
  }
}

Status StepRegions::share_levels(Directory& directory, const BoxesOfField& holders) {
  if (!levels_travel_ && !boxes_travel_) return {};
  ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
    for (const Group& group : groups_) {
      const Distribution& of_group = *holders.at(group.fields.front());
      for (const Box& box : reach_of(group)) visit(of_group, box);
      for (const LevelBox& rule : rules_of(group).boxes) visit(of_group, rule.box);
    }
  }));
  std::map<int, Bytes> messages;
  std::vector<OutgoingMessage> outgoing;
  const auto make_messages = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(messages, levels_for_others(holders));
    for (const auto& [rank, bytes] : messages) outgoing.push_back({rank, bytes});
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(comm_, "keep", make_messages));
  ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm_, outgoing));
  return all_do(comm_, "keep", [&]() -> Status {
    Index needed = 0;
    for (const Delivery& delivery : received.deliveries) needed += std::ssize(delivery.bytes);
    ESKER_RETURN_IF_ERROR(check_memory(needed, in_.levels_bytes));
    for (const Delivery& delivery : received.deliveries) take_levels(delivery.bytes);
    return {};
  });
}

}  // namespace esker
