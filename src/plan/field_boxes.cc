#include "plan/field_boxes.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "grid/coverage.h"
#include "plan/cell_distribution.h"

namespace esker {

Status missing_error(const Field& field) {
  return error(Code::kInvalidArgument, "field '{}' is due but no rank put it", field.name);
}

Status gap_error(const Field& field, const Box& where) {
  return error(Code::kInvalidArgument,
               "field '{}': no rank put the samples {}; together the ranks' patches must cover the grid "
               "exactly once",
               field.name, where.to_string());
}

Status overlap_error(const Field& field, const Box& where, const HeldBox& first, const HeldBox& second) {
  return error(Code::kInvalidArgument,
               "field '{}': patches overlap in {}: rank {} put {}, rank {} put {}; each sample must be put "
               "exactly once",
               field.name, where.to_string(), first.rank, first.box.to_string(), second.rank,
               second.box.to_string());
}

Status overlap_error(const Grid& mesh, int level, const Box& where, const HeldBox& first,
                     const HeldBox& second) {
  return error(
      Code::kInvalidArgument,
      "mesh '{}', level {}: the patches {} of rank {} and {} of rank {} overlap in {}{}", mesh.name, level,
      first.box.to_string(), first.rank, second.box.to_string(), second.rank, where.to_string(),
      mesh.mesh->centering == Centering::kNodes ? "; they may share nodes on their borders only" : "");
}

namespace {

Status check_field(const Field& field, const Distribution& holders, int n_ranks) {
  std::vector<Box> boxes;
  std::vector<int> rank_of;
  for (int r = 0; r < n_ranks; ++r) {
    for (const Box& box : holders.boxes_of(r)) {
      boxes.push_back(box);
      rank_of.push_back(r);
    }
  }
  if (boxes.empty()) return missing_error(field);
  const auto defect = find_coverage_defect(holders.domain(), boxes);
  if (!defect) return {};
  if (defect->second < 0) return gap_error(field, defect->where);
  const auto held = [&](int i) { return HeldBox{boxes[i], rank_of[i], 0}; };
  return overlap_error(field, defect->where, held(defect->first), held(defect->second));
}

}  // namespace

Status check_regular(const Field& field, const Box& box, const Point& extent) {
  for (int a = 0; a < box.rank && !field.fixed; ++a) {
    if (box.lo[a] % extent[a] == 0) continue;
    return error(Code::kInvalidArgument,
                 "field '{}': chunks=decomposition needs boxes that begin at multiples of the largest box, "
                 "{}, but {} does not; give extents instead",
                 field.name, Box::from_extent(box.rank, extent).to_string(), box.to_string());
  }
  return {};
}

Result<std::vector<Point>> regular_extents(const Schema& schema, const BoxesOfField& holders, int n_ranks) {
  std::vector<Point> extents(schema.fields().size());
  for (const auto& [f, of_field] : holders) {
    Point& extent = extents[static_cast<std::size_t>(f)];
    const auto visit_all = [&, &of_field = of_field](const auto& visit) -> Status {
      for (int rank = 0; rank < n_ranks; ++rank) {
        for (const Box& box : of_field->boxes_of(rank)) ESKER_RETURN_IF_ERROR(visit(box));
      }
      return {};
    };
    ESKER_RETURN_IF_ERROR(visit_all([&](const Box& box) {
      for (int a = 0; a < box.rank; ++a) extent[a] = std::max(extent[a], box.extent(a));
      return Status();
    }));
    const Field& field = schema.fields()[static_cast<std::size_t>(f)];
    ESKER_RETURN_IF_ERROR(visit_all([&](const Box& box) { return check_regular(field, box, extent); }));
  }
  return extents;
}

bool has_meshes(const Schema& schema) {
  return std::any_of(schema.grids().begin(), schema.grids().end(),
                     [](const Grid& grid) { return grid.mesh.has_value(); });
}

std::vector<FieldPatches> patches_of_columns(const std::vector<StepLayouts::Column>& columns,
                                             const BoxesOfField& boxes) {
  std::map<const Distribution*, std::shared_ptr<const Distribution>> cells_of;  // fields share them, too
  std::vector<FieldPatches> patches;
  for (const auto& column : columns) {
    std::shared_ptr<const Distribution> holders = boxes.at(column.field);
    if (column.stored_bits > 0) {
      auto& cells = cells_of[holders.get()];
      if (!cells) cells = std::make_shared<CellDistribution>(holders);
      holders = cells;
    }
    patches.push_back({column.layout, column.layout_field, std::move(holders)});
  }
  return patches;
}

int num_holders(const std::vector<FieldPatches>& fields, int n_ranks) {
  std::set<const Distribution*> all;
  for (const FieldPatches& field : fields) all.insert(field.holders.get());
  int holders = 0;
  for (int r = 0; r < n_ranks; ++r) {
    holders +=
        std::any_of(all.begin(), all.end(), [&](const Distribution* of) { return !of->boxes_of(r).empty(); });
  }
  return holders;
}

Status check_coverage(const Schema& schema, const BoxesOfField& boxes, int n_ranks) {
  std::set<const Distribution*> checked;
  for (const auto& [f, holders] : boxes) {
    const Field& field = schema.fields()[static_cast<std::size_t>(f)];
    const bool is_mesh = schema.grid_of(field).mesh.has_value();
    if (is_mesh || !checked.insert(holders.get()).second || holders->covers_domain()) continue;
    ESKER_RETURN_IF_ERROR(check_field(field, *holders, n_ranks));
  }
  return {};
}

}  // namespace esker
