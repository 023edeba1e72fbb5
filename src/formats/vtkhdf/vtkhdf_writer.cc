#include "formats/vtkhdf/vtkhdf_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "format/asks_for_compression.h"
#include "format/schema_json.h"
#include "formats/vtkhdf/run_sums.h"
#include "formats/vtkhdf/step_file.h"
#include "store/commit.h"

namespace esker::vtkhdf {
namespace {

/// Whether the error says nothing about the content of the file.
bool is_unknown(const Status& status) {
  return status.code() == Code::kIoError || status.code() == Code::kOutOfMemory;
}

Status check_not_compressed(const Schema& schema) {
  for (const Field& field : schema.fields()) {
    if (!asks_for_compression(field)) continue;
    return error(
        Code::kInvalidArgument,
        "field '{}': compression {}: VTKHDF files cannot be compressed; set compression=none, or write one "
        "array of all levels, with format=idx, or both, with format=vtkhdf+idx, where the IDX dataset is "
        "compressed",
        field.name, field.compression);
  }
  return {};
}

}  // namespace

VtkhdfWriter::VtkhdfWriter(std::shared_ptr<Store> store, std::string stem, const Options& options,
                           std::shared_ptr<WriterLock> lock, bool is_one_of_two)
    : store_(std::move(store)),
      stem_(std::move(stem)),
      options_(options),
      lock_(std::move(lock)),
      is_one_of_two_(is_one_of_two) {}

Status VtkhdfWriter::check_target() {
  const std::string path = series_path(stem_);
  ESKER_RETURN_IF_ERROR(make_directories(*store_, directory_of(path), options_.fsync != Fsync::kNone));
  ESKER_RETURN_IF_ERROR(lock_->acquire());
  ESKER_ASSIGN_OR_RETURN(replaces_existing_, store_->exists(path));
  if (!replaces_existing_) return options_.overwrite ? Status() : refuse_steps();
  if (!options_.overwrite) {
    return error(Code::kAlreadyExists, "{} exists; choose another path or set the option overwrite", path);
  }
  const Status found = read_series(path).status();
  if (found.ok() || is_unknown(found)) return found;
  return error(Code::kAlreadyExists, "{} was not written by Esker and is not overwritten", path);
}

/// Step files without a series are those of a dataset whose series is lost; publish() would remove them.
Status VtkhdfWriter::refuse_steps() const {
  const std::string directory = steps_directory(stem_);
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> names, store_->list(directory));
  for (const std::string& name : names) {
    if (step_of(name) < 0) continue;
    return error(
        Code::kAlreadyExists,
        "{}/{} is the file of a step, but {} does not exist; choose another path, move the files away, "
        "or set the option overwrite",
        directory, name, series_path(stem_));
  }
  return {};
}

std::string VtkhdfWriter::storage_note() const {
  if (std::ranges::none_of(schema().fields(), asks_for_compression)) return {};
  return "compression: of the IDX dataset only; VTKHDF files are not compressed";
}

Status VtkhdfWriter::define(const Schema& schema) {
  if (!is_one_of_two_) ESKER_RETURN_IF_ERROR(check_not_compressed(schema));
  ESKER_RETURN_IF_ERROR(check_schema(schema));
  series_ = {schema, {}, {}};
  return {};
}

Status VtkhdfWriter::stage(bool durable) {
  return stage_file(*store_, series_path(stem_), print_series({series_.schema, {}, {}}, stem_), durable);
}

// The files of the replaced steps go last: until then, the old series names them.
Status VtkhdfWriter::publish(bool durable) {
  ESKER_RETURN_IF_ERROR(publish_file(*store_, series_path(stem_), durable));
  series_.times.clear();
  series_.sums.clear();
  committed_ = print_series(series_, stem_);
  return remove_steps_from(0);
}

Result<std::string> VtkhdfWriter::read_staged() {
  auto text = read_series(temporary_of(series_path(stem_)));
  return text.ok() || is_unknown(text.status()) ? std::move(text) : Result<std::string>(std::string());
}

/// The text of a complete series.
Result<std::string> VtkhdfWriter::read_series(const std::string& path) const {
  ESKER_ASSIGN_OR_RETURN(std::string text, read_text(*store_, path, kMaxSidecarBytes));
  ESKER_RETURN_IF_ERROR(parse_series(text, stem_).status());
  return text;
}

Result<std::string> VtkhdfWriter::read_existing() {
  const std::string path = series_path(stem_);
  ESKER_RETURN_IF_ERROR(lock_->acquire_for(path));
  auto text = read_text(*store_, path, kMaxSidecarBytes);
  if (!text.ok()) return text.status().with_context("no dataset to append to");
  const auto series = parse_series(*text, stem_);
  if (!series.ok()) return series.status().with_context(path);
  committed_ = *text;
  return text;
}

Status VtkhdfWriter::restore(const std::string& existing) {
  ESKER_ASSIGN_OR_RETURN(series_, parse_series(existing, stem_));
  return check_schema(series_.schema);
}

Status VtkhdfWriter::reclaim(bool /*durable*/) {
  metadata_.reset();
  ESKER_RETURN_IF_ERROR(check_ours());
  ESKER_RETURN_IF_ERROR(store_->remove(temporary_of(series_path(stem_))));
  return remove_steps_from(static_cast<Index>(series_.times.size()));
}

Status VtkhdfWriter::check_ours() { return read_ours().status(); }

Result<std::string> VtkhdfWriter::read_ours() {
  ESKER_RETURN_IF_ERROR(lock_->check_held());
  const std::string path = series_path(stem_);
  ESKER_ASSIGN_OR_RETURN(std::string text, read_text(*store_, path, kMaxSidecarBytes));
  if (text == committed_ || (!attempted_.empty() && text == attempted_)) return text;
  return error(Code::kDataLoss, "{} differs from what this writer wrote: another program changed it", path);
}

Status VtkhdfWriter::check_step_place(Index step) {
  for (const std::string& path : {steps_directory(stem_), step_path(stem_, step)}) {
    ESKER_ASSIGN_OR_RETURN(const bool is_link, store_->is_link(path));
    if (is_link)
      return error(Code::kAlreadyExists, "{} is a symbolic link; remove it, or move it away", path);
  }
  return {};
}

Status VtkhdfWriter::take_patches(const PatchesOfMeshes& patches) {
  patches_ = patches;
  boxes_ = boxes_of_levels(mesh_of(schema()), all_patches());
  return {};
}

std::unique_ptr<StepLayouts> VtkhdfWriter::lay_out(const std::vector<bool>& present,
                                                   const StepHints& /*hints*/) const {
  return std::make_unique<VtkhdfStepLayouts>(schema(), boxes_, present, options_.checksums,
                                             [stem = stem_](Index step) { return step_path(stem, step); });
}

Result<std::string> VtkhdfWriter::prepare(Index /*step*/, double /*time*/, const std::vector<bool>& present) {
  metadata_.reset();
  const std::vector<bool> of_levels(present.begin() + std::ssize(schema().fields()), present.end());
  hdf5::Overlay overlay(nullptr, 0);
  num_sums_ = options_.checksums ? Runs(schema(), boxes_, of_levels, kRunBytes).size() : 0;
  ESKER_ASSIGN_OR_RETURN(const Places places, make_step_file(overlay, schema(), all_patches(), of_levels,
                                                             options_.alignment_bytes, num_sums_));
  metadata_ = overlay.change();
  sums_offset_ = places.sums;
  return print_places(places.offsets);
}

std::span<const MeshBox> VtkhdfWriter::all_patches() const {
  return patches_of_grid(patches_, schema().fields().front().grid);
}

Status VtkhdfWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  if (!metadata_) return error(Code::kInternal, "step {} was not prepared", stored.step);
  hdf5::Change metadata = *std::exchange(metadata_, std::nullopt);
  Series next = series_;
  next.times.push_back(stored.time);
  next.sums.emplace_back();
  if (options_.checksums) {
    ESKER_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> sums, sums_of(stored));
    const auto bytes = std::as_bytes(std::span(sums));
    if (!sums.empty()) metadata.ranges[sums_offset_] = {bytes.begin(), bytes.end()};
    next.sums.back() = sum_of_step(all_patches(), sums);
  }
  const std::string path = step_path(stem_, stored.step);
  const auto complete = [&](File& file) { return apply(file, metadata); };
  ESKER_RETURN_IF_ERROR(edit_file(*store_, path, complete, durable));
  if (durable) {
    for (const std::string& directory : {steps_directory(stem_), directory_of(stem_)}) {
      ESKER_RETURN_IF_ERROR(store_->sync_directory(directory));
    }
  }
  return replace_series(std::move(next), durable);
}

/// The checksums of all runs, in file order.
Result<std::vector<std::uint64_t>> VtkhdfWriter::sums_of(const StoredStep& stored) const {
  std::vector<std::uint64_t> sums;
  for (const auto& of_layout : stored.part_sums) sums.insert(sums.end(), of_layout.begin(), of_layout.end());
  if (std::ssize(sums) == num_sums_) return sums;
  return error(Code::kInternal, "{}: {} checksums of patches, expected {}", step_path(stem_, stored.step),
               sums.size(), num_sums_);
}

Status VtkhdfWriter::replace_series(Series next, bool durable) {
  std::string text = print_series(next, stem_);
  attempted_ = text;
  ESKER_RETURN_IF_ERROR(replace_file(*store_, series_path(stem_), text, durable || is_protected_));
  attempted_.clear();
  series_ = std::move(next);
  committed_ = std::move(text);
  return {};
}

Status VtkhdfWriter::rewind(Index num_steps, bool durable) {
  ESKER_ASSIGN_OR_RETURN(const std::string visible, read_ours());
  if (visible == committed_) attempted_.clear();  // it did not replace the committed series
  if (std::ssize(series_.times) > num_steps || !attempted_.empty()) {
    Series next = series_;
    next.times.resize(static_cast<std::size_t>(num_steps));
    next.sums.resize(static_cast<std::size_t>(num_steps));
    ESKER_RETURN_IF_ERROR(replace_series(std::move(next), durable));
  }
  return remove_steps_from(num_steps);
}

/// Files of users stay.
Status VtkhdfWriter::remove_steps_from(Index num_steps) {
  const std::string directory = steps_directory(stem_);
  ESKER_ASSIGN_OR_RETURN(const bool is_link, store_->is_link(directory));
  if (is_link) return {};
  ESKER_ASSIGN_OR_RETURN(const std::vector<std::string> names, store_->list(directory));
  for (const std::string& name : names) {
    const Index step = step_of(name);
    if (step >= num_steps) ESKER_RETURN_IF_ERROR(store_->remove(step_path(stem_, step)));
  }
  return {};
}

std::vector<std::string> VtkhdfWriter::data_paths(Index first, Index end) const {
  std::vector<std::string> paths;
  for (Index step = first; step < end; ++step) paths.push_back(step_path(stem_, step));
  return paths;
}

}  // namespace esker::vtkhdf
