#include "arrangement.h"

#include "cell_list.h"
#include "panel_maps.h"

namespace gcrm {

std::unique_ptr<Arrangement> make_arrangement(const std::string& format, Dataset& dataset,
                                              const Panels& panels, const Mesh& mesh, int layers) {
  if (format == "idx") return std::make_unique<PanelMaps>(dataset, panels, mesh, layers);
  return std::make_unique<CellList>(dataset, panels, mesh, layers);
}

void describe(Dataset& dataset, int field, const Variable& variable) {
  dataset.attribute({ESKER_FIELD, field}, "units", variable.units);
  dataset.attribute({ESKER_FIELD, field}, "long_name", variable.long_name);
  if (*variable.standard_name)
    dataset.attribute({ESKER_FIELD, field}, "standard_name", variable.standard_name);
}

std::vector<double> layer_heights(int layers) {
  constexpr double kTop = 20e3;  // m
  std::vector<double> heights(layers);
  for (int k = 0; k < layers; ++k) heights[k] = kTop * (k + 0.5) / layers;
  return heights;
}

}  // namespace gcrm
