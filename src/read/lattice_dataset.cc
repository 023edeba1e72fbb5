#include "read/lattice_dataset.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/checked.h"
#include "base/macros.h"
#include "base/run_tasks.h"
#include "base/scratch.h"
#include "grid/copy_samples.h"
#include "store/lock.h"

namespace esker {

Status LatticeDataset::list_parts() {
  for (std::size_t g = 0; g < schema.grids().size(); ++g) {
    for (const bool fixed : {false, true}) {
      const Grid& grid = schema.grids()[g];
      PartInfo info{grid.name + (fixed ? "_fixed" : ""),         path_, {}, schema.box_of(grid), {}, 0, 0, 0,
                    fixed ? 1 : static_cast<Index>(times.size())};
      for (const Field& field : schema.fields()) {
        if (field.grid == static_cast<int>(g) && field.fixed == fixed) info.fields.push_back(field.name);
      }
      if (info.fields.empty()) continue;
      const auto mask = Bitmask::longest_first(info.box.rank, info.box.hi);
      if (mask.ok()) info.bitmask = mask->to_string();  // else of more digits than a mask has
      infos.push_back(std::move(info));
    }
  }
  return {};
}

bool LatticeDataset::has_samples(int field) const {
  return !is_ours_ || !field_at(field).fixed || !times.empty();
}

bool LatticeDataset::has(int field, Index step) const {
  return field_at(field).fixed || step % field_at(field).every == 0;
}

Box LatticeDataset::box(int field) const { return schema.box_of(schema.grid_of(field_at(field))); }

Result<Bitmask> LatticeDataset::bitmask(int field) const {
  const Box grid = box(field);
  return Bitmask::longest_first(grid.rank, grid.hi);
}

ReadUnit LatticeDataset::unit_of_chunks(int field, int level, const Point& chunk, bool is_plain) const {
  const Box grid = box(field);
  const auto mask = bitmask(field);
  const Point stride =
      mask.ok() && level <= mask->max_level() ? mask->samples_up_to(level).stride : Point{1, 1, 1, 1, 1};
  ReadUnit unit{{1, 1, 1, 1, 1}, !is_plain, !is_plain};
  for (int a = 0; a < grid.rank; ++a) {
    unit.extent[a] = std::clamp<Index>(chunk[a] / stride[a], 1, grid.hi[a]);
  }
  return unit;
}

Status LatticeDataset::read(int field, Index step, const ReadTarget& target,
                            const ReadContext& context) const {
  if (target.samples.num_samples() == 0) return {};
  const Index sample_bytes = field_at(field).sample_bytes();
  ESKER_ASSIGN_OR_RETURN(const std::vector<ReadTarget> pieces, cut(field, target));
  ReadCounters uncounted;
  ReadCounters& counters = context.counters ? *context.counters : uncounted;
  const auto make_worker = [&]() -> Worker {
    return [&, buffer = std::make_shared<Scratch>()](Index task) -> Status {
      const ReadTarget& piece = pieces[static_cast<std::size_t>(task)];
      const Lattice& samples = piece.samples;
      if (piece.is_dense(sample_bytes)) return read_lattice(field, step, samples, piece.out, counters);
      const auto bytes = buffer->get(samples.num_samples() * sample_bytes);
      ESKER_RETURN_IF_ERROR(read_lattice(field, step, samples, bytes.data(), counters));
      const Box indices = samples.all_indices();
      copy_samples(sample_bytes, bytes.data(), SampleMap::dense(indices, sample_bytes), piece.out,
                   SampleMap::strided(indices, piece.stride_bytes()));
      return {};
    };
  };
  return run_tasks(static_cast<Index>(pieces.size()), context.threads, make_worker, context.progress);
}

// Splits by level if the query does not begin at the coarsest one; then along the slowest axis, between read
// units.
Result<std::vector<ReadTarget>> LatticeDataset::cut(int field, const ReadTarget& target) const {
  constexpr Index kPieceBytes = Index{4} << 20;
  std::vector<ReadTarget> lattices;
  if (target.start_level == 0) {
    lattices.push_back(target);
  } else {
    ESKER_ASSIGN_OR_RETURN(const Bitmask mask, bitmask(field));
    for (int level = target.start_level; level <= target.level; ++level) {
      const auto common = common_samples(mask.samples_new_at(level), target);
      if (common) lattices.push_back(common->target);
    }
  }
  std::vector<ReadTarget> pieces;
  const Point unit = read_unit(field, target.level).extent;
  for (const ReadTarget& lattice : lattices) {
    const Lattice& samples = lattice.samples;
    int axis = samples.rank - 1;
    while (axis > 0 && samples.count[axis] == 1) --axis;
    Index slice_bytes = field_at(field).sample_bytes();
    for (int a = 0; a < axis; ++a) slice_bytes *= samples.count[a];
    const bool is_in_units = unit[axis] < box(field).extent(axis);
    const Index at_once = is_in_units ? unit[axis] : 1;
    const Index thickness = round_up(std::max<Index>(1, kPieceBytes / slice_bytes), at_once);
    for (Index first = 0; first < samples.count[axis];) {
      const Index place = samples.origin[axis] / samples.stride[axis] + first;
      Box indices = samples.all_indices();
      indices.lo[axis] = first;
      first = std::min(samples.count[axis], first + thickness - place % at_once);
      indices.hi[axis] = first;
      pieces.push_back(lattice.sub(indices));
    }
  }
  return pieces;
}

Result<StorageInfo> LatticeDataset::storage() const {
  ESKER_ASSIGN_OR_RETURN(const Index bytes, stored_bytes());
  return StorageInfo{1, bytes};
}

void LatticeDataset::look_for_leftovers(Findings& findings, Index file_bytes, Index end_bytes) const {
  if (!is_ours_ || file_bytes <= end_bytes) return;
  findings.warning(
      path_, "bytes after the last step were left by a run that did not finish; appending removes them");
}

void LatticeDataset::look_for_writer(Findings& findings) const {
  const std::string lock = std::filesystem::path(path_).replace_extension(kLockSuffix).string();
  const auto locked = store_->exists(lock);
  if (is_ours_ && locked.ok() && *locked) findings.warning(lock, "a writer is active, or one was killed");
}

}  // namespace esker
