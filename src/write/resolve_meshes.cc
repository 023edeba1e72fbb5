#include "write/resolve_meshes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "adaptive/flat_parts.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "exchange/directory.h"
#include "model/field_facts.h"
#include "plan/field_boxes.h"
#include "write/mesh_step.h"
#include "write/nesting.h"
#include "write/shared_nodes.h"

namespace esker {
namespace {

class MeshResolver {
 public:
  MeshResolver(Comm& comm, const Schema& schema, const FormatWriter& format, const StepInput& input,
               const Options& options)
      : comm_(comm), schema_(schema), format_(format), input_(input), options_(options) {}

  Status run(StepInput& flat) {
    std::vector<BoxList> lists;
    const auto prepare = [&] {
      flat.step = input_.step;
      flat.time = input_.time;
      flat.patches = input_.patches;
      flat.patches.resize(schema_.fields().size());
      flat.copied_bytes = input_.copied_bytes;
      flat.keep = input_.keep;
      flat.mesh_bytes = bytes_on_meshes();
      return list_patches(lists);
    };
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", prepare));
    ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm_, lists));
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] { return check_overlap(directory); }));
    ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) { ask(directory, visit); }));
    ESKER_RETURN_IF_ERROR(compare_nodes(directory));
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] { return flatten_all(directory, flat); }));
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
        BoxList list{step.mesh->domain(level), {}, true, has_nodes(step)};
        for (const MeshPatch& put : step.mine) {
          if (put.level == level) list.boxes.push_back(put.patch.box);
        }
        lists.push_back(std::move(list));
      }
      steps_.push_back(std::move(step));
    }
    return {};
  }

  Status flatten_all(const Directory& directory, StepInput& flat) const {
    for (const MeshStep& step : steps_) {
      ESKER_RETURN_IF_ERROR(check_nesting(schema_, directory, step));
      if (format_.stores_flat()) flatten(directory, step, flat);
    }
    return {};
  }

  [[nodiscard]] Index bytes_on_meshes() const {
    Index bytes = 0;
    for (std::size_t f = 0; f < input_.mesh_patches.size(); ++f) {
      for (const MeshPatch& put : input_.mesh_patches[f]) {
        bytes += put.patch.box.num_samples() * schema_.fields()[f].sample_bytes();
      }
    }
    return bytes;
  }

  /// Collective.
  Status compare_nodes(const Directory& directory) const {
    if (!options_.compare_shared_nodes) return {};
    for (const MeshStep& step : steps_) {
      if (!has_nodes(step)) continue;
      ESKER_RETURN_IF_ERROR(compare_shared_nodes(comm_, schema_, input_, step, directory));
    }
    return {};
  }

  static bool has_nodes(const MeshStep& step) { return step.mesh->centering == Centering::kNodes; }

  Status take_patches(MeshStep& step) const {
    step.mine = patches_of(input_, step.fields.front());
    const auto is_same = [](const MeshPatch& a, const MeshPatch& b) {
      return a.level == b.level && a.patch.box == b.patch.box;
    };
    for (const int f : step.fields) {
      const std::vector<MeshPatch>& others = patches_of(input_, f);
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
    return overlap_error(schema_.grids()[static_cast<std::size_t>(step->grid)],
                         defect->list - step->first_list, defect->where, *defect->first, *defect->second);
  }

  void ask(const Directory& directory, const VisitRegion& visit) const {
    for (const MeshStep& step : steps_) {
      for_each_region_below(directory, step, visit);
      for (const MeshPatch& put : step.mine) {
        if (has_nodes(step)) visit(step.known(directory, put.level), put.patch.box);
        for (int finer = put.level + 1; finer < step.mesh->num_levels(); ++finer) {
          visit(step.known(directory, finer), region_in_level(*step.mesh, {put.level, put.patch.box}, finer));
        }
      }
    }
  }

  void flatten(const Directory& directory, const MeshStep& step, StepInput& flat) const {
    FlatRules rules(*step.mesh, format_.blocks_of(step.fields.front())->mask());
    const PatchesMeeting meeting = [&](int level, const Box& region, const auto& visit) {
      step.known(directory, level).for_each_meeting(region, [&](int, int, const Box& box) { visit(box); });
    };
    for (std::size_t p = 0; p < step.mine.size(); ++p) {
      const MeshBox patch{step.mine[p].level, step.mine[p].patch.box};
      const std::vector<Box> parts = uncovered_parts(*step.mesh, patch, meeting);
      rules.add(patch.level, parts);
      const Point ratio = step.mesh->ratio_to_finest(patch.level);
      for (const int field : step.fields) {
        add_parts(patches_of(input_, field)[p].patch, parts, ratio,
                  flat.patches[static_cast<std::size_t>(field)]);
      }
    }
    for (KeepRule& rule : rules.take()) flat.keep.push_back({step.grid, -1, std::move(rule)});
  }

  /// The patches of all ranks, in an order that does not depend on the ranks. Collective.
  Status collect(const MeshStep& step, StepInput& flat) const {
    std::vector<MeshBox> mine;
    ESKER_RETURN_IF_ERROR(all_do(comm_, "mesh", [&] {
      for (const MeshPatch& put : step.mine) mine.push_back({put.level, put.patch.box});
      return Status();
    }));
    ESKER_RETURN_IF_ERROR(check_list(step, std::ssize(mine)));
    ESKER_ASSIGN_OR_RETURN(const Gathered gathered, gather(comm_, std::as_bytes(std::span(mine))));
    return all_do(comm_, "mesh", [&] {
      if (comm_.rank() != 0 && !format_.stores_levels()) return Status();
      std::vector<MeshBox> all;
      std::size_t n_bytes = 0;
      for (const std::span<const std::byte> bytes : gathered.of_rank) n_bytes += bytes.size();
      all.reserve(n_bytes / sizeof(MeshBox));
      for (const std::span<const std::byte> bytes : gathered.of_rank) {
        const std::size_t before = all.size();
        all.resize(before + bytes.size() / sizeof(MeshBox));
        if (!bytes.empty()) std::memcpy(&all[before], bytes.data(), bytes.size());
      }
      std::sort(all.begin(), all.end(), precedes);
      flat.patches_of_meshes.resize(schema_.grids().size());
      flat.patches_of_meshes[static_cast<std::size_t>(step.grid)] =
          std::make_shared<const std::vector<MeshBox>>(std::move(all));
      return Status();
    });
  }

  /// kOutOfMemory if the budget cannot hold the list of all patches twice, as collect() does. Collective.
  [[nodiscard]] Status check_list(const MeshStep& step, Index n_mine) const {
    std::array<double, 1> n_patches{static_cast<double>(n_mine)};
    comm_.all_reduce_sum(n_patches);
    const double needed = 2 * static_cast<double>(sizeof(MeshBox)) * n_patches[0];
    if (needed <= static_cast<double>(options_.memory_budget_bytes)) return {};
    return all_do(comm_, "mesh", [&] {
      return error(
          Code::kOutOfMemory,
          "memory_budget {} bytes: the list of the {:.0f} patches of mesh '{}' needs {:.0f} bytes on each "
          "rank; set memory_budget to at least that, or use fewer patches",
          options_.memory_budget_bytes, n_patches[0],
          schema_.grids()[static_cast<std::size_t>(step.grid)].name, needed);
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
  const Options& options_;
  std::vector<MeshStep> steps_;
};

}  // namespace

Result<StepInput> resolve_meshes(Comm& comm, const Schema& schema, const FormatWriter& format,
                                 const StepInput& input, const Options& options) {
  StepInput flat;
  ESKER_RETURN_IF_ERROR(MeshResolver(comm, schema, format, input, options).run(flat));
  return flat;
}

}  // namespace esker
