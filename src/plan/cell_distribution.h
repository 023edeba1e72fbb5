// CellDistribution: the cells of a grid and the ranks that code them, derived from the boxes of samples.
//
// The rank whose box has the lowest sample of a cell codes it. Boxes that cover the grid exactly once thus
// have boxes of cells that cover its cells exactly once, in the same order; some may be empty.
#pragma once

#include <memory>

#include "plan/distribution.h"

namespace esker {

class CellDistribution final : public Distribution {
 public:
  explicit CellDistribution(std::shared_ptr<const Distribution> samples) : samples_(std::move(samples)) {}

  [[nodiscard]] const Distribution& samples() const { return *samples_; }

  [[nodiscard]] Box domain() const override;
  [[nodiscard]] bool covers_domain() const override { return samples_->covers_domain(); }
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override;
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  [[nodiscard]] Known known_by(const Box& region) const override;
  [[nodiscard]] Point typical_extent() const override;

 private:
  std::shared_ptr<const Distribution> samples_;
};

}  // namespace esker
