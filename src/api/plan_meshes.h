// The patches of a planned step: what the flat array of all levels holds and keeps, and the level fields of
// formats that store whole levels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "esker/plan.hpp"
#include "format/format_writer.h"
#include "plan/distribution.h"
#include "plan/field_boxes.h"

namespace esker {

/// What the patches of all ranks make of each grid. Local; time and memory follow the patches.
class PlannedPatches {
 public:
  /// All must outlive this object. `pulse` is called often, and may throw.
  PlannedPatches(const Schema& schema, int n_ranks, const PatchesOfRank& patches,
                 const std::function<void()>& pulse)
      : schema_(schema), n_ranks_(n_ranks), patches_(patches), pulse_(pulse) {}

  /// The boxes of the ranks in the array of a grid, of a mesh without what finer patches cover. Errors are
  /// those of writing: kOutOfRange, kInvalidArgument for patches of a level that overlap, kUnsupported.
  Result<std::shared_ptr<const Distribution>> flatten(const Grid& grid, const FormatWriter& format);
  /// Gives the patches to a format that stores levels, and adds the boxes of its level fields to `holders`,
  /// and to `present` which of them have samples. Returns the schema with them. Errors: those of flatten().
  Result<Schema> add_level_fields(FormatWriter& format, BoxesOfField& holders, std::vector<bool>& present);
  /// The rules of a mesh as an array, after flatten(); none for other grids.
  [[nodiscard]] std::vector<KeepRule> rules_of(const Grid& grid) const;
  /// Of the patches of a mesh, those under finer patches included; after one of both.
  [[nodiscard]] Index num_samples(const Grid& grid) const { return num_samples_.at(grid.name); }
  /// By level, the sums over all meshes.
  [[nodiscard]] const std::vector<LevelCover>& levels() const { return levels_; }

 private:
  using PatchesOfRanks = std::vector<std::vector<MeshBox>>;

  Result<PatchesOfRanks> list_patches(const Grid& grid) const;
  /// The patches of a mesh, checked and counted.
  Result<const PatchesOfRanks*> patches_of_mesh(const Grid& grid);
  Status check_mesh(const Grid& grid, const PatchesOfRanks& patches) const;
  Status check_patch(const Grid& grid, const MeshBox& patch) const;
  BoxesOfRanks flatten_mesh(const Grid& grid, const FormatWriter& format, const PatchesOfRanks& patches);
  void count_levels(const Grid& grid, const PatchesOfRanks& patches);

  const Schema& schema_;
  int n_ranks_;
  const PatchesOfRank& patches_;
  const std::function<void()>& pulse_;
  std::map<std::string, PatchesOfRanks> meshes_;        // by the name of the grid
  std::map<std::string, std::vector<KeepRule>> rules_;  // likewise
  std::map<std::string, Index> num_samples_;            // likewise
  std::vector<LevelCover> levels_;
};

}  // namespace esker
