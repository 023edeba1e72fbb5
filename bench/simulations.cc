#include "simulations.h"

#include <algorithm>

#include "esker/types/decomposition.hpp"

namespace bench {

namespace {

Workload checkpoint(const std::string& name, const Point& extent, const Box& box) {
  Workload workload{name, {{"xyz", 3, extent}}, {}, 0};
  const std::vector<int> x_fastest{0, 1, 2};
  workload.add_field("pressure", 0, box, 1, x_fastest);
  workload.add_field("temperature", 0, box, 1, x_fastest);
  workload.add_field("velocity", 0, box, 3, x_fastest);
  workload.add_field("species", 0, box, 11, x_fastest);
  return workload;
}

Box part_of_rank(int rank, int n_ranks, const Point& block, Point& extent) {
  const auto ranks = esker::BrickDecomposition::near_cubic(3, {n_ranks, n_ranks, n_ranks}, n_ranks).value();
  Point parts{};
  for (int a = 0; a < 3; ++a) {
    parts[a] = ranks.num_parts(a);
    extent[a] = parts[a] * block[a];
  }
  return esker::BrickDecomposition::even(3, extent, parts).value().box(rank);
}

/// Scalar fields in equal boxes, for sweeps over sizes.
template <int kFields>
Workload make_boxes(int rank, int n_ranks, const Point& block) {
  Point extent{};
  const Box box = part_of_rank(rank, n_ranks, block, extent);
  Workload workload{"boxes_" + std::to_string(kFields), {{"xyz", 3, extent}}, {}, 0};
  for (int f = 0; f < kFields; ++f) workload.add_field("f" + std::to_string(f), 0, box, 1, {0, 1, 2});
  return workload;
}

}  // namespace

Workload make_s3d(int rank, int n_ranks, const Point& block) {
  Point extent{};
  const Box box = part_of_rank(rank, n_ranks, block, extent);
  return checkpoint("s3d", extent, box);
}

Workload make_s3d_adaptive(int rank, int n_ranks, const Point& block) {
  Workload workload = make_s3d(rank, n_ranks, block);
  workload.name = "s3d_adaptive";
  FieldMemory& temperature = workload.fields[1];
  temperature.values = Values::kFlame;
  // One sheet. With the blocks that it meets in part, about 30 % of the samples are stored.
  constexpr Index kInPart = 31;  // points across the sheet
  const Index length = workload.grids.front().extent[2];
  temperature.flame = {length, std::max<Index>(1, length * 3 / 10 - kInPart)};
  return workload;
}

Workload make_s3d_whole(int rank, int n_ranks, const Point& points) {
  const auto parts = esker::BrickDecomposition::near_cubic(3, points, n_ranks).value();
  return checkpoint("s3d_whole", points, parts.box(rank));
}

Workload make_icesheet(int rank, int n_ranks, const Point& points, IceSheetOrder order) {
  const auto columns = esker::BrickDecomposition::pism(2, points, n_ranks).value();
  const Box map = columns.box(rank);
  Box volume = map;
  volume.rank = 3;
  volume.hi[2] = points[2];
  Workload workload{"icesheet", {{"xyz", 3, points}, {"xy", 2, {points[0], points[1]}}}, {}, 0};
  if (order == IceSheetOrder::kZFastest) {
    workload.name = "icesheet_yxz";
    workload.grids[0] = {"zxy", 3, {points[2], points[0], points[1]}};
    volume = Box(3, {0, map.lo[0], map.lo[1]}, {points[2], map.hi[0], map.hi[1]});
  }
  const std::vector<int> z_fastest =
      order == IceSheetOrder::kZFastest ? std::vector{0, 1, 2} : std::vector{2, 0, 1};
  workload.add_field("enthalpy", 0, volume, 1, z_fastest);
  for (const char* name : {"thk", "usurf", "topg", "velsurf_mag", "velbase_mag", "bmelt", "tillwat", "tauc",
                           "climatic_mass_balance", "ice_surface_temp"}) {
    workload.add_field(name, 1, map, 1, {0, 1});
  }
  return workload;
}

Workload make_ocean(int rank, int n_ranks, const Point& points) {
  const Box map = esker::BrickDecomposition::near_cubic(2, points, n_ranks).value().box(rank);
  Box volume = map;
  volume.rank = 3;
  volume.hi[2] = points[2];
  Workload workload{"ocean", {{"xyz", 3, points}, {"xy", 2, {points[0], points[1]}}}, {}, 0};
  for (const char* name : {"TEMP", "SALT", "UVEL", "VVEL"}) {
    workload.add_field(name, 0, volume, 1, {0, 1, 2});
  }
  for (const char* name : {"SSH", "UBTROP", "VBTROP", "SHF"}) workload.add_field(name, 1, map, 1, {0, 1});
  return workload;
}

Workload make_geodesic(int rank, int n_ranks, const Point& points) {
  constexpr Index kPanels = 10, kPoles = 2;
  const Index n_cells = kPanels * points[0] * points[1] + kPoles;
  const Index piece = (n_cells + n_ranks - 1) / n_ranks;
  const Box cells({std::min(n_cells, rank * piece)}, {std::min(n_cells, (rank + 1) * piece)});
  const Box layers({0, cells.lo[0]}, {points[2], cells.hi[0]});
  Workload workload{"geodesic", {{"lc", 2, {points[2], n_cells}}, {"c", 1, {n_cells}}}, {}, 0};
  for (const char* name : {"temperature", "humidity", "wind_u", "wind_v"}) {
    workload.add_field(name, 0, layers, 1, {0, 1});
  }
  for (const char* name : {"surface_pressure", "precipitation"}) {
    workload.add_field(name, 1, cells, 1, {0});
  }
  return workload;
}

const std::vector<Simulation>& simulations() {
  static const std::vector<Simulation> all{
      {"s3d", "per rank", {64, 64, 64}, make_s3d},
      {"s3d_adaptive", "per rank", {64, 64, 64}, make_s3d_adaptive},
      {"s3d_whole", "in total", {128, 128, 128}, make_s3d_whole},
      {"icesheet",
       "in total",
       {600, 600, 301},
       [](int rank, int n_ranks, const Point& points) {
         return make_icesheet(rank, n_ranks, points, IceSheetOrder::kXFastest);
       }},
      {"icesheet_yxz",
       "in total, z fastest on disk",
       {600, 600, 301},
       [](int rank, int n_ranks, const Point& points) {
         return make_icesheet(rank, n_ranks, points, IceSheetOrder::kZFastest);
       }},
      {"boxes_1", "per rank", {64, 64, 64}, make_boxes<1>},
      {"boxes_4", "per rank", {64, 64, 64}, make_boxes<4>},
      {"boxes_16", "per rank", {64, 64, 64}, make_boxes<16>},
      {"ocean", "in total", {360, 240, 42}, make_ocean},
      {"geodesic", "X x Y cells in each of ten panels, Z layers", {256, 256, 8}, make_geodesic},
  };
  return all;
}

const Simulation& simulation(const std::string& name) {
  return *std::find_if(simulations().begin(), simulations().end(),
                       [&](const Simulation& s) { return name == s.name; });
}

}  // namespace bench
