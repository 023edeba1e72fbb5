// Search: proposes settings next to the best one so far. Pure and deterministic: a seed decides between
// directions that were not tried yet.
//
//   Search search(axes, seed);
//   while (const auto setting = search.propose(store_share)) {
//     is_better(*setting) ? search.accept() : search.reject();
//   }
// A model of step times, if there is one, says what is tried first and what is not tried.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "tune/parameter_space.h"
#include "tune/setting.h"

namespace esker {

/// The predicted time of a step with a setting, over that of a step with the default.
using StepRatio = std::function<double(const Setting&)>;

class Search {
 public:
  Search(std::vector<Axis> axes, std::uint64_t seed);

  /// This setting is proposed before all others, for example because an earlier run found it. Ignored if it
  /// is not in the space.
  void suggest(const Setting& setting);
  /// Asks this model. Its best setting is proposed before neighbors, at first at most one stride away along
  /// each ordered axis, and twice as far after each success. Settings that it predicts to be clearly worse
  /// than the best so far are not proposed.
  void consult(StepRatio model) { model_ = std::move(model); }
  /// The model was wrong: it is not asked any more.
  void distrust() { model_ = nullptr; }
  /// A setting that was not proposed yet; nothing: no neighbor of the best is left. After a success along an
  /// ordered axis: the same direction, twice as far. `store_share`: of a step, spent on storing; options that
  /// only affect the smaller part come later, and not at all if it is below a tenth.
  std::optional<Setting> propose(double store_share);
  /// The last proposal is the best so far.
  void accept();
  /// It is not.
  void reject() { stride_ = 0; }

 private:
  using Position = std::vector<std::size_t>;  // [axis]: of the value
  struct Move {
    std::size_t axis = 0;
    std::ptrdiff_t steps = 0;
  };

  [[nodiscard]] Setting setting_at(const Position& position) const;
  [[nodiscard]] std::optional<Position> position_of(const Setting& setting) const;
  [[nodiscard]] std::vector<Move> moves_along(std::size_t axis) const;
  [[nodiscard]] std::optional<Position> moved(const Move& move) const;
  [[nodiscard]] double predicted(const Position& position) const { return model_(setting_at(position)); }
  [[nodiscard]] bool is_predicted_worse(const Position& position) const;
  [[nodiscard]] bool is_too_bold(double ratio) const;
  [[nodiscard]] std::vector<std::size_t> within_reach(std::size_t axis) const;
  [[nodiscard]] Position best_predicted() const;
  [[nodiscard]] std::vector<Position> promising_neighbors() const;
  std::optional<Setting> ask_model();
  std::optional<Setting> try_position(const std::optional<Position>& position);
  std::optional<Setting> continue_direction();
  std::optional<Setting> neighbor_along(std::size_t axis, std::size_t number);
  std::optional<Setting> neighbor(double store_share);

  std::vector<Axis> axes_;
  std::vector<bool> upwards_first_;  // [axis]
  Position best_, last_;
  std::set<Position> tried_;
  std::optional<Position> suggested_;
  StepRatio model_;            // empty: none
  std::ptrdiff_t reach_ = 1;   // of the model's proposals, in strides along an ordered axis
  Move move_;                  // that led to the last proposal
  std::ptrdiff_t stride_ = 0;  // of the next proposal in the same direction; 0: none
};

}  // namespace esker
