#include "formats/netcdf/hdf5/parted_writer.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/no_stored_bits.h"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/existing.h"
#include "formats/netcdf/hdf5/hdf5_step_layouts.h"
#include "formats/netcdf/hdf5/journal.h"
#include "formats/netcdf/hdf5/parted_step_layouts.h"
#include "formats/netcdf/model/part_files.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::hdf5 {
namespace {

Result<std::uint64_t> sum_of(const File& file) {
  ESKER_ASSIGN_OR_RETURN(const Index size, file.size_bytes());
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  ESKER_RETURN_IF_ERROR(file.read_at(bytes, 0));
  return checksum(bytes, 0);
}

std::string file_name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The bytes of a file that consists of a change on top of nothing.
std::vector<std::byte> bytes_of(const Change& change) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(change.file_bytes));
  for (const auto& [offset, range] : change.ranges) {
    std::copy(range.begin(), range.end(), bytes.begin() + offset);
  }
  return bytes;
}

}  // namespace

std::string PartedWriter::directory() const {
  return std::filesystem::path(base_).replace_filename(parts_->directory()).string();
}

Status PartedWriter::define(const Schema& schema) {
  ESKER_RETURN_IF_ERROR(check_no_stored_bits(schema, "netCDF files"));
  if (options_.chunks.by_decomposition) {
    return error(
        Code::kUnsupported,
        "chunks=decomposition: the boxes of ranks need not begin where partitions do; set chunks=auto, "
        "or partition_index=global without partitions");
  }
  schema_ = schema;
  ESKER_ASSIGN_OR_RETURN(Parts parts, Parts::choose(schema_, options_.partitions.number,
                                                    file_name_of(netcdf::parts_directory(base_))));
  ESKER_ASSIGN_OR_RETURN(
      const Netcdf4File file,
      describe_file(schema_, {options_.alignment_bytes, options_.chunk_alignment_bytes, {}}));
  file_ = file;
  parts_ = std::move(parts);
  kinds_.clear();
  for (int kind = 0; kind < parts_->num_kinds(); ++kind) {
    ESKER_ASSIGN_OR_RETURN(Schema of_kind, parts_->schema_of(parts_->first_of_kind(kind)));
    const ChunkOptions chunks{options_.alignment_bytes, options_.chunk_alignment_bytes,
                              options_.chunks.extents};
    ESKER_ASSIGN_OR_RETURN(Netcdf4File of_file, describe_file(of_kind, chunks));
    kinds_.push_back({std::move(of_kind), std::move(of_file)});
  }
  return {};
}

void PartedWriter::make_writers() {
  writers_.clear();
  for (int part = 0; part < parts_->num_files(); ++part) {
    writers_.push_back(std::make_unique<Hdf5Writer>(store_, directory() + '/' + netcdf::name_of_part(part),
                                                    netcdf::kPartSuffix, options_, lock_));
    if (is_protected_) writers_.back()->protect_committed();
  }
}

/// The complete virtual file, as a change on top of nothing.
Result<Change> PartedWriter::virtual_file(const std::vector<double>& times) const {
  VirtualContents contents{parts_->print(), std::vector<std::vector<PartOfField>>(schema_.fields().size()),
                           times};
  for (int part = 0; part < parts_->num_files(); ++part) {
    const std::string name = netcdf::path_of_part(parts_->directory(), part);
    for (const std::size_t f : parts_->fields_of(part)) {
      const Grid& grid = schema_.grid_of(schema_.fields()[f]);
      const Box box = parts_->is_partition(part) ? parts_->boxes().box(part) : schema_.box_of(grid);
      contents.of_field[f].push_back({name, box});
    }
  }
  Overlay overlay(nullptr, 0);
  ESKER_RETURN_IF_ERROR(create_virtual(overlay, schema_, file_, contents));
  return overlay.change();
}

// ---- creation ----

Status PartedWriter::stage_parts(bool durable) {
  make_writers();
  for (int part = 0; part < parts_->num_files(); ++part) {
    Hdf5Writer& writer = *writers_[static_cast<std::size_t>(part)];
    ESKER_ASSIGN_OR_RETURN(const Schema of_part, parts_->schema_of(part));
    ESKER_RETURN_IF_ERROR(writer.define(of_part));
    ESKER_RETURN_IF_ERROR(writer.stage(durable));
  }
  ESKER_ASSIGN_OR_RETURN(const Change whole, virtual_file({}));
  attempted_ = Virtual{checksum(bytes_of(whole), 0), {}};
  return stage_file(
      *store_, base_, [&](File& file) { return apply(file, whole); }, durable);
}

Status PartedWriter::stage(bool durable) {
  ESKER_RETURN_IF_ERROR(make_directories(*store_, directory(), durable));
  Status staged = stage_parts(durable);
  if (staged.ok()) return {};
  for (const std::string& path : part_paths()) (void)store_->remove(temporary_of(path));
  return staged;
}

/// Of an earlier dataset at the path.
Status PartedWriter::remove_old_parts() const {
  std::set<std::string> staged;
  for (const std::string& path : part_paths()) staged.insert(file_name_of(temporary_of(path)));
  ESKER_ASSIGN_OR_RETURN(const auto names, store_->list(directory()));
  for (const std::string& name : names) {
    if (!netcdf::is_name_of_part(name) || staged.count(name) > 0) continue;
    ESKER_RETURN_IF_ERROR(store_->remove(directory() + '/' + name));
  }
  return {};
}

Status PartedWriter::publish(bool durable) {
  ESKER_RETURN_IF_ERROR(recover(*store_, base_, durable));
  ESKER_RETURN_IF_ERROR(store_->remove(base_));
  ESKER_RETURN_IF_ERROR(remove_old_parts());
  for (const auto& writer : writers_) ESKER_RETURN_IF_ERROR(writer->publish(durable));
  ESKER_RETURN_IF_ERROR(publish_file(*store_, base_, durable));
  committed_ = *std::exchange(attempted_, std::nullopt);
  return {};
}

// ---- an existing dataset ----

/// Reads a part. kDataLoss: it is missing, damaged or another part, or lacks steps. It may have more.
Result<std::string> PartedWriter::read_part(int file, const std::vector<double>& times) {
  Hdf5Writer& writer = *writers_[static_cast<std::size_t>(file)];
  auto text = writer.read_existing();
  if (!text.ok()) {
    return error(Code::kDataLoss, "{}: part {} of {} cannot be read: {}", path_, file, writers_.size(),
                 text.status().message());
  }
  const std::string path = netcdf::path_of_part(directory(), file);
  ESKER_RETURN_IF_ERROR(writer.restore(*text));
  ESKER_RETURN_IF_ERROR(parts_->check(file, writer.schema()).with_context(path));
  const std::vector<double>& found = writer.times();
  if (found.size() >= times.size() && std::equal(times.begin(), times.end(), found.begin())) return text;
  return error(Code::kDataLoss, "{}: has {} steps, expected the {} steps of {}; restore the file from a copy",
               path, found.size(), times.size(), path_);
}

Result<std::string> PartedWriter::read_existing() {
  ESKER_ASSIGN_OR_RETURN(const auto file, open_existing());
  ESKER_ASSIGN_OR_RETURN(base_, end_of_links(*store_, path_));
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file->size_bytes());
  Overlay overlay(file.get(), file_bytes);
  auto whole = read_existing_virtual(overlay);
  if (!whole.ok()) return whole.status().with_context(path_);
  ESKER_ASSIGN_OR_RETURN(const ExistingVirtual existing, parse_existing_virtual(*whole));
  ESKER_ASSIGN_OR_RETURN(parts_, Parts::parse(existing.schema, existing.parts));
  ESKER_ASSIGN_OR_RETURN(committed_.sum, sum_of(*file));
  committed_.times = existing.times;
  make_writers();
  std::vector<std::string> texts{base_, std::move(*whole)};
  for (int part = 0; part < parts_->num_files(); ++part) {
    ESKER_ASSIGN_OR_RETURN(std::string text, read_part(part, existing.times));
    if (parts_->first_of_kind(parts_->kind_of(part)) == part) texts.push_back(std::move(text));
  }
  return pack_texts(texts);
}

Status PartedWriter::restore(const std::string& text) {
  const std::vector<std::string> texts = unpack_texts(text);
  ESKER_ASSIGN_OR_RETURN(ExistingVirtual existing, parse_existing_virtual(texts.at(1)));
  ESKER_ASSIGN_OR_RETURN(parts_, Parts::parse(existing.schema, existing.parts));
  base_ = texts.at(0);
  file_ = std::move(existing.file);
  schema_ = std::move(existing.schema);
  times_ = std::move(existing.times);
  kinds_.clear();
  for (int kind = 0; kind < parts_->num_kinds(); ++kind) {
    ESKER_ASSIGN_OR_RETURN(Existing of_kind, parse_existing(texts.at(static_cast<std::size_t>(kind) + 2)));
    kinds_.push_back({std::move(of_kind.schema), std::move(of_kind.file)});
  }
  return {};
}

Status PartedWriter::reclaim(bool durable) {
  ESKER_RETURN_IF_ERROR(rewind(static_cast<Index>(times_.size()), durable));
  for (const auto& writer : writers_) ESKER_RETURN_IF_ERROR(writer->reclaim(durable));
  return store_->remove(temporary_of(base_));
}

Result<bool> PartedWriter::is_as_left(const File& file) const {
  ESKER_ASSIGN_OR_RETURN(const std::uint64_t sum, sum_of(file));
  return sum == committed_.sum || (attempted_ && sum == attempted_->sum);
}

// ---- steps ----

std::vector<std::string> PartedWriter::part_paths() const {
  std::vector<std::string> paths;
  for (int part = 0; part < parts_->num_files(); ++part)
    paths.push_back(netcdf::path_of_part(directory(), part));
  return paths;
}

std::vector<bool> PartedWriter::present_in(int file, const std::vector<bool>& present) const {
  std::vector<bool> here;
  for (const std::size_t f : parts_->fields_of(file)) here.push_back(present[f]);
  return here;
}

std::unique_ptr<StepLayouts> PartedWriter::lay_out(const std::vector<bool>& present,
                                                   const StepHints& hints) const {
  std::vector<std::unique_ptr<StepLayouts>> of_file;
  for (int part = 0; part < parts_->num_files(); ++part) {
    StepHints here = hints;
    here.dense_axes.clear();
    for (const std::size_t f : parts_->fields_of(part)) here.dense_axes.push_back(hints.dense_axis(f));
    const Kind& kind = kinds_[static_cast<std::size_t>(parts_->kind_of(part))];
    of_file.push_back(std::make_unique<Hdf5StepLayouts>(kind.file, kind.schema, present_in(part, present),
                                                        here, netcdf::path_of_part(directory(), part)));
  }
  return std::make_unique<PartedStepLayouts>(*parts_, std::move(of_file));
}

Result<std::string> PartedWriter::prepare(Index step, double time, const std::vector<bool>& present) {
  std::vector<std::string> places;
  for (int part = 0; part < parts_->num_files(); ++part) {
    Hdf5Writer& writer = *writers_[static_cast<std::size_t>(part)];
    ESKER_ASSIGN_OR_RETURN(std::string of_part, writer.prepare(step, time, present_in(part, present)));
    places.push_back(std::move(of_part));
  }
  return pack_texts(places);
}

/// Replaces the virtual file by one with steps of those times. If it fails, either file may be there.
Status PartedWriter::replace_virtual(const std::vector<double>& times, bool durable) {
  ESKER_ASSIGN_OR_RETURN(const Change whole, virtual_file(times));
  attempted_ = Virtual{checksum(bytes_of(whole), 0), times};
  const bool is_durable = durable || is_protected_;
  ESKER_RETURN_IF_ERROR(stage_file(
      *store_, base_, [&](File& file) { return apply(file, whole); }, is_durable));
  ESKER_RETURN_IF_ERROR(publish_file(*store_, base_, is_durable));
  committed_ = *std::exchange(attempted_, std::nullopt);
  return {};
}

Status PartedWriter::commit(const StoredStep& stored, bool durable) {
  ESKER_RETURN_IF_ERROR(check_ours());
  std::size_t first = 0;  // layout
  for (int part = 0; part < parts_->num_files(); ++part) {
    StoredStep here{stored.step, stored.time, present_in(part, stored.present), {}};
    const auto n = static_cast<std::size_t>(std::count(here.present.begin(), here.present.end(), true));
    const std::size_t begin = std::min(first, stored.records.size());
    const std::size_t end = std::min(first + n, stored.records.size());
    here.records.assign(stored.records.begin() + static_cast<std::ptrdiff_t>(begin),
                        stored.records.begin() + static_cast<std::ptrdiff_t>(end));
    ESKER_RETURN_IF_ERROR(writers_[static_cast<std::size_t>(part)]->commit(here, durable));
    first += n;
  }
  std::vector<double> times = committed_.times;
  times.push_back(stored.time);
  ESKER_RETURN_IF_ERROR(replace_virtual(times, durable));
  times_ = std::move(times);
  return {};
}

// The target is recorded first, so that reclaim() continues where this has failed. The virtual file comes
// first: it never has steps that a part lacks.
Status PartedWriter::rewind(Index num_steps, bool durable) {
  times_.resize(static_cast<std::size_t>(num_steps));
  ESKER_RETURN_IF_ERROR(check_ours());
  if (attempted_ || committed_.times.size() > times_.size()) {
    ESKER_RETURN_IF_ERROR(replace_virtual(times_, durable));
  }
  Status first;
  for (const auto& writer : writers_) {
    Status rewound = writer->rewind(num_steps, durable);
    if (first.ok()) first = std::move(rewound);
  }
  return first;
}

void PartedWriter::protect_committed() {
  is_protected_ = true;
  for (const auto& writer : writers_) writer->protect_committed();
}

}  // namespace esker::hdf5
