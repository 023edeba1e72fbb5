#include "formats/netcdf/hdf5/hdf5_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "format/no_stored_bits.h"
#include "formats/netcdf/hdf5/existing.h"
#include "formats/netcdf/hdf5/hdf5_step_layouts.h"
#include "formats/netcdf/hdf5/journal.h"
#include "layout/piece_record.h"
#include "store/commit.h"

namespace esker::hdf5 {
namespace {

/// Compressed chunks follow each other from `place` on.
Status check_places(std::span<const PieceRecord> records, Index place) {
  for (const PieceRecord& record : records) {
    if (record.offset_bytes != place) {
      return error(Code::kInternal, "a compressed chunk is stored at byte {}, expected {}",
                   record.offset_bytes, place);
    }
    place = end_of_stored(place, record.size_bytes);
  }
  return {};
}

}  // namespace

Status Hdf5Writer::define(const Schema& schema) {
  ESKER_RETURN_IF_ERROR(check_no_stored_bits(schema, "netCDF files"));
  schema_ = schema;
  return take_boxes({});
}

Status Hdf5Writer::take_boxes(const std::vector<Point>& extents) {
  const ChunkOptions chunks{options_.alignment_bytes, options_.chunk_alignment_bytes, options_.chunks.extents,
                            extents};
  ESKER_ASSIGN_OR_RETURN(file_, describe_file(schema_, chunks));
  return {};
}

Status Hdf5Writer::stage(bool durable) {
  Overlay overlay(nullptr, 0);
  ESKER_RETURN_IF_ERROR(hdf5::create(overlay, schema_, file_));
  const auto write = [&](File& file) -> Status {
    ESKER_RETURN_IF_ERROR(apply(file, overlay.change()));
    ESKER_ASSIGN_OR_RETURN(std::string superblock, superblock_of(file));
    staged_ = {{}, overlay.end_bytes(), std::move(superblock)};
    return {};
  };
  return stage_file(*store_, path_, write, durable);
}

Status Hdf5Writer::publish(bool durable) {
  ESKER_RETURN_IF_ERROR(recover(*store_, path_, durable));
  ESKER_RETURN_IF_ERROR(NetcdfWriter::publish(durable));
  committed_ = staged_;
  inverse_.reset();
  return {};
}

Result<std::string> Hdf5Writer::read_staged() {
  const auto file = store_->open(temporary_of(path_), OpenMode::kRead);
  if (!file.ok()) return std::string();
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, (*file)->size_bytes());
  Overlay overlay(file->get(), file_bytes);
  auto existing = esker::hdf5::read_existing(overlay);
  return existing.ok() ? std::move(existing) : Result<std::string>(std::string());
}

Result<std::string> Hdf5Writer::read_existing() {
  ESKER_ASSIGN_OR_RETURN(const auto file, open_existing());
  ESKER_RETURN_IF_ERROR(recover(*store_, path_, options_.fsync != Fsync::kNone));
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file->size_bytes());
  Overlay overlay(file.get(), file_bytes);
  auto existing = esker::hdf5::read_existing(overlay);
  if (!existing.ok()) return existing.status().with_context(path_);
  ESKER_ASSIGN_OR_RETURN(committed_.superblock, superblock_of(*file));
  committed_.file_bytes = overlay.end_bytes();
  return existing;
}

Status Hdf5Writer::restore(const std::string& text) {
  ESKER_ASSIGN_OR_RETURN(Existing existing, parse_existing(text));
  schema_ = std::move(existing.schema);
  file_ = std::move(existing.file);
  committed_.times = existing.times;
  times_ = std::move(existing.times);
  return {};
}

/// Removes everything after the committed steps.
Status Hdf5Writer::reclaim(bool durable) {
  prepared_.reset();
  ESKER_RETURN_IF_ERROR(rewind(static_cast<Index>(times_.size()), durable));
  ESKER_RETURN_IF_ERROR(cut_off(committed_.file_bytes, durable));
  return store_->remove(temporary_of(journal_of(path_)));
}

Result<bool> Hdf5Writer::is_as_left(const File& file) const {
  ESKER_ASSIGN_OR_RETURN(const std::string found, superblock_of(file));
  return found == committed_.superblock ||
         (inverse_ && superblock_after(found, *inverse_) == committed_.superblock);
}

std::unique_ptr<StepLayouts> Hdf5Writer::lay_out(const std::vector<bool>& present,
                                                 const StepHints& hints) const {
  return std::make_unique<Hdf5StepLayouts>(file_, schema_, present, hints, path_);
}

Result<std::string> Hdf5Writer::prepare(Index step, double time, const std::vector<bool>& present) {
  prepared_.reset();
  ESKER_ASSIGN_OR_RETURN(Prepared prepared, change_by(NewStep{step, time, present}));
  std::string places = print_places(prepared.places);
  prepared_ = std::move(prepared);
  return places;
}

/// The change that a step makes to the committed file.
Result<Hdf5Writer::Prepared> Hdf5Writer::change_by(const NewStep& step) const {
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  Overlay overlay(file.get(), committed_.file_bytes);
  auto places = add_step(overlay, schema_, file_, step);
  if (!places.ok()) return places.status().with_context(path_);
  return Prepared{overlay.change(), std::move(*places)};
}

/// The same, once the sizes of compressed chunks are known. Their places must be those that the ranks found.
Result<Hdf5Writer::Prepared> Hdf5Writer::change_by(const StoredStep& stored) const {
  NewStep step{stored.step, stored.time, stored.present, ChunkSizes(schema_.fields().size())};
  const std::vector<std::size_t> fields = fields_of_layouts(file_.storage, stored.present);
  for (std::size_t n = 0; n < fields.size() && file_.storage.is_compressed(fields[n]); ++n) {
    for (const PieceRecord& record : stored.records.at(n)) step.sizes[fields[n]].push_back(record.size_bytes);
  }
  ESKER_ASSIGN_OR_RETURN(Prepared prepared, change_by(step));
  for (std::size_t n = 0; n < fields.size() && file_.storage.is_compressed(fields[n]); ++n) {
    ESKER_RETURN_IF_ERROR(check_places(stored.records[n], prepared.places[fields[n]]).with_context(path_));
  }
  return prepared;
}

/// The bytes that extend the file are written before the change begins, where no reader looks. A full disk
/// thus cannot stop the change in the middle.
Status Hdf5Writer::take_room(const Change& to) {
  Change behind{{}, to.file_bytes};
  for (auto range = to.ranges.lower_bound(committed_.file_bytes); range != to.ranges.end(); ++range) {
    behind.ranges.insert(*range);
  }
  if (behind.ranges.empty()) return {};
  return edit_file(
      *store_, path_, [&](File& file) { return apply(file, behind); }, /*durable=*/false);
}

/// Applies a change, after which the file holds steps of those times. The next rewind() undoes a failed
/// change.
Status Hdf5Writer::change(const Change& to, std::vector<double> times, bool durable) {
  ESKER_RETURN_IF_ERROR(take_room(to));
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  superblock_with_failed_ = superblock_after(committed_.superblock, to);
  ESKER_ASSIGN_OR_RETURN(inverse_, inverse_of(to, *file, committed_.file_bytes));
  ESKER_RETURN_IF_ERROR(change_file(*store_, path_, to, durable || is_protected_));
  inverse_.reset();
  committed_ = {std::move(times), to.file_bytes, superblock_with_failed_};
  return {};
}

/// Undoes the failed change, whether it was not begun, begun, or completed.
Status Hdf5Writer::take_back(bool durable) {
  if (!inverse_) return {};
  ESKER_ASSIGN_OR_RETURN(const bool is_begun,
                         may_be_changed(*store_, path_, committed_.superblock, superblock_with_failed_));
  if (is_begun) ESKER_RETURN_IF_ERROR(change_file(*store_, path_, *inverse_, durable || is_protected_));
  inverse_.reset();
  return {};
}

Status Hdf5Writer::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  if (!prepared_) return error(Code::kInternal, "step {} was not prepared", stored.step);
  Prepared prepared = *std::exchange(prepared_, std::nullopt);
  if (!stored.records.empty()) {
    ESKER_ASSIGN_OR_RETURN(prepared, change_by(stored));
  }
  const Change to = std::move(prepared.change);
  std::vector<double> times = committed_.times;
  times.push_back(stored.time);
  ESKER_RETURN_IF_ERROR(change(to, times, durable));
  times_ = std::move(times);
  return {};
}

/// The change that leaves the first `num_steps` committed steps.
Result<Change> Hdf5Writer::change_to(Index num_steps) const {
  ESKER_ASSIGN_OR_RETURN(const auto file, store_->open(path_, OpenMode::kRead));
  ESKER_ASSIGN_OR_RETURN(auto remade,
                         remake(*file, committed_.file_bytes, schema_, file_, committed_.times, num_steps));
  if (remade) return std::move(*remade);
  Overlay overlay(file.get(), committed_.file_bytes);
  ESKER_RETURN_IF_ERROR(cut_steps(overlay, schema_, file_, num_steps));
  return overlay.change();
}

// The target is recorded first, so that reclaim() continues where this has failed.
Status Hdf5Writer::rewind(Index num_steps, bool durable) {
  const auto n = static_cast<std::size_t>(num_steps);
  times_.resize(n);
  ESKER_RETURN_IF_ERROR(check_ours());
  ESKER_RETURN_IF_ERROR(take_back(durable));
  if (committed_.times.size() <= n) return {};
  ESKER_ASSIGN_OR_RETURN(const Change to, change_to(num_steps));
  return change(to, {committed_.times.begin(), committed_.times.begin() + num_steps}, durable);
}

}  // namespace esker::hdf5
