// Arrangement: how cells are stored in a dataset. There are two:
//
// - a list (cell_list.h), for CDF files: dimensions (cells, layers), cells in their order, and the mesh
//   according to UGRID. Each rank puts one box.
// - panels (panel_maps.h), for IDX: for each variable ten fields on a grid of 2^level x 2^level, one per
//   panel, with the layers as components, and one field for the two poles. The levels of the dataset are the
//   levels of the grid.
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

  /// Defines the fields of a variable; `variable` is its position in kVariables. Local.
  virtual void define(Dataset& dataset, int variable, esker_type type) = 0;
  /// The position of each own cell in the memory that is put. Local.
  [[nodiscard]] virtual const std::vector<Index>& order() const = 0;
  /// Puts the own cells of a variable; `data` is in order(), layers together. Local.
  virtual void put(Dataset& dataset, int variable, esker_type type, const char* data) const = 0;
  /// Fields of the first step that describe the mesh. Local.
  virtual void define_mesh(Dataset& /*dataset*/) {}
  virtual void put_mesh(Dataset& /*dataset*/) {}
};

/// The arrangement for a value of Esker's option `format`. `mesh` outlives it. Defines the dimensions and
/// grids.
std::unique_ptr<Arrangement> make_arrangement(const std::string& format, Dataset& dataset,
                                              const Panels& panels, const Mesh& mesh, int layers);

/// Units, names. Local.
void describe(Dataset& dataset, int field, const Variable& variable);

/// Heights of the layer centers above the ground, m: layers of equal thickness up to 20 km.
std::vector<double> layer_heights(int layers);

}  // namespace gcrm
