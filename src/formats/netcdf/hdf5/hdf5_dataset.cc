#include "formats/netcdf/hdf5/hdf5_dataset.h"

#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "layout/places.h"
#include "read/chunk_reader.h"
#include "read/counted_file.h"
#include "read/row_major_reader.h"

namespace esker::hdf5 {
namespace {

constexpr Index kBytesPerRead = Index{16} << 20;  // verifying

/// Number of indices of each axis per read: as many of the fastest as fit, complete chunks where they fit.
std::vector<Index> extents_of_read(const StoredVariable& variable, Index value_bytes) {
  std::vector<Index> extents(variable.extents.size(), 1);
  Index room = std::max<Index>(1, kBytesPerRead / value_bytes);
  for (std::size_t axis = extents.size(); axis-- > 0 && room > 1;) {
    const Index of_chunk = variable.chunk.empty() ? 1 : variable.chunk[axis];
    const Index whole = of_chunk <= room ? room / of_chunk * of_chunk : room;
    extents[axis] = std::max<Index>(1, std::min(variable.extents[axis], whole));
    room /= extents[axis];
  }
  return extents;
}

/// The size of a variable's values according to its metadata; nothing if it overflows.
std::optional<Index> declared_bytes(const StoredVariable& variable, Index value_bytes) {
  std::optional<Index> bytes = value_bytes;
  for (const Index extent : variable.extents) {
    if (bytes) bytes = checked_mul(*bytes, extent);
  }
  return bytes;
}

}  // namespace

Result<Hdf5Dataset> Hdf5Dataset::open(const std::shared_ptr<Store>& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(Source source, Source::open(store, path));
  ESKER_ASSIGN_OR_RETURN(Description found, source.describe());
  return make(store, path, std::move(source), std::move(found));
}

Result<Hdf5Dataset> Hdf5Dataset::make(const std::shared_ptr<Store>& store, const std::string& path,
                                      Source source, Description found) {
  Hdf5Dataset dataset(store, path, std::move(source));
  dataset.schema = std::move(found.schema);
  dataset.times = std::move(found.times);
  dataset.warnings = std::move(found.warnings);
  dataset.of_field_ = std::move(found.of_field);
  dataset.is_ours_ = found.is_ours;
  dataset.end_bytes_ = found.end_bytes;
  for (std::size_t f = 0; f < dataset.of_field_.size(); ++f) {
    if (dataset.fits_file(static_cast<int>(f))) continue;
    dataset.warnings.push_back(fmt::format(
        "field '{}' has more values than fit in {} bytes: missing values are read as its fill value",
        dataset.schema.fields()[f].name, dataset.end_bytes_));
  }
  ESKER_RETURN_IF_ERROR(dataset.list_parts());
  return dataset;
}

bool Hdf5Dataset::fits_file(int field) const {
  const auto declared = declared_bytes(variable_of(field), esker::size_bytes(field_at(field).type));
  return declared && *declared / variable_of(field).most_inflation <= end_bytes_;
}

/// In other programs' files, a variable may have been written for fewer steps than there are.
bool Hdf5Dataset::has(int field, Index step) const {
  return LatticeDataset::has(field, step) && (field_at(field).fixed || step < variable_of(field).extents[0]);
}

Status Hdf5Dataset::read_lattice(int field, Index step, const Lattice& selection, std::byte* out,
                                 ReadCounters& counters) const {
  ESKER_ASSIGN_OR_RETURN(const bool is_read, read_past_library(field, step, selection, out, counters));
  if (is_read) return {};
  Slab slab;
  const auto add = [&](Index start, Index stride, Index count) {
    slab.start.push_back(start), slab.stride.push_back(stride), slab.count.push_back(count);
  };
  const Field& of = field_at(field);
  if (!of.fixed) add(step, 1, 1);
  const int num_axes = has_no_axes(field) ? 0 : selection.rank;
  for (int a = num_axes; a-- > 0;) add(selection.origin[a], selection.stride[a], selection.count[a]);
  if (of.components > 1) add(0, 1, of.components);
  ++counters.reads;
  counters.bytes += selection.num_samples() * of.sample_bytes();  // the library does not report what it read
  return source_.read(variable_of(field).path, of.type, slab, out);
}

ReadUnit Hdf5Dataset::read_unit(int field, int level) const {
  constexpr Index kUnitBytes = Index{4} << 20;
  const Box grid = box(field);
  const std::vector<Index>& stored = variable_of(field).chunk;  // slowest axis first, also that of time
  const std::size_t before = field_at(field).fixed ? 0 : 1;
  const bool is_plain = reads_past_library(field);
  if (is_plain && stored.empty()) return {grid.hi};
  Point chunk{1, 1, 1, 1, 1};
  for (int a = 0; a < grid.rank; ++a) {
    const std::size_t axis = before + static_cast<std::size_t>(grid.rank - 1 - a);
    if (axis < stored.size()) chunk[a] = stored[axis];
  }
  ReadUnit unit = unit_of_chunks(field, level, chunk, is_plain);
  Index bytes = field_at(field).sample_bytes();
  for (int a = 0; a < grid.rank; ++a) bytes *= unit.extent[a];
  for (int a = 0; a < grid.rank && !is_plain; ++a) {
    for (; unit.extent[a] < grid.hi[a] && 2 * bytes <= kUnitBytes; bytes *= 2) unit.extent[a] *= 2;
  }
  return unit;
}

// Units are complete chunks of one or several steps, all components together. HDF5 1.10 visits all chunks of
// a dataset to find one, at 0.1 us each; that must be small compared to reading a step.
bool Hdf5Dataset::reads_past_library(int field) const {
  constexpr Index kBytesPerLook = 1024, kFewLooks = 4096;
  const StoredVariable& variable = variable_of(field);
  const Field& of = field_at(field);
  const Box grid = box(field);
  const std::size_t before = of.fixed ? 0 : 1;
  const std::size_t behind = of.components > 1 ? 1 : 0;
  const auto rank = static_cast<std::size_t>(grid.rank);
  if (!variable.is_plain || variable.extents.size() != before + rank + behind) return false;
  if (behind > 0 && !variable.chunk.empty() && variable.chunk.back() != of.components) return false;
  Index chunks = 1, bytes = of.sample_bytes();
  for (std::size_t a = 0; a < rank; ++a) {
    const std::size_t axis = before + rank - 1 - a;
    if (variable.extents[axis] != grid.hi[a]) return false;
    if (!variable.chunk.empty()) chunks *= div_up(grid.hi[a], variable.chunk[axis]);
    bytes *= grid.hi[a];
    if (chunks > bytes) return false;
  }
  const Index steps_in_chunks =
      of.fixed || variable.chunk.empty() ? 1 : div_up(variable.extents[0], variable.chunk[0]);
  const auto looks = checked_mul(chunks, chunks);
  const Index most = std::max(kFewLooks, bytes / kBytesPerLook);
  return looks && *looks <= most / std::max<Index>(1, steps_in_chunks);
}

Result<bool> Hdf5Dataset::read_past_library(int field, Index step, const Lattice& selection, std::byte* out,
                                            ReadCounters& counters) const {
  if (!reads_past_library(field)) return false;
  ESKER_ASSIGN_OR_RETURN(const std::string superblock, source_.superblock());
  ESKER_ASSIGN_OR_RETURN(const Places places, places_of(field, step, superblock));
  if (!places) return false;
  const Status status = read_at(*places, field, step, selection, out, counters);
  ESKER_ASSIGN_OR_RETURN(const std::string superblock_after, source_.superblock());
  if (superblock_after != superblock) return false;
  ESKER_RETURN_IF_ERROR(status);
  return true;
}

Hdf5Dataset::PlacesKey Hdf5Dataset::places_key(int field, Index step) const {
  const std::vector<Index>& chunk = variable_of(field).chunk;
  return {field, field_at(field).fixed || chunk.empty() ? -1 : step / chunk[0]};
}

Source::PlacesOf Hdf5Dataset::places_wanted(int field, Index step) const {
  const StoredVariable& variable = variable_of(field);
  return {&variable, field_at(field).type, field_at(field).fixed || variable.chunk.empty() ? -1 : step};
}

/// The field, and, if another one of the step was requested before, the unknown ones after it.
std::vector<int> Hdf5Dataset::fields_to_look_up(int field, Index step, const std::string& superblock) const {
  constexpr std::size_t kMostAtOnce = 64;
  std::vector<int> fields{field};
  const std::lock_guard lock(known_->mutex);
  if (known_->superblock != superblock) return fields;
  const auto is_known = [&](int f) { return known_->of_field.count(places_key(f, step)) > 0; };
  bool is_second = false;
  for (int f = 0; f < field && !is_second; ++f) is_second = is_known(f);
  const int num_fields = is_second ? static_cast<int>(schema.fields().size()) : 0;
  for (int f = field + 1; f < num_fields && fields.size() < kMostAtOnce; ++f) {
    if (!is_known(f) && has(f, step) && reads_past_library(f)) fields.push_back(f);
  }
  return fields;
}

Result<Hdf5Dataset::Places> Hdf5Dataset::places_of(int field, Index step,
                                                   const std::string& superblock) const {
  constexpr std::size_t kMostKept = 256;
  const PlacesKey key = places_key(field, step);
  {
    const std::lock_guard lock(known_->mutex);
    const auto known = known_->of_field.find(key);
    if (known_->superblock == superblock && known != known_->of_field.end()) return known->second;
  }
  const std::vector<int> fields = fields_to_look_up(field, step, superblock);
  std::vector<Source::PlacesOf> wanted;
  for (const int f : fields) wanted.push_back(places_wanted(f, step));
  ESKER_ASSIGN_OR_RETURN(auto found, source_.places(wanted));
  const std::lock_guard lock(known_->mutex);
  if (known_->superblock != superblock || known_->of_field.size() >= kMostKept) known_->of_field.clear();
  known_->superblock = superblock;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    if (n > 0 && !found[n]) continue;  // an error, if any, is reported to the caller that requests that field
    known_->of_field[places_key(fields[n], step)] =
        found[n] ? std::make_shared<const std::vector<Index>>(std::move(*found[n])) : nullptr;
  }
  return known_->of_field[key];
}

Status Hdf5Dataset::read_at(const std::vector<Index>& places, int field, Index step, const Lattice& selection,
                            std::byte* out, ReadCounters& counters) const {
  const StoredVariable& variable = variable_of(field);
  ChunkedArray array{box(field).hi, box(field).hi, field_at(field).sample_bytes()};
  const std::size_t before = field_at(field).fixed ? 0 : 1;
  Index step_bytes = array.sample_bytes;  // between two steps in the same chunk
  for (int a = 0; a < selection.rank; ++a) {
    const std::size_t axis = before + static_cast<std::size_t>(selection.rank - 1 - a);
    if (!variable.chunk.empty()) array.chunk[a] = variable.chunk[axis];
    step_bytes *= array.chunk[a];
  }
  const Index steps_before = field_at(field).fixed    ? 0
                             : variable.chunk.empty() ? step
                                                      : step % variable.chunk[0];
  const CountedFile file(source_.file(), counters);
  const Point counts = array.counts(selection.rank);
  const auto read_chunk = [&](const Point& chunk, const Lattice& part, std::byte* to) {
    const Index place = places[static_cast<std::size_t>(number_in(counts, selection.rank, chunk))];
    RowMajorReader reader(file, place + steps_before * step_bytes, array.chunk, array.sample_bytes, part);
    return reader.read(to, [](std::span<std::byte>) {});
  };
  return read_chunks(array, selection, read_chunk, out).with_context(path_);
}

/// Reads a field piece by piece. Returns the bytes that it takes in the file.
Result<Index> Hdf5Dataset::verify_values(int field) const {
  const StoredVariable& variable = variable_of(field);
  const Index value_bytes = esker::size_bytes(field_at(field).type);
  const std::vector<Index> most = extents_of_read(variable, value_bytes);
  std::vector<std::byte> values;
  Slab slab{std::vector<Index>(most.size(), 0), std::vector<Index>(most.size(), 1), most};
  const auto are_more = [&] { return slab.start[0] < variable.extents[0]; };
  while (are_more()) {
    Index bytes = value_bytes;
    for (std::size_t axis = 0; axis < most.size(); ++axis) {
      slab.count[axis] = std::min(most[axis], variable.extents[axis] - slab.start[axis]);
      bytes *= std::max<Index>(0, slab.count[axis]);
    }
    values.resize(static_cast<std::size_t>(bytes));
    ESKER_RETURN_IF_ERROR(source_.read(variable.path, field_at(field).type, slab, values.data()));
    for (std::size_t axis = most.size(); axis-- > 0;) {  // the next piece
      slab.start[axis] += most[axis];
      if (slab.start[axis] < variable.extents[axis] || axis == 0) break;
      slab.start[axis] = 0;
    }
  }
  return source_.stored_bytes(variable.path);
}

Status Hdf5Dataset::verify(VerifyReport& report, const std::function<void(double)>& progress) const {
  Findings findings(report);
  report.files = 1;
  const auto num_fields = static_cast<int>(schema.fields().size());
  for (int field = 0; field < num_fields; ++field) {
    const Field& of = field_at(field);
    if (declared_bytes(variable_of(field), esker::size_bytes(of.type)) == Index{0}) continue;
    if (!fits_file(field)) continue;  // not read; the dataset has a warning about it
    const auto bytes = verify_values(field);
    if (bytes.ok()) report.bytes += *bytes;
    if (!bytes.ok()) findings.error(path_, bytes.status(), fmt::format("field '{}'", of.name));
    if (progress) progress(static_cast<double>(field + 1) / num_fields);
  }
  const auto file_bytes = stored_bytes();
  const auto journal = source_.has_journal();
  if (journal.ok() && *journal) {
    findings.warning(
        path_,
        "a journal is next to the file: a step is being committed, or a run was killed during a commit");
  } else if (file_bytes.ok()) {
    look_for_leftovers(findings, *file_bytes, end_bytes_);
  }
  look_for_writer(findings);
  return {};
}

}  // namespace esker::hdf5
