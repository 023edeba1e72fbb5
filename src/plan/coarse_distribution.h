// CoarseDistribution: who holds which samples of a coarse field (model/coarse_fields.h).
#pragma once

#include <memory>
#include <vector>

#include "plan/distribution.h"

namespace esker {

/// The samples that a level has of the boxes of another distribution, in indices of the level.
class CoarseDistribution final : public Distribution {
 public:
  CoarseDistribution(std::shared_ptr<const Distribution> fine, int level)
      : fine_(std::move(fine)), level_(level) {}

  [[nodiscard]] Box domain() const override;
  [[nodiscard]] bool covers_domain() const override { return fine_->covers_domain(); }
  [[nodiscard]] std::vector<Box> boxes_of(int rank) const override;
  void for_each_meeting(const Box& region, const Visit& visit) const override;
  [[nodiscard]] Point typical_extent() const override;

 private:
  std::shared_ptr<const Distribution> fine_;
  int level_;
};

}  // namespace esker
