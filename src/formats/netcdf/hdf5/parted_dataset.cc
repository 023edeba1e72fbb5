#include "formats/netcdf/hdf5/parted_dataset.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/model/part_files.h"
#include "grid/move_box.h"
#include "grid/points.h"

namespace esker::hdf5 {
namespace {

constexpr std::size_t kMostOpen = 64;

}  // namespace

PartedDataset::PartedDataset(std::shared_ptr<Store> store, const std::string& path, Parts parts)
    : LatticeDataset(std::move(store), path), parts_(std::move(parts)) {
  is_ours_ = true;
}

Result<PartedDataset> PartedDataset::open(std::shared_ptr<Store> store, const std::string& path,
                                          Description found) {
  for (std::size_t f = 0; f < found.of_field.size(); ++f) {
    if (found.of_field[f].is_virtual) continue;
    return error(Code::kDataLoss, "{}: field '{}' is stored in this file, expected in its parts", path,
                 found.schema.fields()[f].name);
  }
  auto parts = Parts::parse(found.schema, found.parts);
  if (!parts.ok()) return parts.status().with_context(path);
  ESKER_ASSIGN_OR_RETURN(const std::string target, end_of_links(*store, path));
  PartedDataset dataset(std::move(store), path, std::move(*parts));
  dataset.directory_ = std::filesystem::path(target).replace_filename(dataset.parts_.directory()).string();
  dataset.schema = std::move(found.schema);
  dataset.times = std::move(found.times);
  dataset.warnings = std::move(found.warnings);
  dataset.in_part_.resize(dataset.schema.fields().size());
  for (int file = 0; file < dataset.parts_.num_files(); ++file) {
    if (file > 0 && file + 1 < dataset.parts_.num_files()) continue;  // as in the first one
    const auto fields = dataset.parts_.fields_of(file);
    for (std::size_t n = 0; n < fields.size(); ++n) dataset.in_part_[fields[n]] = static_cast<int>(n);
  }
  for (int file = 0; file < dataset.parts_.num_files(); ++file) {
    ESKER_RETURN_IF_ERROR(dataset.part(file).status());
  }
  ESKER_RETURN_IF_ERROR(dataset.list_parts());
  return dataset;
}

Result<PartedDataset::PartFile> PartedDataset::open_part(int file) const {
  const std::string path = netcdf::path_of_part(directory_, file);
  auto opened = Hdf5Dataset::open(store_, path);
  if (!opened.ok()) {
    const bool is_missing = opened.status().code() == Code::kNotFound;
    if (!is_missing && opened.status().code() != Code::kDataLoss) return opened.status();
    return error(Code::kDataLoss, "{}: part {} of {} {}: {}; restore the file from a copy", path_, file,
                 parts_.num_files(), is_missing ? "is missing" : "is damaged", opened.status().message());
  }
  ESKER_RETURN_IF_ERROR(parts_.check(file, opened->schema).with_context(path));
  const std::vector<double>& there = opened->times;
  if (there.size() < times.size() || !std::equal(times.begin(), times.end(), there.begin())) {
    return error(Code::kDataLoss,
                 "{}: has {} steps, expected those of {}, which has {}; restore the file from a copy", path,
                 there.size(), path_, times.size());
  }
  return PartFile(std::make_shared<const Hdf5Dataset>(std::move(*opened)));
}

Result<PartedDataset::PartFile> PartedDataset::part(int file) const {
  const auto is_wanted = [&](const auto& entry) { return entry.first == file; };
  {
    const std::lock_guard lock(opened_->mutex);
    const auto known = std::find_if(opened_->files.begin(), opened_->files.end(), is_wanted);
    if (known != opened_->files.end()) {
      opened_->files.splice(opened_->files.begin(), opened_->files, known);
      return known->second;
    }
  }
  ESKER_ASSIGN_OR_RETURN(PartFile opened, open_part(file));
  const std::lock_guard lock(opened_->mutex);
  if (std::none_of(opened_->files.begin(), opened_->files.end(), is_wanted)) {
    opened_->files.emplace_front(file, opened);
    if (opened_->files.size() > kMostOpen) opened_->files.pop_back();
  }
  return opened;
}

Status PartedDataset::read_lattice(int field, Index step, const Lattice& samples, std::byte* out,
                                   ReadCounters& counters) const {
  const Index sample_bytes = field_at(field).sample_bytes();
  ReadContext context;
  context.counters = &counters;
  const ReadTarget whole = ReadTarget::dense(samples, 0, out, sample_bytes);
  const auto read_from = [&](int file, ReadTarget target) -> Status {
    ESKER_ASSIGN_OR_RETURN(const PartFile opened, part(file));
    const auto mask = opened->bitmask(field_in_part(field));
    target.level = mask.ok() ? mask->max_level() : kEveryLevel;
    return opened->read(field_in_part(field), step, target, context);
  };
  if (!parts_.is_divided(static_cast<std::size_t>(field))) return read_from(parts_.file_of_rest(), whole);
  const Box meeting = parts_.boxes().parts_meeting(samples.bounds());
  Status status;
  for_each_index_point(meeting, [&](const Point& place) {
    const Index file = parts_.boxes().number_of(place);
    const Box box = parts_.boxes().box(file);
    const Box indices = samples.indices_in(box);
    if (!status.ok() || indices.empty()) return;
    ReadTarget target = whole.sub(indices);
    target.samples = moved_from(box.lo, target.samples);
    status = read_from(static_cast<int>(file), target);
  });
  return status;
}

ReadUnit PartedDataset::read_unit(int field, int level) const {
  const bool is_divided = parts_.is_divided(static_cast<std::size_t>(field));
  const auto of = part(is_divided ? 0 : parts_.file_of_rest());
  if (!of.ok()) return {box(field).hi};
  const auto grid = bitmask(field), own = (*of)->bitmask(field_in_part(field));
  const int coarser = grid.ok() ? grid->max_level() - level : 0;  // a part has fewer levels
  return (*of)->read_unit(field_in_part(field), own.ok() ? std::max(0, own->max_level() - coarser) : level);
}

Result<Index> PartedDataset::stored_bytes() const {
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(Index bytes, file->size_bytes());
  for (int number = 0; number < parts_.num_files(); ++number) {
    ESKER_ASSIGN_OR_RETURN(const PartFile opened, part(number));
    ESKER_ASSIGN_OR_RETURN(const StorageInfo here, opened->storage());
    bytes += here.bytes;
  }
  return bytes;
}

Result<StorageInfo> PartedDataset::storage() const {
  ESKER_ASSIGN_OR_RETURN(const Index bytes, stored_bytes());
  return StorageInfo{Index{1} + parts_.num_files(), bytes};
}

Status PartedDataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  const int n = parts_.num_files();
  for (int number = 0; number < n; ++number) {
    const std::string path = netcdf::path_of_part(directory_, number);
    const auto opened = part(number);
    if (!opened.ok()) {
      Findings(report).error(path, opened.status());
      continue;
    }
    ESKER_RETURN_IF_ERROR((*opened)->verify(report, [&](double done) {
      if (progress) progress((number + done) / n);
    }));
    if ((*opened)->times.size() > times.size()) {
      Findings(report).warning(path,
                               "a step that was not committed was left by a run that did not finish; "
                               "appending removes it");
    }
  }
  report.files = Index{1} + n;
  Findings findings(report);
  look_for_writer(findings);
  return {};
}

Result<std::unique_ptr<OpenedDataset>> open_hdf5(const std::shared_ptr<Store>& store,
                                                 const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(Source source, Source::open(store, path));
  ESKER_ASSIGN_OR_RETURN(Description found, source.describe());
  if (found.is_ours && !found.parts.empty()) {
    ESKER_ASSIGN_OR_RETURN(auto dataset, PartedDataset::open(store, path, std::move(found)));
    return std::unique_ptr<OpenedDataset>(std::make_unique<PartedDataset>(std::move(dataset)));
  }
  ESKER_ASSIGN_OR_RETURN(auto dataset, Hdf5Dataset::make(store, path, std::move(source), std::move(found)));
  return std::unique_ptr<OpenedDataset>(std::make_unique<Hdf5Dataset>(std::move(dataset)));
}

}  // namespace esker::hdf5
