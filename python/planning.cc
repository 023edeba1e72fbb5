#include "planning.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.h"
#include "esker/dataset.hpp"
#include "esker/plan.hpp"
#include "esker/tuning.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

using OptionTexts = std::map<std::string, std::string>;
/// Rank (of boxes that are kept: level), lo, hi.
using BoxRow = std::tuple<int, std::vector<Index>, std::vector<Index>>;
/// The boxes that are kept of each grid, by its name, and the level that is kept everywhere.
using KeptRows = std::map<std::string, std::vector<BoxRow>>;
/// Rank, level, lo, hi.
using PatchRow = std::tuple<int, int, std::vector<Index>, std::vector<Index>>;
struct Kept {
  KeptRows boxes;
  std::optional<int> level;
};

Point to_point(const std::vector<Index>& values) {
  Point point{1, 1, 1, 1, 1};
  for (std::size_t a = 0; a < values.size() && a < point.size(); ++a) point[a] = values[a];
  return point;
}

Options make_options(const OptionTexts& texts) {
  Options options = Options::load().value();
  for (const auto& [name, value] : texts) options.set(name, value).check();
  return options;
}

void add_fields(Schema& schema, GridId grid, int n_fields, const std::string& type, int stored_bits) {
  for (int f = 0; f < n_fields; ++f) {
    Field field;
    field.name = "f" + std::to_string(f);
    field.grid = grid.index;
    field.type = parse_sample_type(type).value();
    field.stored_bits = stored_bits;
    schema.add_field(field).value();
  }
}

/// `n_fields` fields on one grid.
Schema make_schema(const std::vector<Index>& extent, int n_fields, const std::string& type, int stored_bits) {
  Schema schema;
  std::vector<DimId> dims;
  for (std::size_t a = 0; a < extent.size(); ++a) {
    dims.push_back(schema.add_dim("d" + std::to_string(a), extent[a]).value());
  }
  add_fields(schema, schema.add_grid("grid", dims).value(), n_fields, type, stored_bits);
  return schema;
}

/// `n_fields` fields on a mesh. `extent`: cells of the coarsest level.
Schema make_mesh_schema(const std::vector<Index>& extent, const std::vector<std::vector<Index>>& ratios,
                        int n_fields, const std::string& type) {
  Mesh mesh;
  for (std::size_t a = 0; a < extent.size(); ++a) mesh.axes.push_back("d" + std::to_string(a));
  mesh.extent = to_point(extent);
  for (const std::vector<Index>& ratio : ratios) mesh.ratios.push_back(to_point(ratio));
  Schema schema;
  add_fields(schema, schema.add_mesh("mesh", mesh).value(), n_fields, type, 0);
  return schema;
}

/// The number of parts per axis that makes the grid of ranks nearly cubic; larger numbers come last.
std::vector<Index> cube_of_ranks(int n_axes, int n_ranks) {
  Point extent{1, 1, 1, 1, 1};
  for (int a = 0; a < n_axes && a < kMaxRank; ++a) extent[a] = Index{1} << 31;
  const auto split = BrickDecomposition::near_cubic(n_axes, extent, n_ranks).value();
  std::vector<Index> parts;
  for (int a = 0; a < n_axes; ++a) parts.push_back(split.num_parts(a));
  return parts;
}

/// `what`: whose box it is, for errors.
Box to_box(const BoxRow& row, const std::string& what) {
  const auto& [number, lo, hi] = row;
  if (lo.size() != hi.size() || lo.empty() || lo.size() > kMaxRank) {
    throw Error(Code::kInvalidArgument, "box of " + what + " " + std::to_string(number) +
                                            ": expected two corners of 1 to 5 indices each, found " +
                                            std::to_string(lo.size()) + " and " + std::to_string(hi.size()));
  }
  return {static_cast<int>(lo.size()), to_point(lo), to_point(hi)};
}

/// The near-cubic split of [0, extent), the parts with samples: lower and upper corner of each.
nb::ndarray<nb::numpy, Index, nb::ndim<3>> split_boxes(const std::vector<Index>& extent, int n_ranks) {
  const auto n_axes = static_cast<int>(extent.size());
  const auto split = BrickDecomposition::near_cubic(n_axes, to_point(extent), n_ranks).value();
  auto corners = std::make_unique<std::vector<Index>>();
  std::size_t n_boxes = 0;
  for (Index part = 0; part < split.num_parts(); ++part) {
    const Box box = split.box(part);
    if (box.empty()) continue;
    ++n_boxes;
    for (const Point& corner : {box.lo, box.hi}) {
      corners->insert(corners->end(), corner.begin(), corner.begin() + n_axes);
    }
  }
  Index* data = corners->data();
  const nb::capsule owner(corners.release(),
                          [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
  return {data, {n_boxes, 2, extent.size()}, owner};
}

/// The rules of a grid: one for the boxes of each level, and one of no boxes if the list is empty.
std::vector<KeepRule> rules_of(const Kept& kept, const Grid& grid) {
  std::vector<KeepRule> rules;
  if (kept.level) rules.push_back(KeepRule::everywhere(*kept.level));
  const auto rows = kept.boxes.find(grid.name);
  if (rows == kept.boxes.end()) return rules;
  std::map<int, std::vector<Box>> of_level;
  for (const BoxRow& row : rows->second) of_level[std::get<0>(row)].push_back(to_box(row, "level"));
  if (of_level.empty()) of_level[0] = {};
  for (auto& [level, boxes] : of_level) rules.push_back(KeepRule::inside(std::move(boxes), level));
  return rules;
}

/// Runs Python's signal handlers; an exception from them ends planning.
bool check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  return true;
}

/// Throws unless a row is of one of the ranks.
void check_rank(int rank, int n_ranks, const std::string& what) {
  if (rank >= 0 && rank < n_ranks) return;
  throw Error(Code::kInvalidArgument, what + " of rank " + std::to_string(rank) + ": expected ranks 0 to " +
                                          std::to_string(n_ranks - 1));
}

/// Plans a step with `boxes` on all grids, or without boxes, with grids split as nearly cubically as
/// possible.
PlanReport plan_schema(const Schema& schema, int n_ranks, const std::vector<BoxRow>& boxes,
                       const Options& options, const Kept& kept, int ranks_per_node) {
  const KeepOfGrid keep = [&](const Grid& grid) { return rules_of(kept, grid); };
  const SplitOfGrid near_cubic = [&](const Grid& grid) {
    return BrickDecomposition::near_cubic(schema.rank_of(grid), schema.box_of(grid).hi, n_ranks);
  };
  if (boxes.empty())
    return plan_step(schema, n_ranks, near_cubic, options, check_signals, keep, ranks_per_node).value();
  std::map<int, std::vector<Box>> of_rank;
  for (const BoxRow& row : boxes) {
    const int rank = std::get<0>(row);
    check_rank(rank, n_ranks, "box");
    of_rank[rank].push_back(to_box(row, "rank"));
  }
  const BoxesOfRank listed = [&](int rank, const Grid&) { return of_rank[rank]; };
  return plan_step(schema, n_ranks, listed, options, check_signals, keep, ranks_per_node).value();
}

PlanReport plan_mesh(int n_ranks, const std::vector<Index>& extent,
                     const std::vector<std::vector<Index>>& ratios, int n_fields, const std::string& type,
                     const std::vector<PatchRow>& patches, const OptionTexts& options, int ranks_per_node) {
  std::map<int, std::vector<MeshBox>> of_rank;
  for (const auto& [rank, level, lo, hi] : patches) {
    check_rank(rank, n_ranks, "patch");
    of_rank[rank].push_back({level, to_box({rank, lo, hi}, "rank")});
  }
  const PatchesOfRank listed = [&](int rank, const Grid&) { return of_rank[rank]; };
  return plan_step(make_mesh_schema(extent, ratios, n_fields, type), n_ranks, listed, make_options(options),
                   check_signals, {}, ranks_per_node)
      .value();
}

PlanReport plan_grid(int n_ranks, const std::vector<Index>& extent, int n_fields, const std::string& type,
                     int stored_bits, const std::vector<BoxRow>& boxes, const OptionTexts& options,
                     const KeptRows& keep, std::optional<int> keep_level, int ranks_per_node) {
  return plan_schema(make_schema(extent, n_fields, type, stored_bits), n_ranks, boxes, make_options(options),
                     {keep, keep_level}, ranks_per_node);
}

/// Plans a step with the patches that a dataset has at its last step, dealt to the ranks level by level.
PlanReport plan_patches_of(const Dataset& dataset, int n_ranks, const Options& options, int ranks_per_node) {
  const Schema& schema = dataset.schema();
  std::map<std::string, std::vector<MeshBox>> of_grid;
  for (const Field& field : schema.fields()) {
    const Grid& grid = schema.grid_of(field);
    if (of_grid.count(grid.name) == 0 && grid.mesh)
      of_grid[grid.name] = dataset.patches(field.name, -1).value();
  }
  const PatchesOfRank dealt = [&](int rank, const Grid& grid) {
    if (!grid.mesh) {
      const auto split =
          BrickDecomposition::near_cubic(schema.rank_of(grid), schema.box_of(grid).hi, n_ranks);
      return rank < split->num_parts() ? std::vector<MeshBox>{{0, split->box(rank)}} : std::vector<MeshBox>{};
    }
    std::vector<MeshBox> mine;
    const std::vector<MeshBox>& all = of_grid[grid.name];
    for (auto first = all.begin(); first != all.end();) {
      const auto last =
          std::find_if(first, all.end(), [&](const MeshBox& p) { return p.level != first->level; });
      const Index count = last - first;
      mine.insert(mine.end(), first + count * rank / n_ranks, first + count * (rank + 1) / n_ranks);
      first = last;
    }
    return mine;
  };
  return plan_step(schema, n_ranks, dealt, options, check_signals, {}, ranks_per_node).value();
}

PlanReport plan_dataset(int n_ranks, const std::string& path, const std::vector<BoxRow>& boxes,
                        const OptionTexts& options, const KeptRows& keep, std::optional<int> keep_level,
                        int ranks_per_node) {
  const Dataset dataset = value_or_no_dataset(Dataset::open(path));
  const auto& grids = dataset.schema().grids();
  if (boxes.empty() &&
      std::any_of(grids.begin(), grids.end(), [](const Grid& g) { return g.mesh.has_value(); })) {
    return plan_patches_of(dataset, n_ranks, make_options(options), ranks_per_node);
  }
  return plan_schema(dataset.schema(), n_ranks, boxes, make_options(options), {keep, keep_level},
                     ranks_per_node);
}

using Table = nb::ndarray<nb::numpy, const Index, nb::ndim<2>>;

/// A view of a vector of structures that consist of numbers only.
template <class Row>
Table view_of(const std::vector<Row>& rows, nb::handle owner) {
  static_assert(sizeof(Row) % sizeof(Index) == 0);
  return Table(rows.data(), {rows.size(), sizeof(Row) / sizeof(Index)}, owner);
}

Table node_loads(nb::handle_t<PlanReport> self) {
  return view_of(nb::cast<const PlanReport&>(self).loads.nodes, self);
}

Table written_extents(nb::handle_t<PlanReport> self) {
  return view_of(nb::cast<const PlanReport&>(self).loads.extents, self);
}

std::vector<TunableOption> space_of(int n_ranks, int n_aggregators, Index buffer_bytes, int bits_per_block,
                                    Index blocks_per_file, const OptionTexts& options) {
  PlanReport plan;
  plan.ranks = n_ranks;
  plan.aggregators = n_aggregators;
  plan.buffer_bytes.max = buffer_bytes;
  plan.bits_per_block = bits_per_block;
  plan.blocks_per_file = blocks_per_file;
  return tuning_space(plan, make_options(options));
}

void bind_tuning(nb::module_& m) {
  nb::class_<TunableOption>(m, "TunableOption")
      .def_ro("option", &TunableOption::option)
      .def_ro("value", &TunableOption::value)
      .def_prop_ro("cost", [](const TunableOption& option) { return to_string(option.cost); })
      .def_ro("values", &TunableOption::values)
      .def_ro("constraint", &TunableOption::constraint)
      .def_ro("is_set", &TunableOption::is_set);
  m.def("tuning_space", &space_of, "n_ranks"_a, "n_aggregators"_a, "buffer_bytes"_a, "bits_per_block"_a,
        "blocks_per_file"_a, "options"_a);
  m.def("machine_kind", &machine_kind);
  m.def("tune_model_path", &tune_model_path);
}

void bind_report(nb::module_& m) {
  nb::class_<OverRanks>(m, "OverRanks")
      .def_ro("min", &OverRanks::min)
      .def_ro("mean", &OverRanks::mean)
      .def_ro("max", &OverRanks::max);
  nb::class_<MessageBin>(m, "MessageBin")
      .def_ro("least_bytes", &MessageBin::least_bytes)
      .def_ro("to_relays", &MessageBin::to_relays)
      .def_ro("to_aggregators", &MessageBin::to_aggregators);
  nb::class_<PartitionTraffic>(m, "PartitionTraffic")
      .def_ro("partitions", &PartitionTraffic::partitions)
      .def_ro("messages", &PartitionTraffic::messages)
      .def_ro("senders", &PartitionTraffic::senders)
      .def_ro("sent_bytes", &PartitionTraffic::sent_bytes)
      .def_ro("buffer_bytes", &PartitionTraffic::buffer_bytes)
      .def_ro("crossing_messages", &PartitionTraffic::crossing_messages)
      .def_ro("crossing_bytes", &PartitionTraffic::crossing_bytes)
      .def_ro("coarse_messages", &PartitionTraffic::coarse_messages)
      .def_ro("coarse_bytes", &PartitionTraffic::coarse_bytes);
  nb::class_<PlanReport>(m, "PlanReport")
      .def_ro("ranks", &PlanReport::ranks)
      .def_ro("writers", &PlanReport::writers)
      .def_ro("aggregators", &PlanReport::aggregators)
      .def_ro("files", &PlanReport::files)
      .def_ro("blocks", &PlanReport::blocks)
      .def_ro("bits_per_block", &PlanReport::bits_per_block)
      .def_ro("blocks_per_file", &PlanReport::blocks_per_file)
      .def_ro("data_bytes", &PlanReport::data_bytes)
      .def_ro("stored_bytes", &PlanReport::stored_bytes)
      .def_ro("rounds", &PlanReport::rounds)
      .def_ro("messages", &PlanReport::messages)
      .def_ro("senders", &PlanReport::senders)
      .def_ro("sent_bytes", &PlanReport::sent_bytes)
      .def_ro("written_bytes", &PlanReport::written_bytes)
      .def_ro("buffer_bytes", &PlanReport::buffer_bytes)
      .def_ro("burst_bytes", &PlanReport::burst_bytes)
      .def_ro("message_sizes", &PlanReport::message_sizes)
      .def_ro("boxes", &PlanReport::boxes)
      .def_ro("volume_ratio", &PlanReport::volume_ratio)
      .def_ro("receivers", &PlanReport::receivers)
      .def_ro("in_partitions", &PlanReport::in_partitions)
      .def_ro("samples", &PlanReport::samples)
      .def_ro("write_imbalance", &PlanReport::write_imbalance)
      .def_prop_ro("levels",
                   [](const PlanReport& report) {
                     std::vector<std::tuple<Index, Index, Index>> levels;
                     for (const LevelCover& cover : report.levels) {
                       levels.emplace_back(cover.patches, cover.samples, cover.covered);
                     }
                     return levels;
                   })
      .def_prop_ro("node_loads", &node_loads)
      .def_prop_ro("extents", &written_extents)
      .def("to_string", &PlanReport::to_string);
}

}  // namespace

void bind_planning(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  bind_report(m);
  bind_tuning(m);
  m.def("cube_of_ranks", &cube_of_ranks, "n_axes"_a, "n_ranks"_a);
  m.def("split_boxes", &split_boxes, "extent"_a, "n_ranks"_a);
  m.def("plan_grid", &plan_grid, "n_ranks"_a, "extent"_a, "n_fields"_a, "type"_a, "stored_bits"_a = 0,
        "boxes"_a = std::vector<BoxRow>(), "options"_a = OptionTexts(), "keep"_a = KeptRows(),
        "keep_level"_a = nb::none(), "ranks_per_node"_a = 0, Release());
  m.def("plan_mesh", &plan_mesh, "n_ranks"_a, "extent"_a, "ratios"_a, "n_fields"_a, "type"_a, "patches"_a,
        "options"_a = OptionTexts(), "ranks_per_node"_a = 0, Release());
  m.def("plan_dataset", &plan_dataset, "n_ranks"_a, "path"_a, "boxes"_a = std::vector<BoxRow>(),
        "options"_a = OptionTexts(), "keep"_a = KeptRows(), "keep_level"_a = nb::none(),
        "ranks_per_node"_a = 0, Release());
}

}  // namespace esker::python
