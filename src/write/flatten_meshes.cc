#include "write/flatten_meshes.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "adaptive/level_parts.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "exchange/directory.h"
#include "grid/selection.h"
#include "plan/field_boxes.h"

namespace esker {
namespace {

/// The patches of one mesh in a step.
struct MeshStep {
  int grid = -1;
  const Mesh* mesh = nullptr;
  std::vector<int> fields;      // due, positions in the schema
  std::vector<MeshPatch> mine;  // of the first field; those of the others have the same boxes
  int first_list = 0;           // of the directory: one per level

  [[nodiscard]] int list_of(int level) const { return first_list + level; }
};

/// The largest power of two, at most `most`, that divides both.
Index common_power(Index a, Index b, Index most) {
  while (most > 1 && (a % most != 0 || b % most != 0)) most /= 2;
  return most;
}

/// Calls visit(box, spacing) for parts of a part of a coarser patch, so that nearest samples at multiples of
/// `spacing` are in the part: `ratio` where its cells are whole, less where a finer patch covers a part of a
/// cell.
template <class Visit>
void for_each_aligned(const Box& part, const Box& domain, const Point& ratio, const Visit& visit) {
  Box whole = part;
  for (int a = 0; a < part.rank; ++a) {
    whole.lo[a] = round_up(part.lo[a], ratio[a]);
    whole.hi[a] = part.hi[a] == domain.hi[a] ? part.hi[a] : part.hi[a] - part.hi[a] % ratio[a];
    if (whole.hi[a] <= whole.lo[a]) whole.hi[a] = whole.lo[a];
  }
  std::vector<LevelBox> boxes{{part, 0}};
  if (!whole.empty()) boxes.push_back({whole, 1});
  for_each_level_part(part, boxes, [&](const Box& box, KeptLevel level) {
    Point spacing = ratio;
    for (int a = 0; a < box.rank && level == 0; ++a) {
      const Index end = box.hi[a] == domain.hi[a] ? 0 : box.hi[a];
      spacing[a] = common_power(box.lo[a], end, ratio[a]);
    }
    visit(box, spacing);
  });
}

class Flattening {
 public:
  Flattening(Comm& comm, const Schema& schema, const FormatWriter& format, const StepInput& input)
      : comm_(comm), schema_(schema), format_(format), input_(input) {}

  Status run(StepInput& flat) {
    std::vector<BoxList> lists;
    const auto prepare = [&] {
      flat.step = input_.step;
      flat.time = input_.time;
      flat.patches = input_.patches;
      flat.patches.resize(schema_.fields().size());
      flat.copied_bytes = input_.copied_bytes;
      flat.keep = input_.keep;
      return list_patches(lists);
    };
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", prepare));
    ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm_, lists));
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] { return check_overlap(directory); }));
    if (format_.stores_flat()) {
      ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) { ask(directory, visit); }));
      ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] {
        for (const MeshStep& step : steps_) flatten(directory, step, flat);
        return Status();
      }));
    }
    for (const MeshStep& step : steps_) ESKER_RETURN_IF_ERROR(collect(step, flat));
    return {};
  }

 private:
  Status list_patches(std::vector<BoxList>& lists) {
    for (std::size_t g = 0; g < schema_.grids().size(); ++g) {
      const Grid& grid = schema_.grids()[g];
      if (!grid.mesh) continue;
      MeshStep step{static_cast<int>(g), &*grid.mesh, {}, {}, static_cast<int>(lists.size())};
      for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
        const Field& field = schema_.fields()[f];
        if (field.grid == step.grid && is_due(field, input_.step)) step.fields.push_back(static_cast<int>(f));
      }
      if (step.fields.empty()) continue;
      if (format_.stores_flat()) {
        ESKER_RETURN_IF_ERROR(
            format_.check_sparse(step.fields.front()).with_context("mesh '" + grid.name + "'"));
      }
      ESKER_RETURN_IF_ERROR(take_patches(step));
      for (int level = 0; level < step.mesh->num_levels(); ++level) {
        BoxList list{step.mesh->domain(level), {}, true};
        for (const MeshPatch& put : step.mine) {
          if (put.level == level) list.boxes.push_back(put.patch.box);
        }
        lists.push_back(std::move(list));
      }
      steps_.push_back(std::move(step));
    }
    return {};
  }

  [[nodiscard]] const std::vector<MeshPatch>& patches_of(int field) const {
    static const std::vector<MeshPatch> none;
    const auto f = static_cast<std::size_t>(field);
    return f < input_.mesh_patches.size() ? input_.mesh_patches[f] : none;
  }

  Status take_patches(MeshStep& step) const {
    step.mine = patches_of(step.fields.front());
    const auto is_same = [](const MeshPatch& a, const MeshPatch& b) {
      return a.level == b.level && a.patch.box == b.patch.box;
    };
    for (const int f : step.fields) {
      const std::vector<MeshPatch>& others = patches_of(f);
      if (std::equal(step.mine.begin(), step.mine.end(), others.begin(), others.end(), is_same)) continue;
      const auto name_of = [&](int field) { return schema_.fields()[static_cast<std::size_t>(field)].name; };
      return error(
          Code::kInvalidArgument,
          "fields '{}' and '{}' of mesh '{}' are put in different patches: expected the same levels and "
          "boxes in the same order",
          name_of(step.fields.front()), name_of(f),
          schema_.grids()[static_cast<std::size_t>(step.grid)].name);
    }
    return {};
  }

  Status check_overlap(const Directory& directory) const {
    const auto& defect = directory.defect();
    if (!defect) return {};
    const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const MeshStep& s) {
      return defect->list < s.list_of(s.mesh->num_levels());
    });
    return error(Code::kInvalidArgument,
                 "mesh '{}', level {}: the patches {} of rank {} and {} of rank {} overlap in {}",
                 schema_.grids()[static_cast<std::size_t>(step->grid)].name, defect->list - step->first_list,
                 defect->first->box.to_string(), defect->first->rank, defect->second->box.to_string(),
                 defect->second->rank, defect->where.to_string());
  }

  /// The part of a finer level that a patch may be covered by.
  static Box in_level(const Mesh& mesh, const MeshPatch& put, int finer) {
    const Box in_finest = mesh.in_finest(put.patch.box, put.level);
    const Point ratio = mesh.ratio_to_finest(finer);
    Box box = in_finest;
    for (int a = 0; a < box.rank; ++a) {
      box.lo[a] = in_finest.lo[a] / ratio[a];
      box.hi[a] = (in_finest.hi[a] - 1) / ratio[a] + 1;
    }
    return box;
  }

  void ask(const Directory& directory, const VisitRegion& visit) const {
    for (const MeshStep& step : steps_) {
      for (const MeshPatch& put : step.mine) {
        for (int finer = put.level + 1; finer < step.mesh->num_levels(); ++finer) {
          visit(*directory.lists()[static_cast<std::size_t>(step.list_of(finer))],
                in_level(*step.mesh, put, finer));
        }
      }
    }
  }

  /// The parts of a patch that no finer one covers, in the finest level.
  [[nodiscard]] std::vector<Box> uncovered(const Directory& directory, const MeshStep& step,
                                           const MeshPatch& put) const {
    const Mesh& mesh = *step.mesh;
    const Box own = mesh.in_finest(put.patch.box, put.level);
    std::vector<LevelBox> boxes{{own, static_cast<KeptLevel>(put.level)}};
    for (int finer = put.level + 1; finer < mesh.num_levels(); ++finer) {
      const auto& list = *directory.lists()[static_cast<std::size_t>(step.list_of(finer))];
      list.for_each_meeting(in_level(mesh, put, finer), [&](int, int, const Box& box) {
        boxes.push_back({mesh.in_finest(box, finer), static_cast<KeptLevel>(finer)});
      });
    }
    std::vector<Box> parts;
    for_each_level_part(own, boxes, [&](const Box& part, KeptLevel level) {
      if (level == put.level) parts.push_back(part);
    });
    return parts;
  }

  void flatten(const Directory& directory, const MeshStep& step, StepInput& flat) const {
    const Bitmask& mask = format_.blocks_of(step.fields.front())->mask();
    const Box domain = step.mesh->domain(step.mesh->num_levels() - 1);
    std::map<int, std::vector<Box>> kept;  // by KeepRule::level
    for (std::size_t p = 0; p < step.mine.size(); ++p) {
      const Point ratio = step.mesh->ratio_to_finest(step.mine[p].level);
      const std::vector<Box> parts = uncovered(directory, step, step.mine[p]);
      for (const Box& part : parts) {
        for_each_aligned(part, domain, ratio, [&](const Box& box, const Point& spacing) {
          kept[-levels_below(mask, spacing)].push_back(box);
        });
      }
      for (const int field : step.fields) {
        add_parts(patches_of(field)[p].patch, parts, ratio, flat.patches[static_cast<std::size_t>(field)]);
      }
    }
    for (auto& [level, boxes] : kept) {
      flat.keep.push_back({step.grid, -1, KeepRule::inside(std::move(boxes), level)});
    }
  }

  /// The patches of all ranks, in an order that does not depend on the ranks. Collective.
  Status collect(const MeshStep& step, StepInput& flat) const {
    std::vector<MeshBox> mine;
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] {
      for (const MeshPatch& put : step.mine) mine.push_back({put.level, put.patch.box});
      return Status();
    }));
    ESKER_ASSIGN_OR_RETURN(const Gathered gathered, gather(comm_, std::as_bytes(std::span(mine))));
    return all_do(comm_, "mesh", [&] {
      if (comm_.rank() != 0 && !format_.stores_levels()) return Status();
      std::vector<MeshBox> all;
      for (const std::span<const std::byte> bytes : gathered.of_rank) {
        const std::size_t before = all.size();
        all.resize(before + bytes.size() / sizeof(MeshBox));
        if (!bytes.empty()) std::memcpy(&all[before], bytes.data(), bytes.size());
      }
      std::sort(all.begin(), all.end(), precedes);
      flat.patches_of_meshes.resize(schema_.grids().size());
      flat.patches_of_meshes[static_cast<std::size_t>(step.grid)] = std::move(all);
      return Status();
    });
  }

  static void add_parts(const Patch& whole, const std::vector<Box>& parts, const Point& ratio,
                        PatchList& patches) {
    for (const Box& part : parts) {
      Patch patch = whole;
      patch.box = part;
      patch.repeat = ratio;
      const auto* data = static_cast<const std::byte*>(whole.data);
      for (int a = 0; a < part.rank; ++a) {
        data += (part.lo[a] / ratio[a] - whole.box.lo[a]) * whole.stride_bytes[a];
      }
      patch.data = data;
      patches.push_back(patch);
    }
  }

  Comm& comm_;
  const Schema& schema_;
  const FormatWriter& format_;
  const StepInput& input_;
  std::vector<MeshStep> steps_;
};

}  // namespace

Result<StepInput> flatten_meshes(Comm& comm, const Schema& schema, const FormatWriter& format,
                                 const StepInput& input) {
  StepInput flat;
  ESKER_RETURN_IF_ERROR(Flattening(comm, schema, format, input).run(flat));
  return flat;
}

}  // namespace esker
