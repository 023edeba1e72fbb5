#include "formats/vtkhdf/vtkhdf_dataset.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/macros.h"
#include "format/schema_json.h"
#include "formats/vtkhdf/patch_reader.h"
#include "formats/vtkhdf/series.h"
#include "grid/coarsened.h"
#include "grid/selection.h"
#include "model/patch_cover.h"
#include "read/counted_file.h"
#include "read/gaps.h"
#include "store/checksum.h"

namespace esker::vtkhdf {
namespace {

std::string stem_of_series(const std::string& path) {
  const std::string_view suffix = kSeriesSuffix;
  return path.ends_with(suffix) ? path.substr(0, path.size() - suffix.size()) : path;
}

/// The patches of a level that may meet `bounds`, which is in its indices: they are sorted along the slowest
/// axis.
std::pair<Index, Index> range_meeting(std::span<const MeshBox> of_level, const PackedBoxes& extents,
                                      const Box& bounds) {
  const int slowest = bounds.rank - 1;
  const auto begins_before = [&](const MeshBox& patch, Index at) { return patch.box.lo[slowest] < at; };
  const auto at = [&](Index place) {
    return std::lower_bound(of_level.begin(), of_level.end(), place, begins_before) - of_level.begin();
  };
  return {at(bounds.lo[slowest] - extents.domain()[slowest] + 1), at(bounds.hi[slowest])};
}

}  // namespace

Result<VtkhdfDataset> VtkhdfDataset::open(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(*store, path, kMaxSidecarBytes));
  VtkhdfDataset dataset(store, path);
  dataset.stem_ = stem_of_series(path);
  const auto read = [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(Series series, parse_series(text, dataset.stem_));
    ESKER_RETURN_IF_ERROR(check_schema(series.schema));
    dataset.schema = std::move(series.schema);
    dataset.times = std::move(series.times);
    dataset.sums_ = std::move(series.sums);
    dataset.levels_ = level_fields(dataset.schema);
    dataset.is_ours_ = true;
    ESKER_RETURN_IF_ERROR(dataset.list_parts());
    const bool has_sums = std::ranges::none_of(dataset.sums_, [](const auto& sum) { return !sum; });
    for (PartInfo& info : dataset.infos) info.has_checksums = has_sums;
    return {};
  };
  ESKER_RETURN_IF_ERROR(read().with_context(path));
  return dataset;
}

const Field& VtkhdfDataset::field_at(int field) const {
  return LatticeDataset::field_at(is_level(field) ? level_at(field).field : field);
}

Result<int> VtkhdfDataset::level_field(int field, int level) const {
  const int num_levels = mesh_of(schema).num_levels();
  if (level < 0 || level >= num_levels) {
    return error(Code::kInvalidArgument, "field '{}': mesh level {}, expected 0 to {}", field_at(field).name,
                 level, num_levels - 1);
  }
  return static_cast<int>(schema.fields().size()) + number_of(field, level);
}

/// The position in level_fields(): all fields are on the mesh.
int VtkhdfDataset::number_of(int field, int level) const {
  return field * mesh_of(schema).num_levels() + level;
}

Box VtkhdfDataset::box(int field) const {
  const Mesh& mesh = mesh_of(schema);
  return mesh.domain(is_level(field) ? level_at(field).level : mesh.num_levels() - 1);
}

std::pair<int, int> VtkhdfDataset::levels_of(int field) const {
  if (!is_level(field)) return {0, mesh_of(schema).num_levels()};
  return {level_at(field).level, level_at(field).level + 1};
}

Point VtkhdfDataset::ratio_of(int field, int level) const {
  return is_level(field) ? Point{1, 1, 1, 1, 1} : mesh_of(schema).ratio_to_finest(level);
}

/// The steps that were used last stay open.
Result<VtkhdfDataset::SharedStep> VtkhdfDataset::open_step(Index step) const {
  constexpr std::size_t kMostKept = 4;
  const std::lock_guard lock(known_->mutex);
  auto& steps = known_->steps;
  const auto known = std::ranges::find(steps, step, &std::pair<Index, SharedStep>::first);
  if (known != steps.end()) {
    std::rotate(known, known + 1, steps.end());
    return steps.back().second;
  }
  auto opened = std::make_shared<OpenStep>();
  opened->path = step_path(stem_, step);
  ESKER_ASSIGN_OR_RETURN(opened->file, store_->open(opened->path, OpenMode::kRead));
  auto contents = read_step_file(*opened->file, schema);
  if (!contents.ok()) return contents.status().with_context(opened->path);
  opened->contents = std::move(*contents);
  opened->boxes = boxes_of_levels(mesh_of(schema), opened->contents.patches);
  std::vector<bool> stored;
  for (const auto& offset : opened->contents.offsets) stored.push_back(offset.has_value());
  const Index run_bytes = opened->contents.run_bytes > 0 ? opened->contents.run_bytes : kRunBytes;
  opened->runs = std::make_unique<const Runs>(schema, opened->boxes, stored, run_bytes);
  ESKER_RETURN_IF_ERROR(check_sum(*opened, step).with_context(opened->path));
  if (steps.size() == kMostKept) steps.erase(steps.begin());
  steps.emplace_back(step, std::move(opened));
  return steps.back().second;
}

Status VtkhdfDataset::check_sum(const OpenStep& opened, Index step) const {
  const std::optional<std::uint64_t>& expected = sums_[static_cast<std::size_t>(step)];
  const StepFile& file = opened.contents;
  if (expected && sum_of_step(file.patches, file.sums) != *expected) {
    return error(Code::kDataLoss,
                 "the patches or their checksums are not those that the series records: the file is damaged, "
                 "or of another dataset");
  }
  if (file.run_bytes == 0 || std::ssize(file.sums) == opened.runs->size()) return {};
  return error(Code::kDataLoss, "{} checksums, expected {}", file.sums.size(), opened.runs->size());
}

Status VtkhdfDataset::check_run(const OpenStep& opened, std::size_t level_field, const Runs::Run& run) const {
  const auto size = static_cast<std::size_t>(run.size_bytes);
  const auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  const Index offset = *opened.contents.offsets[level_field] + run.offset_bytes;
  ESKER_RETURN_IF_ERROR(opened.file->read_at({bytes.get(), size}, offset));
  if (opened.contents.run_bytes == 0) return {};
  const std::uint64_t expected = opened.contents.sums[static_cast<std::size_t>(run.number)];
  if (checksum({bytes.get(), size}, 0) == expected) return {};
  const auto [field, level] = levels_[level_field];
  return error(Code::kDataLoss,
               "field '{}', level {}, patch {}: the samples do not have the recorded checksum",
               field_at(field).name, level, run.patch);
}

Status VtkhdfDataset::check_runs(const OpenStep& opened, int field, const Lattice& samples) const {
  if (opened.contents.run_bytes == 0) return {};
  const int of_schema = is_level(field) ? level_at(field).field : field;
  for (auto [level, end] = levels_of(field); level < end; ++level) {
    const auto number = static_cast<std::size_t>(number_of(of_schema, level));
    if (!opened.contents.offsets[number]) continue;  // reading reports it
    const Box needed = coarsened(samples.bounds(), ratio_of(field, level));
    const auto check_patch = [&](Index patch, const Box& box, const Box& /*indices*/) {
      Box local = intersect(needed, box);
      for (int a = 0; a < box.rank; ++a) {
        local.lo[a] -= box.lo[a];
        local.hi[a] -= box.lo[a];
      }
      return opened.runs->for_each_in(number, local, patch,
                                      [&](const Runs::Run& run) { return check_run(opened, number, run); });
    };
    ESKER_RETURN_IF_ERROR(
        for_each_patch(opened, field, level, samples, check_patch).with_context(opened.path));
  }
  return {};
}

Status VtkhdfDataset::for_each_patch(const OpenStep& opened, int field, int level, const Lattice& samples,
                                     const VisitPatch& visit) const {
  const std::span<const MeshBox> of_level = patches_of_level(opened.contents.patches, level);
  if (of_level.empty()) return {};
  const PackedBoxes& extents = *opened.boxes[static_cast<std::size_t>(level)];
  const Box bounds = coarsened(samples.bounds(), ratio_of(field, level));
  const auto [first, last] = range_meeting(of_level, extents, bounds);
  for (Index n = first; n < last; ++n) {
    const Box& box = of_level[static_cast<std::size_t>(n)].box;
    const Box indices = samples.indices_in(is_level(field) ? box : mesh_of(schema).in_finest(box, level));
    if (!indices.empty()) ESKER_RETURN_IF_ERROR(visit(n, box, indices));
  }
  return {};
}

Result<VtkhdfDataset::SharedStep> VtkhdfDataset::step_of(int field, Index step) const {
  return open_step(field_at(field).fixed ? 0 : step);
}

Result<std::vector<MeshBox>> VtkhdfDataset::patches(int field, Index step) const {
  ESKER_ASSIGN_OR_RETURN(const SharedStep opened, step_of(field, step));
  return opened->contents.patches;
}

/// The patches of a level, in its indices.
std::vector<Box> VtkhdfDataset::boxes_of(const OpenStep& step, int level) {
  std::vector<Box> boxes;
  for (const MeshBox& patch : patches_of_level(step.contents.patches, level)) boxes.push_back(patch.box);
  return boxes;
}

Status VtkhdfDataset::read(int field, Index step, const ReadTarget& target,
                           const ReadContext& context) const {
  if (target.samples.num_samples() == 0) return {};
  ESKER_ASSIGN_OR_RETURN(const SharedStep opened, step_of(field, step));
  if (context.verify) ESKER_RETURN_IF_ERROR(check_runs(*opened, field, target.samples));
  ESKER_RETURN_IF_ERROR(LatticeDataset::read(field, step, target, context));
  ESKER_ASSIGN_OR_RETURN(const auto value, gap_value(field_at(field), context.missing));
  const auto is_covered = is_level(field)
                              ? samples_in_boxes(boxes_of(*opened, level_at(field).level), target.samples)
                              : samples_in_patches(mesh_of(schema), opened->contents.patches, target.samples);
  fill_gaps(target, is_covered, field_at(field).sample_bytes(), value);
  return {};
}

// Finer levels overwrite coarser ones.
Status VtkhdfDataset::read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                                   ReadCounters& counters) const {
  ESKER_ASSIGN_OR_RETURN(const SharedStep opened, step_of(field, step));
  const CountedFile file(*opened->file, counters);
  const int of_schema = is_level(field) ? level_at(field).field : field;
  for (auto [level, end] = levels_of(field); level < end; ++level) {
    const auto number = static_cast<std::size_t>(number_of(of_schema, level));
    const std::optional<Index>& offset = opened->contents.offsets[number];
    const Point ratio = ratio_of(field, level);
    if (patches_of_level(opened->contents.patches, level).empty()) continue;
    if (!offset) {
      return error(Code::kDataLoss, "{}: no samples of field '{}' at level {}", opened->path,
                   field_at(field).name, level);
    }
    const PackedBoxes& extents = *opened->boxes[static_cast<std::size_t>(level)];
    const Index sample_bytes = field_at(field).sample_bytes();
    const auto read_one = [&](Index n, const Box& box, const Box& indices) {
      const StoredPatch patch{box, *offset + extents.samples_before(n) * sample_bytes, sample_bytes};
      return read_patch(file, patch, ratio, samples, indices, out).with_context(opened->path);
    };
    ESKER_RETURN_IF_ERROR(for_each_patch(*opened, field, level, samples, read_one));
  }
  return {};
}

/// The level of the grid that has all samples of the finest patch over a sample.
Status VtkhdfDataset::stored_levels(int field, Index step, const Lattice& samples,
                                    std::span<std::int8_t> out) const {
  ESKER_ASSIGN_OR_RETURN(const Bitmask mask, bitmask(field));
  ESKER_ASSIGN_OR_RETURN(const SharedStep opened, step_of(field, step));
  std::fill(out.begin(), out.end(), std::int8_t{-1});
  for (auto [level, end] = levels_of(field); level < end; ++level) {
    std::vector<Box> boxes = boxes_of(*opened, level);
    for (Box& box : boxes) {
      if (!is_level(field)) box = mesh_of(schema).in_finest(box, level);
    }
    const auto of_level =
        static_cast<std::int8_t>(mask.max_level() - levels_below(mask, ratio_of(field, level)));
    const auto is_in = samples_in_boxes(boxes, samples);
    for (std::size_t n = 0; n < is_in.size(); ++n) {
      if (is_in[n] != 0) out[n] = of_level;
    }
  }
  return {};
}

ReadUnit VtkhdfDataset::read_unit(int field, int /*level*/) const {
  constexpr Index kEdge = 64;  // a few patches
  ReadUnit unit;
  const Box grid = box(field);
  for (int a = 0; a < grid.rank; ++a) unit.extent[a] = std::min(grid.hi[a], kEdge);
  return unit;
}

Result<Index> VtkhdfDataset::stored_bytes() const {
  Index bytes = 0;
  for (Index step = 0; step < std::ssize(times); ++step) {
    ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(step_path(stem_, step), OpenMode::kRead));
    ESKER_ASSIGN_OR_RETURN(const Index of_step, file->size_bytes());
    bytes += of_step;
  }
  return bytes;
}

Result<StorageInfo> VtkhdfDataset::storage() const {
  ESKER_ASSIGN_OR_RETURN(const Index bytes, stored_bytes());
  return StorageInfo{static_cast<Index>(std::ssize(times)), bytes};
}

void VtkhdfDataset::verify_runs(const OpenStep& opened, std::size_t level_field, Findings& findings,
                                VerifyReport& report) const {
  (void)opened.runs->for_each(level_field, [&](const Runs::Run& run) {
    ++report.blocks;
    if (opened.contents.run_bytes > 0) ++report.blocks_with_checksum;
    report.bytes += run.size_bytes;
    const Status checked = check_run(opened, level_field, run);
    if (!checked.ok()) findings.error(opened.path, checked);
    return Status();
  });
}

Status VtkhdfDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  Findings findings(report);
  const auto num_steps = std::ssize(times);
  for (Index step = 0; step < num_steps; ++step) {
    const auto opened = open_step(step);
    if (!opened.ok()) {
      findings.error(step_path(stem_, step), opened.status());
      continue;
    }
    ++report.files;
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const auto [field, level] = levels_[n];
      const auto& boxes = (*opened)->boxes[static_cast<std::size_t>(level)];
      verify_runs(**opened, n, findings, report);
      if (has(field, step) && boxes && !(*opened)->contents.offsets[n] &&
          !(field_at(field).fixed && step > 0)) {
        findings.error((*opened)->path,
                       fmt::format("field '{}' has no samples of level {}", field_at(field).name, level));
      }
    }
    if (progress) progress(static_cast<double>(step + 1) / static_cast<double>(num_steps));
  }
  ESKER_ASSIGN_OR_RETURN(const auto names, store_->list(steps_directory(stem_)));
  for (const std::string& name : names) {
    if (vtkhdf::step_of(name) < num_steps) continue;
    findings.warning(steps_directory(stem_) + "/" + name,
                     "was left by a run that did not finish; appending removes it");
  }
  look_for_writer(findings);
  return {};
}

}  // namespace esker::vtkhdf
