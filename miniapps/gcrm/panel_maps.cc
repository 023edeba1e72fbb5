#include "panel_maps.h"

#include <algorithm>
#include <numeric>

namespace gcrm {

PanelMaps::PanelMaps(Dataset& dataset, const Panels& panels, const Mesh& mesh, int layers)
    : own_(mesh.own),
      num_panel_cells_(panels.num_panel_cells()),
      layers_(layers),
      boxes_(panel_boxes(panels, mesh.own)),
      order_(mesh.num_own()) {
  const int i = dataset.dim("i", panels.side()), j = dataset.dim("j", panels.side());
  const int pole = dataset.dim("pole", 2);
  panel_grid_ = dataset.grid("panels", {i, j});
  pole_grid_ = dataset.grid("poles", {pole});
  dataset.attribute({ESKER_DATASET}, "layer_heights", layer_heights(layers));
  dataset.attribute({ESKER_DATASET}, "layer_heights_units", "m");
  std::iota(order_.begin(), order_.end(), Index{0});
  for (const PanelBox& box : boxes_) {  // rows of i instead of Morton order; poles stay where they are
    const Index at = box.first - own_.first;
    for (Index m = 0; m < box.size(); ++m) order_[at + m] = at + morton_j(m) * box.wide + morton_i(m);
  }
}

void PanelMaps::define(Dataset& dataset, int variable, esker_type type) {
  const Variable& v = kVariables[variable];
  for (int p = 0; p <= kPoles; ++p) {
    const std::string suffix = p == kPoles ? "_poles" : "_p" + std::to_string(p);
    const int field = dataset.field(p == kPoles ? pole_grid_ : panel_grid_, v.name + suffix, type,
                                    v.layered ? layers_ : 1, v.fixed);
    describe(dataset, field, v);
    fields_[variable][p] = field;
  }
}

void PanelMaps::put(Dataset& dataset, int variable, esker_type type, const char* data) const {
  const Index cell_bytes = esker_type_bytes(type) * (kVariables[variable].layered ? layers_ : 1);
  for (const PanelBox& box : boxes_) {
    dataset.put(fields_[variable][box.corner.panel], type, {box.corner.i, box.corner.j}, {box.wide, box.high},
                data + (box.first - own_.first) * cell_bytes);
  }
  const Index first_pole = std::max(own_.first, num_panel_cells_);
  if (first_pole >= own_.last) return;
  dataset.put(fields_[variable][kPoles], type, {first_pole - num_panel_cells_}, {own_.last - first_pole},
              data + (first_pole - own_.first) * cell_bytes);
}

}  // namespace gcrm
