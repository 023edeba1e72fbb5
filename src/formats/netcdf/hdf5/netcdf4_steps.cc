#include "formats/netcdf/hdf5/netcdf4_steps.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/filters.h"
#include "formats/netcdf/hdf5/session.h"
#include "layout/piece_record.h"
#include "model/field_facts.h"

namespace esker::hdf5 {
namespace {

void extend(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable,
            Index num_records) {
  std::vector<hsize_t> extents = extents_of(header, variable);
  extents[0] = static_cast<hsize_t>(num_records);
  checked(H5Dset_extent(dataset, extents.data()), variable.name.c_str());
}

Handle open_dataset(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable) {
  return {H5Dopen2(file, path_of(header, variable).c_str(), H5P_DEFAULT), variable.name.c_str()};
}

/// In a file without times.
void write_num_steps(hid_t file, Index num_steps) {
  std::vector<int> storage = read_ints(file, kStorageAttribute);
  storage.at(2) = static_cast<int>(num_steps);
  overwrite_ints(file, kStorageAttribute, storage);
}

/// The first index of a chunk in its variable. `step`: absent for fixed fields.
std::vector<hsize_t> index_of_chunk(const Schema& schema, const Field& field, const ChunkedLayout& layout,
                                    Index chunk, Index step) {
  const Point origin = layout.chunk_origin(chunk);
  std::vector<hsize_t> index;
  if (!field.fixed) index.push_back(static_cast<hsize_t>(step));
  for (int a = num_axes(schema, field); a-- > 0;) index.push_back(static_cast<hsize_t>(origin[a]));
  if (field.components > 1) index.push_back(0);
  return index;
}

bool has_compressed(const Storage& storage) {
  return std::any_of(storage.codecs.begin(), storage.codecs.end(),
                     [](const CodecSpec& codec) { return codec.kind != CodecKind::kRaw; });
}

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

/// Chunks of a field get their offsets in the metadata as if they were written. The memory is never read, so
/// none is allocated.
class ChunkPlacer {
 public:
  ChunkPlacer(VirtualFile& file, hid_t dataset, Index chunk_bytes)
      : file_(file), dataset_(dataset), memory_(std::calloc(1, static_cast<std::size_t>(chunk_bytes))) {
    if (!memory_) throw std::bad_alloc();
  }

  /// `mask`: of the filters that the chunk has not passed.
  Status place(const std::vector<hsize_t>& index, Index offset, Index n_bytes, std::uint32_t mask) {
    file_.place_next(offset, n_bytes);
    checked(H5Dwrite_chunk(dataset_, H5P_DEFAULT, mask, index.data(), static_cast<std::size_t>(n_bytes),
                           memory_.get()),
            "chunk");
    if (file_.is_placed()) return {};
    return error(Code::kInternal, "HDF5 has not allocated space for a chunk");
  }

 private:
  VirtualFile& file_;
  hid_t dataset_;
  std::unique_ptr<void, Freed> memory_;
};

class StepAddition {
 public:
  StepAddition(VirtualFile& file, const Schema& schema, const Netcdf4File& of, const NewStep& step)
      : file_(file), schema_(schema), of_(of), step_(step) {}

  Status run(std::vector<Index>& places) {
    reserve();
    places.assign(schema_.fields().size(), 0);
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      const bool fixed = schema_.fields()[f].fixed;
      if (fixed && !step_.present[f]) continue;
      const Handle dataset = open_dataset(file_.id, of_.model.header, of_.variable_of(f));
      if (is_contiguous(schema_, of_.storage, f)) {
        places[f] = static_cast<Index>(H5Dget_offset(dataset));
        continue;
      }
      if (!fixed) extend(dataset, of_.model.header, of_.variable_of(f), step_.step + 1);
      if (step_.present[f]) ESKER_RETURN_IF_ERROR(place(dataset, f, places[f]));
    }
    of_.model.time_variable < 0 ? write_num_steps(file_.id, step_.step + 1) : write_time();
    return {};
  }

 private:
  [[nodiscard]] ChunkedLayout layout(std::size_t field) const {
    return layout_of(schema_, of_.storage, static_cast<int>(field));
  }
  [[nodiscard]] Index room_of(std::size_t field) const {
    return round_up(layout(field).stored_bytes(), of_.storage.alignment_bytes);
  }
  [[nodiscard]] Index chunk_bytes(std::size_t field) const {
    return chunk_of(schema_, of_.storage, field).size_bytes();
  }
  [[nodiscard]] Index stored_bytes(std::size_t field, Index chunk) const {
    if (step_.sizes.empty()) return chunk_bytes(field);
    return Index{step_.sizes[field].at(static_cast<std::size_t>(chunk))};
  }

  /// First the fields that are not compressed, whose places are thus known before the others are.
  void reserve() {
    Index raw = 0, compressed = 0;
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      if (!step_.present[f] || is_contiguous(schema_, of_.storage, f)) continue;
      if (!of_.storage.is_compressed(f)) {
        raw += room_of(f);
        continue;
      }
      for (Index chunk = 0; chunk < layout(f).num_chunks(); ++chunk) {
        compressed = end_of_stored(compressed, stored_bytes(f, chunk));
      }
    }
    if (raw + compressed == 0) return;
    if (compressed > 0) raw = end_of_stored(raw, 0);
    next_ = file_.reserve(raw + compressed, reserved_alignment());
    next_compressed_ = next_ + raw;
  }
  [[nodiscard]] Index reserved_alignment() const {
    const Index alignment = of_.storage.alignment_bytes;
    return has_compressed(of_.storage) ? std::lcm(alignment, kCompressedAlignment) : alignment;
  }

  Status place(hid_t dataset, std::size_t field, Index& place) {
    const ChunkedLayout of_field = layout(field);
    const bool is_compressed = of_.storage.is_compressed(field);
    Index& next = is_compressed ? next_compressed_ : next_;
    place = next;
    const Index most = chunk_bytes(field);
    const std::uint32_t raw_mask =
        mask_of_raw(of_.storage.codecs[field], chunk_of(schema_, of_.storage, field));
    ChunkPlacer placer(file_, dataset, most);
    for (Index chunk = 0; chunk < of_field.num_chunks(); ++chunk) {
      const auto index = index_of_chunk(schema_, schema_.fields()[field], of_field, chunk, step_.step);
      const Index n_bytes = is_compressed ? stored_bytes(field, chunk) : most;
      const Index offset = is_compressed ? next : place + chunk * of_field.chunk_stride_bytes();
      ESKER_RETURN_IF_ERROR(placer.place(index, offset, n_bytes, n_bytes == most ? raw_mask : 0));
      if (is_compressed) next = end_of_stored(offset, n_bytes);
    }
    if (!is_compressed) next += room_of(field);
    return {};
  }

  void write_time() {
    const netcdf::Header& header = of_.model.header;
    const auto& variable = header.variables[static_cast<std::size_t>(of_.model.time_variable)];
    const Handle dataset = open_dataset(file_.id, header, variable);
    extend(dataset, header, variable, step_.step + 1);
    const Handle all(H5Dget_space(dataset), "time");
    const auto at = static_cast<hsize_t>(step_.step);
    const hsize_t one = 1;
    checked(H5Sselect_hyperslab(all, H5S_SELECT_SET, &at, nullptr, &one, nullptr), "time");
    const Handle value(H5Screate_simple(1, &one, nullptr), "time");
    checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, value, all, H5P_DEFAULT, &step_.time), "time");
  }

  VirtualFile& file_;
  const Schema& schema_;
  const Netcdf4File& of_;
  const NewStep& step_;
  Index next_ = 0, next_compressed_ = 0;
};

// ---- removing steps ----

/// Frees the chunks of a fixed field: without extent, and with its extent again.
void free_chunks(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable) {
  const std::vector<hsize_t> extents = extents_of(header, variable);
  const std::vector<hsize_t> none(extents.size(), 0);
  checked(H5Dset_extent(dataset, none.data()), variable.name.c_str());
  checked(H5Dset_extent(dataset, extents.data()), variable.name.c_str());
}

std::vector<bool> fields_due(const Schema& schema, Index step) {
  std::vector<bool> due;
  for (const Field& field : schema.fields()) due.push_back(is_due(field, step));
  return due;
}

/// The sizes of the chunks of a field in a file at one step. Nothing if they are not as Esker writes them.
std::optional<std::vector<std::uint32_t>> sizes_of(hid_t dataset, const Schema& schema,
                                                   const Netcdf4File& file, std::size_t field, Index step) {
  const ChunkedLayout layout = layout_of(schema, file.storage, static_cast<int>(field));
  const Index most = chunk_of(schema, file.storage, field).size_bytes();
  std::vector<std::uint32_t> sizes;
  for (Index chunk = 0; chunk < layout.num_chunks(); ++chunk) {
    const auto index = index_of_chunk(schema, schema.fields()[field], layout, chunk, step);
    hsize_t n_bytes = 0;
    const herr_t result = H5Dget_chunk_storage_size(dataset, index.data(), &n_bytes);
    if (result < 0 || n_bytes == 0 || n_bytes > static_cast<hsize_t>(most)) return std::nullopt;
    sizes.push_back(static_cast<std::uint32_t>(n_bytes));
  }
  return sizes;
}

/// The sizes of all steps of a file, [step]. Nothing as for one step, or if the library cannot read the file.
std::optional<std::vector<ChunkSizes>> read_sizes(const File& stored, Index file_bytes, const Schema& schema,
                                                  const Netcdf4File& file, Index num_steps) {
  const std::size_t num_fields = schema.fields().size();
  std::vector<ChunkSizes> sizes(static_cast<std::size_t>(num_steps), ChunkSizes(num_fields));
  bool is_known = true;
  Overlay overlay(&stored, file_bytes);
  const Status read = run_session(overlay, Access::kRead, [&](VirtualFile& virtual_file) {
    for (std::size_t f = 0; f < num_fields; ++f) {
      if (!file.storage.is_compressed(f)) continue;
      const Handle dataset = open_dataset(virtual_file.id, file.model.header, file.variable_of(f));
      for (Index step = 0; step < num_steps && is_known; ++step) {
        if (!fields_due(schema, step)[f]) continue;
        auto found = sizes_of(dataset, schema, file, f, step);
        is_known = found.has_value();
        if (found) sizes[static_cast<std::size_t>(step)][f] = std::move(*found);
      }
    }
    return Status();
  });
  if (!read.ok() || !is_known) return std::nullopt;
  return sizes;
}

}  // namespace

Result<std::vector<Index>> add_step(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                                    const NewStep& step) {
  std::vector<Index> places;
  ESKER_RETURN_IF_ERROR(run_session(overlay, Access::kWrite, [&](VirtualFile& virtual_file) {
    return StepAddition(virtual_file, schema, file, step).run(places);
  }));
  return places;
}

Status cut_steps(Overlay& overlay, const Schema& schema, const Netcdf4File& file, Index num_steps) {
  const netcdf::Header& header = file.model.header;
  return run_session(overlay, Access::kWrite, [&](VirtualFile& virtual_file) {
    for (const netcdf::Variable& variable : header.variables) {
      if (!header.is_record(variable)) continue;
      extend(open_dataset(virtual_file.id, header, variable), header, variable, num_steps);
    }
    for (std::size_t f = 0; f < schema.fields().size() && num_steps == 0; ++f) {
      if (!schema.fields()[f].fixed || is_contiguous(schema, file.storage, f)) continue;
      free_chunks(open_dataset(virtual_file.id, header, file.variable_of(f)), header, file.variable_of(f));
    }
    if (file.model.time_variable < 0) write_num_steps(virtual_file.id, num_steps);
    return Status();
  });
}

Result<std::optional<Change>> remake(const File& stored, Index file_bytes, const Schema& schema,
                                     const Netcdf4File& file, const std::vector<double>& times,
                                     Index num_steps) {
  const auto all_steps = static_cast<Index>(times.size());
  std::optional<std::vector<ChunkSizes>> sizes{std::vector<ChunkSizes>(times.size())};
  if (has_compressed(file.storage)) sizes = read_sizes(stored, file_bytes, schema, file, all_steps);
  if (!sizes) return std::optional<Change>();
  Overlay overlay(nullptr, 0);
  ESKER_RETURN_IF_ERROR(create(overlay, schema, file));
  std::optional<Change> wanted;
  for (Index step = 0; step <= all_steps; ++step) {
    if (step == num_steps) wanted = overlay.change();
    if (step == all_steps) break;
    const auto s = static_cast<std::size_t>(step);
    ESKER_RETURN_IF_ERROR(
        add_step(overlay, schema, file, {step, times[s], fields_due(schema, step), (*sizes)[s]}).status());
  }
  const Change all = overlay.change();
  if (all.file_bytes != file_bytes) return std::optional<Change>();
  ESKER_ASSIGN_OR_RETURN(const Change found, inverse_of(all, stored, file_bytes));
  return found.ranges == all.ranges ? wanted : std::nullopt;
}

}  // namespace esker::hdf5
