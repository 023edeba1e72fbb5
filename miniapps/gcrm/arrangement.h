// Arrangement: how cells stand in a dataset. Two of them:
//
// - a list (cell_list.h): dimensions (cells, layers), cells in their order; each rank puts one box. With the
// mesh as
//   UGRID says. For CDF files.
// - panels (panel_maps.h): for each variable ten fields on a grid of 2^level x 2^level, one per panel, the
// layers
//   as components, and one field for the two poles. For IDX, whose levels are then those of the grid.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset.h"
#include "mesh.h"
#include "variables.h"

namespace gcrm {

class Arrangement {
 public:
  virtual ~Arrangement() = default;

  /// Defines the fields of a variable, which are from then on known by its position in kVariables. Local.
  virtual void define(Dataset& dataset, int variable, esker_type type) = 0;
  /// Where in the memory to be put each own cell stands. Local.
  [[nodiscard]] virtual const std::vector<Index>& order() const = 0;
  /// Puts the own cells of a variable; `data` is in order(), layers together. Local.
  virtual void put(Dataset& dataset, int variable, esker_type type, const char* data) const = 0;
  /// What belongs to the first step beside variables. Local.
  virtual void define_mesh(Dataset& /*dataset*/) {}
  virtual void put_mesh(Dataset& /*dataset*/) {}
};

/// The one for a value of Esker's option `format`. `mesh` outlives it. Defines the dimensions and grids.
std::unique_ptr<Arrangement> make_arrangement(const std::string& format, Dataset& dataset,
                                              const Panels& panels, const Mesh& mesh, int layers);

/// Units, names. Local.
void describe(Dataset& dataset, int field, const Variable& variable);

/// Heights of the middles of layers above the ground, m: equal layers of 20 km of air.
std::vector<double> layer_heights(int layers);

}  // namespace gcrm
