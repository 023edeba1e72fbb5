// ConvertTarget: converts samples from the type that their array has in the file, while they are delivered.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "exchange/patch_target.h"
#include "transfer/file_array.h"
#include "transfer/transfer_plan.h"

namespace esker {

class ConvertTarget final : public PatchTarget {
 public:
  /// For one transfer to this rank's patches `mine` by `plan`. References must outlive it. Allocates; local.
  ConvertTarget(const TransferPlan& plan, const std::vector<FileArray>& arrays,
                std::span<const ArrayTarget> mine);

  [[nodiscard]] bool converts() const { return converts_; }
  [[nodiscard]] bool takes(int field) const override { return takes_[static_cast<std::size_t>(field)]; }
  Status take(const Segment& segment, const MutablePatch& patch, const std::byte* source,
              const SegmentMap& place) override;

  /// [position in `mine`] whether a value did not fit in the memory's type, and is the misfit instead.
  std::vector<bool> take_out_of_range() { return std::move(out_of_range_); }

 private:
  const TransferPlan& plan_;
  const std::vector<FileArray>& arrays_;
  std::span<const ArrayTarget> mine_;
  std::vector<bool> takes_;  // [field]
  bool converts_ = false;
  std::vector<bool> out_of_range_;
};

}  // namespace esker
