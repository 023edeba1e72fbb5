// ConvertSource: converts samples to the type that their array has in the file, while they are moved.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "exchange/patch_source.h"
#include "transfer/file_array.h"
#include "transfer/transfer_plan.h"

namespace esker {

class ConvertSource final : public PatchSource {
 public:
  /// For one transfer of this rank's patches `mine` by `plan`. References must outlive it. Allocates; local.
  ConvertSource(const TransferPlan& plan, const std::vector<FileArray>& arrays,
                std::span<const ArrayPatch> mine);

  [[nodiscard]] bool converts() const { return converts_; }
  [[nodiscard]] bool makes(int field) const override { return makes_[static_cast<std::size_t>(field)]; }
  Status make(const Segment& segment, const Patch& patch, std::byte* target,
              const SegmentMap& place) override;

  /// [position in `mine`] whether a value did not fit, and is the fill value of its array instead.
  std::vector<bool> take_out_of_range() { return std::move(out_of_range_); }

 private:
  const TransferPlan& plan_;
  const std::vector<FileArray>& arrays_;
  std::vector<bool> makes_;  // [field]
  bool converts_ = false;
  std::vector<bool> out_of_range_;
  std::vector<std::byte> row_;  // converted, where the place has no dense rows
};

}  // namespace esker
