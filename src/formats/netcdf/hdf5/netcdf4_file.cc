#include "formats/netcdf/hdf5/netcdf4_file.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"
#include "layout/chunk_choice.h"

namespace esker::hdf5 {
namespace {

constexpr Index kPieceBytes = Index{1} << 20;  // of a chunk, for one aggregator
constexpr hsize_t kTimesPerChunk = 512;

const Grid& grid_of(const Schema& schema, const Field& field) {
  return schema.grids()[static_cast<std::size_t>(field.grid)];
}

const netcdf::Variable& variable_of(const Netcdf4File& file, std::size_t field) {
  return file.model.header.variables[static_cast<std::size_t>(file.model.variable_of_field[field])];
}

Index stored_bytes(const Schema& schema, std::size_t field) {
  const Field& of = schema.fields()[field];
  return schema.box_of(grid_of(schema, of)).num_samples() * of.sample_bytes();
}

// ---- requested storage ----

/// Samples of a chunk per axis, not limited by the grid.
Result<Point> extents_of_chunk(const Schema& schema, std::size_t field, const ChunkOptions& options) {
  const Field& of = schema.fields()[field];
  const Box box = schema.box_of(grid_of(schema, of));
  if (field < options.boxes.size() && options.boxes[field][0] > 0) return options.boxes[field];
  if (options.extents.empty()) return choose_chunk(box, of.sample_bytes());
  if (static_cast<int>(options.extents.size()) < box.rank) {
    return error(Code::kInvalidArgument, "field '{}' has {} axes, but the option chunks has {} extents",
                 of.name, box.rank, options.extents.size());
  }
  Point extents{};
  std::copy(options.extents.begin(), options.extents.end(), extents.begin());
  return extents;
}

Result<ChunkedLayout::Shape> shape_of(const Schema& schema, std::size_t field, const ChunkOptions& options) {
  const Field& of = schema.fields()[field];
  const Box box = schema.box_of(grid_of(schema, of));
  ESKER_ASSIGN_OR_RETURN(const Point extents, extents_of_chunk(schema, field, options));
  ChunkedLayout::Shape shape{{1, 1, 1, 1, 1}, options.chunk_alignment_bytes};
  std::optional<Index> bytes = of.sample_bytes();
  for (int a = 0; a < box.rank; ++a) {
    shape.chunk[a] = std::min(extents[a], box.hi[a]);
    if (bytes) bytes = checked_mul(*bytes, shape.chunk[a]);
  }
  if (of.fixed || (bytes && *bytes <= std::numeric_limits<std::uint32_t>::max())) return shape;
  return error(
      Code::kInvalidArgument,
      "field '{}': HDF5 does not support chunks of 4 GiB or more; set the option chunks to smaller extents",
      of.name);
}

/// A dimension and a variable of the same name are one dataset.
Status check_names(const netcdf::Header& header) {
  for (std::size_t dim = 0; dim < header.dims.size(); ++dim) {
    const auto& name = header.dims[dim].name;
    const bool is_taken =
        std::any_of(header.variables.begin(), header.variables.end(),
                    [&](const netcdf::Variable& variable) { return variable.name == name; });
    if (!is_taken || variable_of_dimension(header, static_cast<int>(dim))) continue;
    return error(Code::kInvalidArgument,
                 "field '{}' has the name of a dimension that it is not defined on, which NetCDF-4 files do "
                 "not support; rename the field",
                 name);
  }
  return {};
}

// ---- variables ----

std::vector<hsize_t> extents_of(const netcdf::Header& header, const netcdf::Variable& variable) {
  std::vector<hsize_t> extents;
  for (const int dim : variable.dims) {
    extents.push_back(static_cast<hsize_t>(header.dims[static_cast<std::size_t>(dim)].length));
  }
  return extents;
}

/// Extents at a step: of a field, or of the time variable.
std::vector<hsize_t> chunk_of(const Schema& schema, const Netcdf4File& file, int variable) {
  if (variable == file.model.time_variable) return {kTimesPerChunk};
  const auto& fields = file.model.variable_of_field;
  const auto f = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), variable) - fields.begin());
  const Field& field = schema.fields()[f];
  std::vector<hsize_t> chunk{1};
  const Grid& grid = grid_of(schema, field);
  for (int a = schema.has_no_axes(grid) ? 0 : schema.rank_of(grid); a-- > 0;) {
    chunk.push_back(static_cast<hsize_t>(file.storage.chunks[f].chunk[a]));
  }
  if (field.components > 1) chunk.push_back(static_cast<hsize_t>(field.components));
  return chunk;
}

/// Like netCDF's, without times.
Handle creation_list(const netcdf::Variable& variable) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE), "property list");
  checked(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "attributes");
  checked(H5Pset_obj_track_times(list, false), "times");
  const auto fill = netcdf::fill_value(variable);
  checked(H5Pset_fill_value(list, big_endian_type(variable.type), fill.data()), "fill value");
  return list;
}

Handle create_dataset(hid_t file, const netcdf::Variable& variable, hid_t space, hid_t list) {
  return {H5Dcreate2(file, variable.name.c_str(), stored_type(variable.type), space, H5P_DEFAULT, list,
                     H5P_DEFAULT),
          variable.name.c_str()};
}

Handle create_record_variable(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable,
                              const std::vector<hsize_t>& chunk) {
  std::vector<hsize_t> extents = extents_of(header, variable), most = extents;
  most[0] = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), most.data()),
                     "extents");
  const Handle list = creation_list(variable);
  checked(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "chunk");
  return create_dataset(file, variable, space, list);
}

/// Its data are allocated from the beginning, so that fill values are never needed; the writer of the data
/// knows the offset. Coordinates are written through the library.
Handle create_fixed_variable(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable,
                             bool is_field) {
  const std::vector<hsize_t> extents = extents_of(header, variable);
  const Handle space(extents.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     "extents");
  const Handle list = creation_list(variable);
  if (is_field) {
    checked(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), "allocation");
    checked(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "fill value");
  }
  return create_dataset(file, variable, space, list);
}

/// Creates the variables of a file in their order.
class Definition {
 public:
  Definition(VirtualFile& file, const Schema& schema, const Netcdf4File& of)
      : file_(file), schema_(schema), of_(of), header_(of.model.header) {}

  Status run() {
    for (const netcdf::Attribute& attribute : header_.attributes) write_attribute(file_.id, attribute);
    write_properties(file_.id);
    write_storage();
    next_fixed_ = file_.reserve(fixed_bytes(), of_.storage.alignment_bytes);
    for (std::size_t dim = 0; dim < header_.dims.size(); ++dim) {
      if (!variable_of_dimension(header_, static_cast<int>(dim))) {
        create_bare_dimension(file_.id, header_, static_cast<int>(dim));
      }
    }
    for (std::size_t v = 0; v < header_.variables.size(); ++v) {
      ESKER_RETURN_IF_ERROR(define(static_cast<int>(v)));
    }
    link_dimensions(file_.id, header_);
    return {};
  }

 private:
  /// For appending: properties that the layout of variables does not show.
  void write_storage() {
    const ChunkedLayout::Shape none;
    const Index of_chunks =
        of_.storage.chunks.empty() ? none.alignment_bytes : of_.storage.chunks[0].alignment_bytes;
    std::vector<int> values{static_cast<int>(of_.storage.alignment_bytes), static_cast<int>(of_chunks)};
    if (of_.model.time_variable < 0) values.push_back(0);
    write_ints(file_.id, kStorageAttribute, values);
  }

  [[nodiscard]] Index fixed_bytes() const {
    Index bytes = 0;
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      if (schema_.fields()[f].fixed) bytes += room_of_fixed(f);
    }
    return bytes;
  }
  [[nodiscard]] Index room_of_fixed(std::size_t field) const {
    return round_up(stored_bytes(schema_, field), of_.storage.alignment_bytes);
  }

  Status define(int number) {
    const netcdf::Variable& variable = header_.variables[static_cast<std::size_t>(number)];
    const auto& fields = of_.model.variable_of_field;
    const auto field = std::find(fields.begin(), fields.end(), number);
    const bool is_field = field != fields.end();
    const bool is_record = header_.is_record(variable);
    if (is_field && !is_record) {
      const auto f = static_cast<std::size_t>(field - fields.begin());
      file_.place_next(next_fixed_, stored_bytes(schema_, f));
      next_fixed_ += room_of_fixed(f);
    }
    const Handle dataset =
        is_record ? create_record_variable(file_.id, header_, variable, chunk_of(schema_, of_, number))
                  : create_fixed_variable(file_.id, header_, variable, is_field);
    if (!file_.is_placed()) {
      return error(Code::kInternal, "HDF5 has not allocated space for '{}'", variable.name);
    }
    mark_scale(dataset, header_, variable);
    for (const netcdf::Attribute& attribute : variable.attributes) write_attribute(dataset, attribute);
    write_dimension_numbers(dataset, variable);
    write_values(dataset, number);
    return {};
  }

  /// Of coordinates and scalars.
  void write_values(hid_t dataset, int number) {
    const netcdf::Variable& variable = header_.variables[static_cast<std::size_t>(number)];
    const auto write = [&](const std::vector<std::byte>& values) {
      checked(H5Dwrite(dataset, big_endian_type(variable.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
              variable.name.c_str());
    };
    for (const auto& coordinate : of_.model.coordinates) {
      if (coordinate.variable != number) continue;
      const Grid& grid = schema_.grids()[static_cast<std::size_t>(coordinate.grid)];
      write(netcdf::to_bytes(netcdf::coordinates_of(grid, coordinate.dim)));
    }
    for (std::size_t s = 0; s < of_.model.variable_of_scalar.size(); ++s) {
      if (of_.model.variable_of_scalar[s] != number) continue;
      auto value = netcdf::to_attribute("", schema_.scalars()[s].value).values;
      if (value.empty()) value.push_back(std::byte{0});  // of an empty text
      write(value);
    }
  }

  VirtualFile& file_;
  const Schema& schema_;
  const Netcdf4File& of_;
  const netcdf::Header& header_;
  Index next_fixed_ = 0;
};

// ---- steps ----

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

/// Chunks get their offsets in the metadata as if they were written. The memory is never read, so none is
/// allocated.
class ChunkPlacer {
 public:
  ChunkPlacer(VirtualFile& file, const ChunkedLayout& layout, Index chunk_bytes)
      : file_(file),
        layout_(layout),
        chunk_bytes_(chunk_bytes),
        memory_(std::calloc(1, static_cast<std::size_t>(chunk_bytes))) {
    if (!memory_) throw std::bad_alloc();
  }

  /// `num_axes` of the variable, without those of the steps and the components.
  Status place_all(hid_t dataset, Index step, Index first_byte, int num_axes, bool has_components) {
    for (Index chunk = 0; chunk < layout_.num_chunks(); ++chunk) {
      const Point origin = layout_.chunk_origin(chunk);
      std::vector<hsize_t> at{static_cast<hsize_t>(step)};
      for (int a = num_axes; a-- > 0;) at.push_back(static_cast<hsize_t>(origin[a]));
      if (has_components) at.push_back(0);
      file_.place_next(first_byte + chunk * layout_.chunk_stride_bytes(), chunk_bytes_);
      checked(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at.data(), static_cast<std::size_t>(chunk_bytes_),
                             memory_.get()),
              "chunk");
      if (!file_.is_placed()) return error(Code::kInternal, "HDF5 has not allocated space for a chunk");
    }
    return {};
  }

 private:
  VirtualFile& file_;
  const ChunkedLayout& layout_;
  Index chunk_bytes_;
  std::unique_ptr<void, Freed> memory_;
};

Index chunk_bytes_of(const Schema& schema, const Storage& storage, std::size_t field) {
  Index bytes = schema.fields()[field].sample_bytes();
  for (const Index extent : storage.chunks[field].chunk) bytes *= extent;
  return bytes;
}

void extend(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable,
            Index num_records) {
  std::vector<hsize_t> extents = extents_of(header, variable);
  extents[0] = static_cast<hsize_t>(num_records);
  checked(H5Dset_extent(dataset, extents.data()), variable.name.c_str());
}

Handle open_dataset(hid_t file, const netcdf::Variable& variable) {
  return {H5Dopen2(file, variable.name.c_str(), H5P_DEFAULT), variable.name.c_str()};
}

/// In a file without times.
void write_num_steps(hid_t file, Index num_steps) {
  std::vector<int> storage = read_ints(file, kStorageAttribute);
  storage.at(2) = static_cast<int>(num_steps);
  overwrite_ints(file, kStorageAttribute, storage);
}

class StepAddition {
 public:
  StepAddition(VirtualFile& file, const Schema& schema, const Netcdf4File& of, Index step)
      : file_(file), schema_(schema), of_(of), step_(step) {}

  Status run(double time, const std::vector<bool>& present, std::vector<Index>& places) {
    reserve(present);
    places.assign(present.size(), 0);
    for (std::size_t f = 0; f < present.size(); ++f) {
      const netcdf::Variable& variable = variable_of(of_, f);
      const bool fixed = schema_.fields()[f].fixed;
      if (fixed && !present[f]) continue;
      const Handle dataset = open_dataset(file_.id, variable);
      if (fixed) {
        places[f] = static_cast<Index>(H5Dget_offset(dataset));
        continue;
      }
      extend(dataset, of_.model.header, variable, step_ + 1);
      if (present[f]) ESKER_RETURN_IF_ERROR(place(dataset, f, places[f]));
    }
    of_.model.time_variable < 0 ? write_num_steps(file_.id, step_ + 1) : write_time(time);
    return {};
  }

 private:
  [[nodiscard]] Index room_of(std::size_t field) const {
    const Index bytes = layout_of(schema_, of_.storage, static_cast<int>(field)).stored_bytes();
    return round_up(bytes, of_.storage.alignment_bytes);
  }

  void reserve(const std::vector<bool>& present) {
    Index bytes = 0;
    for (std::size_t f = 0; f < present.size(); ++f) {
      if (present[f] && !schema_.fields()[f].fixed) bytes += room_of(f);
    }
    if (bytes > 0) next_ = file_.reserve(bytes, of_.storage.alignment_bytes);
  }

  Status place(hid_t dataset, std::size_t field, Index& place) {
    place = next_;
    next_ += room_of(field);
    const ChunkedLayout layout = layout_of(schema_, of_.storage, static_cast<int>(field));
    ChunkPlacer placer(file_, layout, chunk_bytes_of(schema_, of_.storage, field));
    const Grid& grid = grid_of(schema_, schema_.fields()[field]);
    const int num_axes = schema_.has_no_axes(grid) ? 0 : schema_.rank_of(grid);
    return placer.place_all(dataset, step_, place, num_axes, schema_.fields()[field].components > 1);
  }

  void write_time(double time) {
    const netcdf::Header& header = of_.model.header;
    const auto& variable = header.variables[static_cast<std::size_t>(of_.model.time_variable)];
    const Handle dataset = open_dataset(file_.id, variable);
    extend(dataset, header, variable, step_ + 1);
    const Handle all(H5Dget_space(dataset), "time");
    const auto at = static_cast<hsize_t>(step_);
    const hsize_t one = 1;
    checked(H5Sselect_hyperslab(all, H5S_SELECT_SET, &at, nullptr, &one, nullptr), "time");
    const Handle value(H5Screate_simple(1, &one, nullptr), "time");
    checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, value, all, H5P_DEFAULT, &time), "time");
  }

  VirtualFile& file_;
  const Schema& schema_;
  const Netcdf4File& of_;
  Index step_;
  Index next_ = 0;
};

}  // namespace

Result<Netcdf4File> describe_file(const Schema& schema, const ChunkOptions& options) {
  Netcdf4File file;
  ESKER_ASSIGN_OR_RETURN(file.model, netcdf::describe_file(schema));
  file.model.header.version = netcdf::Version::kData64;  // HDF5 has all its types
  ESKER_RETURN_IF_ERROR(netcdf::check_structure(file.model.header));
  ESKER_RETURN_IF_ERROR(check_names(file.model.header));
  file.storage.alignment_bytes = options.alignment_bytes;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    ESKER_ASSIGN_OR_RETURN(const auto shape, shape_of(schema, f, options));
    file.storage.chunks.push_back(shape);
  }
  return file;
}

// A fixed field is one chunk.
ChunkedLayout layout_of(const Schema& schema, const Storage& storage, int field, int dense_axis) {
  const Field& of = schema.fields()[static_cast<std::size_t>(field)];
  const Box box = schema.box_of(grid_of(schema, of));
  const ChunkedLayout::Shape& shape =
      of.fixed ? ChunkedLayout::Shape{box.hi} : storage.chunks[static_cast<std::size_t>(field)];
  return {box.rank, box.hi, of.sample_bytes(), shape, 0, {within_a_call(kPieceBytes), dense_axis}};
}

Status create(Overlay& overlay, const Schema& schema, const Netcdf4File& file) {
  return run_session(overlay, Access::kCreate,
                     [&](VirtualFile& virtual_file) { return Definition(virtual_file, schema, file).run(); });
}

Result<std::vector<Index>> add_step(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                                    Index step, double time, const std::vector<bool>& present) {
  std::vector<Index> places;
  ESKER_RETURN_IF_ERROR(run_session(overlay, Access::kWrite, [&](VirtualFile& virtual_file) {
    return StepAddition(virtual_file, schema, file, step).run(time, present, places);
  }));
  return places;
}

Status cut_steps(Overlay& overlay, const Netcdf4File& file, Index num_steps) {
  const netcdf::Header& header = file.model.header;
  return run_session(overlay, Access::kWrite, [&](VirtualFile& virtual_file) {
    for (const netcdf::Variable& variable : header.variables) {
      if (!header.is_record(variable)) continue;
      extend(open_dataset(virtual_file.id, variable), header, variable, num_steps);
    }
    if (file.model.time_variable < 0) write_num_steps(virtual_file.id, num_steps);
    return Status();
  });
}

Result<std::optional<Change>> remake(const File& stored, Index file_bytes, const Schema& schema,
                                     const Netcdf4File& file, const std::vector<double>& times,
                                     Index num_steps) {
  Overlay overlay(nullptr, 0);
  ESKER_RETURN_IF_ERROR(create(overlay, schema, file));
  std::optional<Change> wanted;
  for (Index step = 0; step <= static_cast<Index>(times.size()); ++step) {
    if (step == num_steps) wanted = overlay.change();
    if (step == static_cast<Index>(times.size())) break;
    std::vector<bool> present;
    for (const Field& field : schema.fields()) {
      present.push_back(field.fixed ? step == 0 : step % field.every == 0);
    }
    const double time = times[static_cast<std::size_t>(step)];
    ESKER_RETURN_IF_ERROR(add_step(overlay, schema, file, step, time, present).status());
  }
  const Change all = overlay.change();
  if (all.file_bytes != file_bytes) return std::optional<Change>();
  ESKER_ASSIGN_OR_RETURN(const Change found, inverse_of(all, stored, file_bytes));
  return found.ranges == all.ranges ? wanted : std::nullopt;
}

}  // namespace esker::hdf5
