#include "planning.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.h"
#include "esker/dataset.hpp"
#include "esker/plan.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace esker::python {
namespace {

using OptionTexts = std::map<std::string, std::string>;
/// Rank (of boxes that are kept: level), lo, hi.
using BoxRow = std::tuple<int, std::vector<Index>, std::vector<Index>>;
/// The boxes that are kept of each grid, by its name, and the level that is kept everywhere.
using KeptRows = std::map<std::string, std::vector<BoxRow>>;
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

/// `n_fields` fields on one grid.
Schema make_schema(const std::vector<Index>& extent, int n_fields, const std::string& type, int stored_bits) {
  Schema schema;
  std::vector<DimId> dims;
  for (std::size_t a = 0; a < extent.size(); ++a) {
    dims.push_back(schema.add_dim("d" + std::to_string(a), extent[a]).value());
  }
  const GridId grid = schema.add_grid("grid", dims).value();
  for (int f = 0; f < n_fields; ++f) {
    Field field;
    field.name = "f" + std::to_string(f);
    field.grid = grid.index;
    field.type = parse_sample_type(type).value();
    field.stored_bits = stored_bits;
    schema.add_field(field).value();
  }
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

using Corners = std::pair<std::vector<Index>, std::vector<Index>>;

/// The near-cubic split of [0, extent): the parts with samples.
std::vector<Corners> split_boxes(const std::vector<Index>& extent, int n_ranks) {
  const auto n_axes = static_cast<int>(extent.size());
  const auto split = BrickDecomposition::near_cubic(n_axes, to_point(extent), n_ranks).value();
  const auto first = [&](const Point& p) { return std::vector<Index>(p.begin(), p.begin() + n_axes); };
  std::vector<Corners> boxes;
  for (Index part = 0; part < split.num_parts(); ++part) {
    const Box box = split.box(part);
    if (!box.empty()) boxes.emplace_back(first(box.lo), first(box.hi));
  }
  return boxes;
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

/// Plans a step with `boxes` on all grids, or without boxes, with grids split as nearly cubically as
/// possible.
PlanReport plan_schema(const Schema& schema, int n_ranks, const std::vector<BoxRow>& boxes,
                       const Options& options, const Kept& kept) {
  const KeepOfGrid keep = [&](const Grid& grid) { return rules_of(kept, grid); };
  const SplitOfGrid near_cubic = [&](const Grid& grid) {
    return BrickDecomposition::near_cubic(schema.rank_of(grid), schema.box_of(grid).hi, n_ranks);
  };
  if (boxes.empty()) return plan_step(schema, n_ranks, near_cubic, options, check_signals, keep).value();
  std::map<int, std::vector<Box>> of_rank;
  for (const BoxRow& row : boxes) {
    const int rank = std::get<0>(row);
    if (rank < 0 || rank >= n_ranks) {
      throw Error(Code::kInvalidArgument, "box of rank " + std::to_string(rank) + ": expected ranks 0 to " +
                                              std::to_string(n_ranks - 1));
    }
    of_rank[rank].push_back(to_box(row, "rank"));
  }
  const BoxesOfRank listed = [&](int rank, const Grid&) { return of_rank[rank]; };
  return plan_step(schema, n_ranks, listed, options, check_signals, keep).value();
}

PlanReport plan_grid(int n_ranks, const std::vector<Index>& extent, int n_fields, const std::string& type,
                     int stored_bits, const std::vector<BoxRow>& boxes, const OptionTexts& options,
                     const KeptRows& keep, std::optional<int> keep_level) {
  return plan_schema(make_schema(extent, n_fields, type, stored_bits), n_ranks, boxes, make_options(options),
                     {keep, keep_level});
}

PlanReport plan_dataset(int n_ranks, const std::string& path, const std::vector<BoxRow>& boxes,
                        const OptionTexts& options, const KeptRows& keep, std::optional<int> keep_level) {
  const Dataset dataset = value_or_no_dataset(Dataset::open(path));
  return plan_schema(dataset.schema(), n_ranks, boxes, make_options(options), {keep, keep_level});
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
  nb::class_<PlanReport>(m, "PlanReport")
      .def_ro("ranks", &PlanReport::ranks)
      .def_ro("writers", &PlanReport::writers)
      .def_ro("aggregators", &PlanReport::aggregators)
      .def_ro("files", &PlanReport::files)
      .def_ro("blocks", &PlanReport::blocks)
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
      .def_ro("samples", &PlanReport::samples)
      .def_ro("write_imbalance", &PlanReport::write_imbalance)
      .def("to_string", &PlanReport::to_string);
}

}  // namespace

void bind_planning(nb::module_& m) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  bind_report(m);
  m.def("cube_of_ranks", &cube_of_ranks, "n_axes"_a, "n_ranks"_a);
  m.def("split_boxes", &split_boxes, "extent"_a, "n_ranks"_a);
  m.def("plan_grid", &plan_grid, "n_ranks"_a, "extent"_a, "n_fields"_a, "type"_a, "stored_bits"_a = 0,
        "boxes"_a = std::vector<BoxRow>(), "options"_a = OptionTexts(), "keep"_a = KeptRows(),
        "keep_level"_a = nb::none(), Release());
  m.def("plan_dataset", &plan_dataset, "n_ranks"_a, "path"_a, "boxes"_a = std::vector<BoxRow>(),
        "options"_a = OptionTexts(), "keep"_a = KeptRows(), "keep_level"_a = nb::none(), Release());
}

}  // namespace esker::python
