// VtkhdfStepLayouts: where the samples of one step are stored in its VTKHDF file; one layout per level field.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/format_writer.h"
#include "formats/vtkhdf/step_file.h"
#include "layout/packed_boxes.h"
#include "model/level_fields.h"

namespace esker::vtkhdf {

/// The patches of each level, by their extents; null for a level without patches.
using BoxesOfLevels = std::vector<std::shared_ptr<const PackedBoxes>>;

/// `patches`: in order.
BoxesOfLevels boxes_of_levels(const Mesh& mesh, std::span<const MeshBox> patches);

class VtkhdfStepLayouts final : public StepLayouts {
 public:
  /// For the level fields with present[number of fields + position in level_fields()]. `checksums`: of the
  /// runs (run_sums.h). `path_of`: of a step.
  VtkhdfStepLayouts(const Schema& schema, const BoxesOfLevels& boxes, const std::vector<bool>& present,
                    bool checksums, std::function<std::string(Index)> path_of);

  [[nodiscard]] std::string file_path(int /*layout*/, Index /*file*/, Index step) const override {
    return path_of_(step);
  }
  [[nodiscard]] bool shares_files(int /*layout*/) const override { return true; }
  [[nodiscard]] bool needs_places() const override { return true; }
  Status take_places(const std::string& places) override;
  [[nodiscard]] bool sums_parts(int /*layout*/) const override { return checksums_; }
  [[nodiscard]] Index list_bytes() const override { return list_bytes_; }
  [[nodiscard]] Index step_offset_bytes(int layout, Index /*step*/) const override {
    return places_[static_cast<std::size_t>(layout)];
  }

 private:
  std::function<std::string(Index)> path_of_;
  bool checksums_;
  std::vector<std::size_t> level_field_of_;  // [layout]
  std::vector<Index> places_;                // [layout]
  Index list_bytes_ = 0;
};

/// Offsets in the form that take_places() takes.
std::string print_places(const Offsets& offsets);

}  // namespace esker::vtkhdf
