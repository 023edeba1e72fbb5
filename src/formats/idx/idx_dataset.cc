#include "formats/idx/idx_dataset.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "codec/codec_spec.h"
#include "format/foreign_names.h"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/field_errors.h"
#include "formats/idx/joined_parts.h"
#include "formats/idx/pidx_header.h"
#include "grid/points.h"
#include "layout/kept_fields.h"
#include "model/fill_value.h"
#include "model/mesh_arrays.h"
#include "model/patch_cover.h"
#include "read/gaps.h"
#include "store/commit.h"

namespace esker::idx {

const IdxPart* IdxDataset::part_of(int field) const {
  const int part = place(field).part;
  return part < 0 ? nullptr : parts[static_cast<std::size_t>(part)].get();
}

bool IdxDataset::has(int field, Index step) const {
  return place(field).fixed || part_of(field)->has(place(field).columns.front(), step);
}

// Before its first step a field may have no .idx, but its grid is known.
Box IdxDataset::box(int field) const {
  const IdxPart* part = part_of(field);
  if (part) return part->header().box;
  return schema.box_of(schema.grids()[schema.fields()[static_cast<std::size_t>(field)].grid]);
}

Result<Bitmask> IdxDataset::bitmask(int field) const {
  const IdxPart* part = part_of(field);
  if (part) return part->header().bitmask;
  const Box grid = box(field);
  return Bitmask::for_extent(grid.rank, grid.hi);
}

Status IdxDataset::read(int field, Index step, const ReadTarget& target, const ReadContext& context) const {
  ReadContext with_fill = context;
  const Field& of = schema.fields()[static_cast<std::size_t>(field)];
  auto fill_value = attribute_value(of, kFillValueAttribute);
  if (context.missing == MissingBlocks::kNan) {
    ESKER_ASSIGN_OR_RETURN(fill_value, nan_of(of));
    with_fill.missing = MissingBlocks::kFill;
  }
  with_fill.fill_value = fill_value;
  ESKER_RETURN_IF_ERROR(part_of(field)->read(place(field).columns, step, target, with_fill));
  ESKER_ASSIGN_OR_RETURN(const auto is_covered, covered(field, step, target.samples));
  ESKER_ASSIGN_OR_RETURN(const auto gap, gap_value(of, context.missing));
  fill_gaps(target, is_covered, of.sample_bytes(), gap);
  return {};
}

/// See samples_in_patches().
Result<std::vector<std::uint8_t>> IdxDataset::covered(int field, Index step, const Lattice& samples) const {
  ESKER_ASSIGN_OR_RETURN(const PartSets::Sets sets, mesh_sets(field, step));
  if (!sets || sets->patches.empty()) return std::vector<std::uint8_t>();
  return samples_in_patches(*mesh_of(field), sets->patches, samples);
}

Status IdxDataset::stored_levels(int field, Index step, const Lattice& samples,
                                 std::span<std::int8_t> out) const {
  ESKER_RETURN_IF_ERROR(
      part_of(field)->stored_levels(place(field).columns, place(field).fixed ? 0 : step, samples, out));
  ESKER_ASSIGN_OR_RETURN(const auto is_covered, covered(field, step, samples));
  for (std::size_t n = 0; n < is_covered.size(); ++n) {
    if (is_covered[n] == 0) out[n] = -1;
  }
  return {};
}

Result<std::vector<MeshBox>> IdxDataset::patches(int field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const PartSets::Sets sets, mesh_sets(field, step));
  return sets ? sets->patches : std::vector<MeshBox>();
}

const std::optional<Mesh>& IdxDataset::mesh_of(int field) const {
  const int grid = schema.fields()[static_cast<std::size_t>(field)].grid;
  return schema.grids()[static_cast<std::size_t>(grid)].mesh;
}

/// What a step of a mesh stores, with patches that are in the mesh; null if the grid is no mesh. O(patches).
Result<PartSets::Sets> IdxDataset::mesh_sets(int field, Index step) const {
  const IdxPart& part = *part_of(field);
  const Index at = place(field).fixed ? 0 : step;
  const auto& mesh = mesh_of(field);
  if (!mesh || !part.is_sparse(at)) return PartSets::Sets();
  ESKER_ASSIGN_OR_RETURN(PartSets::Sets sets, part.sets_at(at));
  ESKER_RETURN_IF_ERROR(check_patches(*mesh, sets->patches).with_context(part.block_sets_path(at)));
  return sets;
}

// All columns of a field have the same blocks. The sets of a sparse step also name fields that are stored
// completely.
Result<std::optional<StoredSamples>> IdxDataset::stored_samples(int field, Index step) const {
  const IdxPart& part = *part_of(field);
  const Index at = place(field).fixed ? 0 : step;
  if (!part.is_sparse(at)) return std::optional<StoredSamples>();
  ESKER_ASSIGN_OR_RETURN(const PartSets::Sets sets, part.sets_at(at));
  const StoredColumn& column = sets->columns[static_cast<std::size_t>(place(field).columns.front())];
  if (!column.blocks || column.blocks->size() == part.blocks().num_existing()) {
    return std::optional<StoredSamples>();
  }
  return std::optional(stored_samples_of(*column.blocks, column.num_primary));
}

// The last digits of a level's masks address the samples of a box that is a power of two on each axis, in
// which all blocks of the finest levels lie that it meets.
ReadUnit IdxDataset::read_unit(int field, int level) const {
  constexpr Index kUnitBytes = Index{2} << 20;  // of the coarser blocks a unit has parts only
  const Header& header = part_of(field)->header();
  const Index sample_bytes = schema.fields()[static_cast<std::size_t>(field)].sample_bytes();
  int digits = std::min(level, header.bits_per_block + header.levels_inside() + 1);
  while (digits < level && (sample_bytes << (digits + 1)) <= kUnitBytes) ++digits;
  const auto column = static_cast<std::size_t>(place(field).columns.front());
  const bool is_compressed = header.cells || !header.fields[column].compression.empty();
  return {header.bitmask.pow2_sizes(level - digits + 1, level), is_compressed, true};
}

Result<std::optional<FieldErrors>> IdxDataset::errors(int field, Index step) const {
  return field_errors(*part_of(field), place(field).columns, place(field).fixed ? 0 : step);
}

// The record of fixed fields has no steps.
Result<std::vector<double>> IdxDataset::largest_errors(int field) const {
  if (place(field).fixed) {
    ESKER_ASSIGN_OR_RETURN(const auto found, errors(field, 0));
    return found ? std::vector{found->largest} : std::vector<double>();
  }
  const IdxPart& part = *part_of(field);
  std::vector<double> largest;
  for (const int column : place(field).columns) {
    const FieldEntry& entry = part.header().fields[static_cast<std::size_t>(column)];
    if (!part.record() || !part.record()->errors.contains(entry.name)) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      return is_lossy(entry) ? std::vector(times.size(), kUnknown) : std::vector<double>();
    }
    const auto found = part.record()->errors.find(entry.name);
    largest.resize(times.size());
    for (std::size_t step = 0; step < times.size() && step < found->second.size(); ++step) {
      largest[step] = std::max(largest[step], found->second[step]);
    }
  }
  return largest;
}

Result<StorageInfo> IdxDataset::storage() const {
  StorageInfo info;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Index before = info.files;
    ESKER_RETURN_IF_ERROR(parts[p]->add_storage(info, infos[p].num_steps));
    if (!parts[p]->is_ours()) continue;
    const bool has_dense_step = std::ssize(parts[p]->record()->sets) < infos[p].num_steps;
    if (has_dense_step && info.files == before) {
      return error(Code::kDataLoss, "{}: all of its block files are missing; were they moved or removed?",
                   parts[p]->idx_path());
    }
  }
  return info;
}

}  // namespace esker::idx
