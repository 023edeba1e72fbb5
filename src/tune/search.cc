#include "tune/search.h"

#include <algorithm>
#include <random>
#include <utility>

namespace esker {
namespace {

// A part of the step that is smaller than this is not worth a probe.
constexpr double kLeastShare = 0.1;
// What a model has to predict, relative to the best setting, for a proposal; and what rules one out. Models
// err by a tenth and more.
constexpr double kBoldest = 1 / 1.5;
constexpr double kPromising = 0.97, kWorse = 1.1;

double share_of(Phase phase, double store_share) {
  if (phase == Phase::kBoth) return 1;
  return phase == Phase::kStore ? store_share : 1 - store_share;
}

}  // namespace

Search::Search(std::vector<Axis> axes, std::uint64_t seed) : axes_(std::move(axes)) {
  std::mt19937_64 random(seed);
  for (const Axis& axis : axes_) {
    best_.push_back(axis.start);
    upwards_first_.push_back(random() % 2 == 1);
  }
  tried_.insert(best_);
}

Setting Search::setting_at(const Position& position) const {
  Setting setting;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (position[a] != axes_[a].start) setting[axes_[a].option] = axes_[a].values[position[a]];
  }
  return setting;
}

std::optional<Search::Position> Search::position_of(const Setting& setting) const {
  Position position;
  std::size_t num_found = 0;
  for (const Axis& axis : axes_) {
    const auto value = setting.find(axis.option);
    position.push_back(axis.start);
    if (value == setting.end()) continue;
    const auto found = std::ranges::find(axis.values, value->second);
    if (found == axis.values.end()) return std::nullopt;
    position.back() = static_cast<std::size_t>(found - axis.values.begin());
    ++num_found;
  }
  return num_found == setting.size() ? std::optional(position) : std::nullopt;
}

void Search::suggest(const Setting& setting) { suggested_ = position_of(setting); }

/// To the neighbors on an ordered axis, else to all other values.
std::vector<Search::Move> Search::moves_along(std::size_t axis) const {
  if (axes_[axis].stride > 0) {
    const std::ptrdiff_t first = upwards_first_[axis] ? axes_[axis].stride : -axes_[axis].stride;
    return {{axis, first}, {axis, -first}};
  }
  std::vector<Move> moves;
  for (std::size_t v = 0; v < axes_[axis].values.size(); ++v) {
    moves.push_back({axis, static_cast<std::ptrdiff_t>(v) - static_cast<std::ptrdiff_t>(best_[axis])});
  }
  return moves;
}

/// From the best setting, at most to the end of the axis; nothing if that is the best itself.
std::optional<Search::Position> Search::moved(const Move& move) const {
  const auto last = static_cast<std::ptrdiff_t>(axes_[move.axis].values.size()) - 1;
  const auto from = static_cast<std::ptrdiff_t>(best_[move.axis]);
  const std::ptrdiff_t to = std::clamp<std::ptrdiff_t>(from + move.steps, 0, last);
  if (to == from) return std::nullopt;
  Position position = best_;
  position[move.axis] = static_cast<std::size_t>(to);
  return position;
}

bool Search::is_predicted_worse(const Position& position) const {
  return model_ && predicted(position) > kWorse * predicted(best_);
}

/// If the model is wrong, a step may take as much longer as it promises to be shorter.
bool Search::is_too_bold(double ratio) const { return reach_ == 1 && ratio < kBoldest * predicted(best_); }

/// The values of an axis that a proposal of the model may have.
std::vector<std::size_t> Search::within_reach(std::size_t axis) const {
  std::vector<std::size_t> values;
  for (std::size_t v = 0; v < axes_[axis].values.size(); ++v) {
    const auto steps = static_cast<std::ptrdiff_t>(v) - static_cast<std::ptrdiff_t>(best_[axis]);
    if (axes_[axis].stride == 0 || std::abs(steps) <= reach_ * axes_[axis].stride) values.push_back(v);
  }
  return values;
}

/// Changes one axis after the other, each time the one that helps most.
Search::Position Search::best_predicted() const {
  constexpr int kMostChanges = 4;
  Position best = best_;
  double least = predicted(best);
  for (int change = 0; change < kMostChanges; ++change) {
    const Position from = best;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      Position other = from;
      for (const std::size_t v : within_reach(a)) {
        other[a] = v;
        const double ratio = predicted(other);
        if (ratio >= least || is_too_bold(ratio)) continue;
        least = ratio;
        best = other;
      }
    }
    if (best == from) break;
  }
  return best;
}

/// Other values of one axis each, the best first.
std::vector<Search::Position> Search::promising_neighbors() const {
  const double most = kPromising * predicted(best_);
  std::vector<std::pair<double, Position>> neighbors;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    for (const std::size_t v : within_reach(a)) {
      Position position = best_;
      position[a] = v;
      const double ratio = predicted(position);
      if (ratio < most && !is_too_bold(ratio)) neighbors.emplace_back(ratio, std::move(position));
    }
  }
  std::ranges::sort(neighbors);
  std::vector<Position> positions;
  for (auto& [ratio, position] : neighbors) positions.push_back(std::move(position));
  return positions;
}

/// The best that the model knows within reach, then single values.
std::optional<Setting> Search::ask_model() {
  if (!model_) return std::nullopt;
  std::vector<Position> positions = promising_neighbors();
  const Position best = best_predicted();
  if (predicted(best) < kPromising * predicted(best_)) positions.insert(positions.begin(), best);
  for (const Position& position : positions) {
    auto setting = try_position(position);
    if (!setting) continue;
    move_ = {};
    stride_ = 0;
    return setting;
  }
  return std::nullopt;
}

std::optional<Setting> Search::try_position(const std::optional<Position>& position) {
  if (!position || is_predicted_worse(*position) || !tried_.insert(*position).second) return std::nullopt;
  last_ = *position;
  return setting_at(last_);
}

std::optional<Setting> Search::continue_direction() {
  if (stride_ == 0) return std::nullopt;
  move_.steps = std::exchange(stride_, 0);
  return try_position(moved(move_));
}

/// Both neighbors on an ordered axis; of other values the one of this number.
std::optional<Setting> Search::neighbor_along(std::size_t axis, std::size_t number) {
  const std::vector<Move> moves = moves_along(axis);
  const std::size_t first = axes_[axis].stride > 0 ? 0 : number;
  const std::size_t last = axes_[axis].stride > 0 ? moves.size() : number + 1;
  for (std::size_t m = first; m < std::min(last, moves.size()); ++m) {
    move_ = moves[m];
    if (auto setting = try_position(moved(move_))) return setting;
  }
  return std::nullopt;
}

/// Several values of one option come after one value of each.
std::optional<Setting> Search::neighbor(double store_share) {
  std::size_t most_values = 0;
  for (const Axis& axis : axes_) most_values = std::max(most_values, axis.values.size());
  for (const bool is_main : {true, false}) {
    for (std::size_t number = 0; number < most_values; ++number) {
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        const double share = share_of(axes_[a].phase, store_share);
        if (share < kLeastShare || (share >= 0.5) != is_main) continue;
        if (auto setting = neighbor_along(a, number)) return setting;
      }
    }
  }
  return std::nullopt;
}

std::optional<Setting> Search::propose(double store_share) {
  if (suggested_) {
    move_ = {};
    if (auto setting = try_position(std::exchange(suggested_, std::nullopt))) return setting;
  }
  if (auto setting = ask_model()) return setting;
  if (auto setting = continue_direction()) return setting;
  return neighbor(store_share);
}

void Search::accept() {
  best_ = last_;
  if (model_) reach_ *= 2;
  const bool may_continue = move_.steps != 0 && axes_[move_.axis].stride > 0;
  stride_ = may_continue ? 2 * move_.steps : 0;
}

}  // namespace esker
