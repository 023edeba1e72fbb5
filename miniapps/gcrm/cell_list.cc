#include "cell_list.h"

#include <numeric>

namespace gcrm {

CellList::CellList(Dataset& dataset, const Panels& panels, const Mesh& mesh, int layers)
    : mesh_(mesh), layers_(layers), order_(mesh.num_own()) {
  const int layer = dataset.dim("layers", layers), cell = dataset.dim("cells", panels.num_cells());
  const int corner = dataset.dim("corners", 6), node = dataset.dim("nodes", panels.num_nodes());
  const int one = dataset.dim("meshes", 1);
  layers_grid_ = dataset.grid("cell_layers", {layer, cell});
  cells_grid_ = dataset.grid("cell_columns", {cell});
  corners_grid_ = dataset.grid("cell_corners", {corner, cell});
  nodes_grid_ = dataset.grid("mesh_nodes", {node});
  mesh_grid_ = dataset.grid("mesh_topology", {one});
  dataset.coords(layers_grid_, layer, layer_heights(layers).data(), layers);
  dataset.attribute({ESKER_DATASET}, "Conventions", "CF-1.11 UGRID-1.0");
  const Object height{ESKER_DIM, layer};
  dataset.attribute(height, "units", "m");
  dataset.attribute(height, "long_name", "height of the middle of layers");
  dataset.attribute(height, "standard_name", "height");
  dataset.attribute(height, "positive", "up");
  dataset.attribute(height, "axis", "Z");
  std::iota(order_.begin(), order_.end(), Index{0});
}

void CellList::define(Dataset& dataset, int variable, esker_type type) {
  const Variable& v = kVariables[variable];
  const int field = dataset.field(v.layered ? layers_grid_ : cells_grid_, v.name, type, 1, v.fixed);
  describe(dataset, field, v);
  fields_[variable] = field;
  if (variable == kLon || variable == kLat) return;  // `coordinates` names these two
  dataset.attribute({ESKER_FIELD, field}, "mesh", "mesh");
  dataset.attribute({ESKER_FIELD, field}, "location", "face");
  dataset.attribute({ESKER_FIELD, field}, "coordinates", "lon lat");
  if (variable != kArea) dataset.attribute({ESKER_FIELD, field}, "cell_measures", "area: cell_area");
}

void CellList::put(Dataset& dataset, int variable, esker_type type, const char* data) const {
  const int field = fields_[variable];
  if (kVariables[variable].layered) {
    dataset.put(field, type, {0, mesh_.own.first}, {layers_, mesh_.num_own()}, data);
  } else {
    dataset.put(field, type, {mesh_.own.first}, {mesh_.num_own()}, data);
  }
}

void CellList::define_topology(Dataset& dataset) {
  topology_ = dataset.field(mesh_grid_, "mesh", ESKER_INT32, 1, true);
  dataset.attribute({ESKER_FIELD, topology_}, "cf_role", "mesh_topology");
  dataset.attribute({ESKER_FIELD, topology_}, "long_name", "hexagons and pentagons of a geodesic grid");
  dataset.attribute({ESKER_FIELD, topology_}, "topology_dimension", std::int64_t{2});
  dataset.attribute({ESKER_FIELD, topology_}, "node_coordinates", "mesh_node_lon mesh_node_lat");
  dataset.attribute({ESKER_FIELD, topology_}, "face_node_connectivity", "mesh_face_nodes");
  dataset.attribute({ESKER_FIELD, topology_}, "face_coordinates", "lon lat");
  dataset.attribute({ESKER_FIELD, topology_}, "face_dimension", "cells");
}

void CellList::define_mesh(Dataset& dataset) {
  define_topology(dataset);
  face_nodes_ = dataset.field(corners_grid_, "mesh_face_nodes", ESKER_INT32, 1, true);
  dataset.attribute({ESKER_FIELD, face_nodes_}, "cf_role", "face_node_connectivity");
  dataset.attribute({ESKER_FIELD, face_nodes_}, "long_name",
                    "corners of cells, counterclockwise; pentagons have five");
  dataset.attribute({ESKER_FIELD, face_nodes_}, "start_index", std::int64_t{0});
  dataset.attribute({ESKER_FIELD, face_nodes_}, "_FillValue", std::int64_t{-1});
  node_lon_ = dataset.field(nodes_grid_, "mesh_node_lon", ESKER_FLOAT64, 1, true);
  describe(dataset, node_lon_, {"", false, true, "degrees_east", "longitude of corners", "longitude"});
  node_lat_ = dataset.field(nodes_grid_, "mesh_node_lat", ESKER_FLOAT64, 1, true);
  describe(dataset, node_lat_, {"", false, true, "degrees_north", "latitude of corners", "latitude"});
}

void CellList::put_mesh(Dataset& dataset) {
  corners_.assign(mesh_.face_nodes.begin(), mesh_.face_nodes.end());  // below 2^31 up to the highest level
  for (const Vec3& node : mesh_.nodes) {
    lon_.push_back(longitude_degrees(node));
    lat_.push_back(latitude_degrees(node));
  }
  const auto num_nodes = static_cast<Index>(mesh_.nodes.size());
  dataset.put(face_nodes_, ESKER_INT32, {0, mesh_.own.first}, {6, mesh_.num_own()}, corners_.data());
  dataset.put(topology_, ESKER_INT32, {0}, {mesh_.own.first == 0 ? 1 : 0}, &nothing_);
  const Index first = num_nodes > 0 ? 2 * mesh_.own.first : 0;  // a piece that consists of poles has none
  dataset.put(node_lon_, ESKER_FLOAT64, {first}, {num_nodes}, lon_.data());
  dataset.put(node_lat_, ESKER_FLOAT64, {first}, {num_nodes}, lat_.data());
}

}  // namespace gcrm
