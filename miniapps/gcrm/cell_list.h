// CellList: variables on dimensions (cells, layers), and the mesh according to UGRID 1.0, for netCDF tools.
//
// Variables name the mesh and their location on it. The mesh's own fields are `mesh` (attributes that name
// the others), `mesh_face_nodes`, `mesh_node_lon`, `mesh_node_lat`. Source: UGRID Conventions v1.0,
// https://ugrid-conventions.github.io/ugrid-conventions.
#pragma once

#include <array>
#include <cstdint>

#include "arrangement.h"

namespace gcrm {

class CellList final : public Arrangement {
 public:
  CellList(Dataset& dataset, const Panels& panels, const Mesh& mesh, int layers);

  void define(Dataset& dataset, int variable, esker_type type) override;
  [[nodiscard]] const std::vector<Index>& order() const override { return order_; }
  void put(Dataset& dataset, int variable, esker_type type, const char* data) const override;
  void define_mesh(Dataset& dataset) override;
  void put_mesh(Dataset& dataset) override;

 private:
  void define_topology(Dataset& dataset);

  const Mesh& mesh_;
  int layers_;
  int cells_grid_ = 0, layers_grid_ = 0, corners_grid_ = 0, nodes_grid_ = 0, mesh_grid_ = 0;
  std::array<int, kVariables.size()> fields_{};
  int topology_ = 0, face_nodes_ = 0, node_lon_ = 0, node_lat_ = 0;
  std::vector<Index> order_;
  std::vector<std::int32_t> corners_;  ///< mesh data that were put, kept until the step ends
  std::vector<double> lon_, lat_;
  std::int32_t nothing_ = 0;
};

}  // namespace gcrm
