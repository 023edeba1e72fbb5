#include "formats/zarr/zarr_dataset.h"

#include <algorithm>

#include "base/error.h"
#include "base/macros.h"
#include "formats/zarr/existing.h"
#include "formats/zarr/leftovers.h"
#include "formats/zarr/shard_reader.h"
#include "formats/zarr/step_errors.h"
#include "model/coarse_fields.h"
#include "model/field_facts.h"
#include "read/chunk_reader.h"

namespace esker::zarr {
namespace {

// Files of a field at a step that may be missing before the others are left alone: metadata can promise any
// number.
constexpr Index kMostMissing = 64;

/// Whether changed samples of an array are noticed: frames of gzip always have a sum.
bool has_checksums(const Array& array) { return array.has_sums || array.codec.kind == CodecKind::kZip; }

/// Whether this holds for all fields of a part.
bool has_checksums(const Model& model, const Schema& schema, const PartInfo& part) {
  return std::ranges::all_of(part.fields, [&](const std::string& name) {
    const auto place = std::ranges::find(schema.fields(), name, &Field::name) - schema.fields().begin();
    return has_checksums(model.array_of_field(model.levels.front(), static_cast<std::size_t>(place)));
  });
}

}  // namespace

Result<ZarrDataset> ZarrDataset::open(const std::shared_ptr<Store>& store, const std::string& path,
                                      bool* is_damaged) {
  ZarrDataset dataset(store, path);
  dataset.paths_ = {path};
  ESKER_ASSIGN_OR_RETURN(Existing existing, read_existing(*store, dataset.paths_, is_damaged));
  dataset.schema = std::move(existing.schema);
  dataset.times = std::move(existing.times);
  dataset.warnings = std::move(existing.warnings);
  dataset.model_ = std::move(existing.model);
  dataset.metadata_bytes_ = std::ssize(existing.text);
  dataset.is_ours_ = true;
  ESKER_RETURN_IF_ERROR(dataset.list_parts());
  for (PartInfo& part : dataset.infos)
    part.has_checksums = has_checksums(dataset.model_, dataset.schema, part);
  return dataset;
}

Status ZarrDataset::read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                                 ReadCounters& counters) const {
  const Field& of = field_at(field);
  const auto k = static_cast<unsigned>(level_with(of, samples));
  const Level& level = model_.levels[k];
  Lattice stored = samples;
  for (int a = 0; a < samples.rank; ++a) {
    stored.origin[a] >>= k;
    stored.stride[a] = std::max<Index>(1, samples.stride[a] >> k);
  }
  const std::size_t f = *level.find(of);
  ShardReader shards(*store_, paths_, model_, level, f, of.fixed ? -1 : step, counters);
  const ChunkedArray array{coarse_box(box(field), static_cast<int>(k)).hi, level.storage[f].chunk,
                           of.sample_bytes()};
  return read_chunks(
      array, stored,
      [&](const Point& chunk, const Lattice& part, std::byte* to) { return shards.read(chunk, part, to); },
      out);
}

/// The coarsest level that has these samples of a field.
int ZarrDataset::level_with(const Field& field, const Lattice& samples) const {
  if (model_.group.has_means) return 0;
  const auto has_all = [&](unsigned k) {
    const Index between = Index{1} << k;
    for (int a = 0; a < samples.rank; ++a) {
      const bool is_on_axis =
          samples.origin[a] % between == 0 && (samples.count[a] == 1 || samples.stride[a] % between == 0);
      if (!is_on_axis) return false;
    }
    return true;
  };
  for (std::size_t k = model_.levels.size() - 1; k > 0; --k) {
    if (has_all(static_cast<unsigned>(k)) && model_.levels[k].find(field)) return static_cast<int>(k);
  }
  return 0;
}

ReadUnit ZarrDataset::read_unit(int field, int level) const {
  const auto mask = bitmask(field);
  const Lattice samples = mask.ok() && level <= mask->max_level() ? mask->samples_up_to(level) : Lattice();
  const int k = samples.rank > 0 ? level_with(field_at(field), samples) : 0;
  const Level& of = model_.levels[static_cast<std::size_t>(k)];
  const FieldStorage& storage = of.storage[*of.find(field_at(field))];
  Point chunk = storage.chunk;
  for (int a = 0; a < samples.rank; ++a) chunk[a] <<= static_cast<unsigned>(k);
  return unit_of_chunks(field, level, chunk, storage.codec.kind == CodecKind::kRaw);
}

/// The fixed fields come with step 0.
template <class Visit>
Status ZarrDataset::for_each_step(const Visit& visit) const {
  for (Index step = 0; step < std::ssize(times); ++step) {
    for (int field = 0; field < static_cast<int>(schema.fields().size()); ++field) {
      const Field& of = field_at(field);
      if (of.fixed ? step > 0 : !has(field, step)) continue;
      for (const Level& level : model_.levels) {
        if (const auto f = level.find(of)) ESKER_RETURN_IF_ERROR(visit(level, *f, of.fixed ? -1 : step));
      }
    }
  }
  return {};
}

Result<StorageInfo> ZarrDataset::storage() const {
  StorageInfo info{1, metadata_bytes_};
  ESKER_RETURN_IF_ERROR(for_each_step([&](const Level& level, std::size_t f, Index step) -> Status {
    const Field& of = level.schema.fields()[f];
    const auto layout = layout_of(level.schema, of, level.storage[f]);
    const Array& array = model_.array_of_field(level, f);
    Index missing = 0;
    for (Index file = 0; file < layout->num_files(); ++file) {
      if (is_series(level.schema, of) && step % array.file.front() != 0) continue;
      const std::string path =
          paths_.files_of(array) + shard_name(array, *layout, num_axes(level.schema, of), step, file);
      ESKER_ASSIGN_OR_RETURN(const bool exists, store_->exists(path));
      if (!exists && ++missing > kMostMissing) break;
      if (!exists) continue;
      ESKER_ASSIGN_OR_RETURN(const auto opened, store_->open(path, OpenMode::kRead));
      ESKER_ASSIGN_OR_RETURN(const Index bytes, opened->size_bytes());
      ++info.files;
      info.bytes += bytes;
    }
    return {};
  }));
  return info;
}

Result<std::optional<FieldErrors>> ZarrDataset::errors(int field, Index step) const {
  const Array* array = errors_of(model_, static_cast<std::size_t>(field));
  if (!array) return std::optional<FieldErrors>();
  const Index place = field_at(field).fixed ? 0 : step;
  ESKER_ASSIGN_OR_RETURN(const auto of_file, read_errors(*store_, paths_, *array, place / kStepsPerFile));
  const double largest = of_file[static_cast<std::size_t>(place % kStepsPerFile)];
  return std::optional(FieldErrors{largest, largest});
}

Result<std::vector<double>> ZarrDataset::largest_errors(int field) const {
  const Array* array = errors_of(model_, static_cast<std::size_t>(field));
  std::vector<double> largest;
  if (!array) return largest;
  const bool is_fixed = field_at(field).fixed;
  const Index count = is_fixed ? 1 : std::ssize(times);
  for (Index first = 0; first < count; first += kStepsPerFile) {
    ESKER_ASSIGN_OR_RETURN(const auto of_file, read_errors(*store_, paths_, *array, first / kStepsPerFile));
    for (Index step = first; step < std::min(first + kStepsPerFile, count); ++step) {
      const bool has_field = is_fixed || has(field, step);
      largest.push_back(has_field ? of_file[static_cast<std::size_t>(step - first)] : 0);
    }
  }
  return largest;
}

Status ZarrDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  Findings findings(report);
  report.files = 1;
  report.bytes = metadata_bytes_;
  ReadCounters counters;
  ESKER_RETURN_IF_ERROR(for_each_step([&](const Level& level, std::size_t f, Index step) -> Status {
    ShardReader shards(*store_, paths_, model_, level, f, step, counters);
    for (Index file = 0, wrong = 0; file < shards.layout().num_files() && wrong <= kMostMissing; ++file) {
      const auto bytes = shards.check(file);
      if (!bytes.ok()) ++wrong, findings.error(path_, bytes.status());
      ++report.files, ++report.blocks;
      report.blocks_with_checksum += has_checksums(model_.array_of_field(level, f)) ? 1 : 0;
      report.bytes += bytes.ok() ? *bytes : 0;
    }
    if (progress) progress(static_cast<double>(std::max<Index>(step, 0)) / static_cast<double>(times.size()));
    return {};
  }));
  look_for_writer(findings);
  return find_leftovers(*store_, paths_, model_.group, findings);
}

}  // namespace esker::zarr
