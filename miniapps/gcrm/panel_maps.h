// PanelMaps: each panel is a map of 2^level x 2^level cells, (i, j) as in panels.h.
//
// A variable is ten fields, tracer_p0 ... tracer_p9, on one grid, and tracer_poles, north first. Layers are
// components of a sample, so that a level of the dataset coarsens cells but never layers: the samples of
// level 2 m are the cells of the geodesic grid of level m, with all their layers.
//
// In Morton order a rank's cells are a few boxes of panels (pieces.h), and each box is contiguous in memory.
// Only within a box are the cells reordered to rows.
#pragma once

#include <array>

#include "arrangement.h"
#include "pieces.h"

namespace gcrm {

class PanelMaps final : public Arrangement {
 public:
  PanelMaps(Dataset& dataset, const Panels& panels, const Mesh& mesh, int layers);

  void define(Dataset& dataset, int variable, esker_type type) override;
  [[nodiscard]] const std::vector<Index>& order() const override { return order_; }
  void put(Dataset& dataset, int variable, esker_type type, const char* data) const override;

 private:
  static constexpr int kPoles = kNumPanels;  ///< behind the panels' fields

  Stretch own_;
  Index num_panel_cells_;
  int layers_;
  int panel_grid_ = 0, pole_grid_ = 0;
  std::array<std::array<int, kNumPanels + 1>, kVariables.size()> fields_{};
  std::vector<PanelBox> boxes_;
  std::vector<Index> order_;
};

}  // namespace gcrm
