#include "formats/netcdf/hdf5/netcdf4_file.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/filters.h"
#include "formats/netcdf/hdf5/parts.h"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"
#include "model/field_facts.h"

namespace esker::hdf5 {
namespace {

constexpr hsize_t kTimesPerChunk = 512;

Index stored_bytes(const Schema& schema, std::size_t field) {
  const Field& of = schema.fields()[field];
  return schema.box_of(schema.grid_of(of)).num_samples() * of.sample_bytes();
}

void add_quantization(Netcdf4File& file) {
  for (std::size_t f = 0; f < file.storage.codecs.size(); ++f) {
    const CodecSpec& codec = file.storage.codecs[f];
    if (codec.kind != CodecKind::kBitRound) continue;
    const auto number = static_cast<std::size_t>(file.model.variable_of_field[f]);
    netcdf::note_kept_bits(file.model.header.variables[number].attributes, codec.kept_bits);
  }
}

// ---- variables ----

/// Extents of the chunks of a field's variable: of one step, unless the field is fixed.
std::vector<hsize_t> extents_of_chunk(const Schema& schema, const Storage& storage, std::size_t f) {
  const Field& field = schema.fields()[f];
  std::vector<hsize_t> chunk;
  if (!field.fixed) chunk.push_back(1);
  for (int a = num_axes(schema, field); a-- > 0;) {
    chunk.push_back(static_cast<hsize_t>(storage.chunks[f].chunk[a]));
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

Handle create_dataset(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable, hid_t space,
                      hid_t list) {
  return {H5Dcreate2(file, path_of(header, variable).c_str(), stored_type(variable.type), space, H5P_DEFAULT,
                     list, H5P_DEFAULT),
          variable.name.c_str()};
}

Handle create_chunked_variable(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable,
                               const std::vector<hsize_t>& chunk, const std::vector<Filter>& filters) {
  std::vector<hsize_t> extents = extents_of(header, variable), most = extents;
  if (header.is_record(variable)) most[0] = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), most.data()),
                     "extents");
  const Handle list = creation_list(variable);
  checked(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "chunk");
  set_filters(list, filters);
  return create_dataset(file, header, variable, space, list);
}

/// Its data are allocated from the beginning, so that fill values are never needed; the writer of the data
/// knows the offset. Coordinates are written through the library.
Handle create_contiguous_variable(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable,
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
  return create_dataset(file, header, variable, space, list);
}

/// The extents of a box, in the order of a variable's axes: `axes` of the box, slowest first, between those
/// of `like` for steps and components.
std::vector<hsize_t> on_axes(const std::vector<hsize_t>& like, bool has_steps, int axes,
                             const Point& of_box) {
  std::vector<hsize_t> values = like;
  const std::size_t before = has_steps ? 1 : 0;
  for (int a = 0; a < axes; ++a) {
    values[before + static_cast<std::size_t>(axes - 1 - a)] = static_cast<hsize_t>(of_box[a]);
  }
  return values;
}

/// The variable of a field whose samples at all steps are in other files. The mapping has exactly the steps
/// of the virtual file: with an unlimited one, HDF5 would show the steps of the part that has the most.
Handle create_virtual_variable(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable,
                               int axes, const std::vector<PartOfField>& parts, Index num_steps) {
  std::vector<hsize_t> extents = extents_of(header, variable), most = extents;
  const bool has_steps = header.is_record(variable);
  if (has_steps) {
    extents[0] = static_cast<hsize_t>(num_steps);
    most[0] = H5S_UNLIMITED;
  }
  const auto rank = static_cast<int>(extents.size());
  const Handle space(H5Screate_simple(rank, extents.data(), most.data()), "extents");
  const Handle list = creation_list(variable);
  checked(H5Pset_layout(list, H5D_VIRTUAL), "virtual dataset");
  const std::vector<hsize_t> origin(extents.size(), 0), ones(extents.size(), 1);
  for (const PartOfField& part : parts) {
    if (has_steps && num_steps == 0) break;
    const std::vector<hsize_t> there = on_axes(extents, has_steps, axes, part.box.extents());
    const std::vector<hsize_t> start = on_axes(origin, has_steps, axes, part.box.lo);
    checked(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, ones.data(), there.data()),
            "box of a part");
    const Handle source(H5Screate_simple(rank, there.data(), nullptr), "extents of a part");
    checked(H5Pset_virtual(list, space, part.file.c_str(), path_of(header, variable).c_str(), source),
            "virtual dataset");
  }
  checked(H5Sselect_all(space), "extents");
  return create_dataset(file, header, variable, space, list);
}

/// Creates the variables of a file in their order.
class Definition {
 public:
  /// `elsewhere`: null, or what makes it a virtual file.
  Definition(VirtualFile& file, const Schema& schema, const Netcdf4File& of,
             const VirtualContents* elsewhere = nullptr)
      : file_(file), schema_(schema), of_(of), elsewhere_(elsewhere), header_(of.model.header) {}

  Status run() {
    for (const netcdf::Attribute& attribute : header_.attributes) write_attribute(file_.id, attribute);
    write_properties(file_.id);
    write_storage();
    write_note();
    if (elsewhere_) {
      write_text(file_.id, kPartsAttribute, elsewhere_->parts);
    } else {
      next_fixed_ = file_.reserve(fixed_bytes(), of_.storage.alignment_bytes);
    }
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
    const Index of_chunks = of_.storage.chunks.empty() ? 1 : of_.storage.chunk_alignment_bytes;
    std::vector<int> values{static_cast<int>(of_.storage.alignment_bytes), static_cast<int>(of_chunks)};
    if (of_.model.time_variable < 0)
      values.push_back(elsewhere_ ? static_cast<int>(elsewhere_->times.size()) : 0);
    write_ints(file_.id, kStorageAttribute, values);
  }

  /// For users: what they need to read the values.
  void write_note() {
    std::set<std::string> needed;
    for (const CodecSpec& codec : of_.storage.codecs) needed.insert(note_of(codec));
    needed.erase("");
    if (needed.empty()) return;
    std::string note = "Some variables are stored with";
    for (const std::string& filter : needed) note += (filter == *needed.begin() ? " " : " or ") + filter;
    write_text(file_.id, kFiltersAttribute,
               note + ". Programs other than Esker need its plug-in (hdf5plugin).");
  }

  [[nodiscard]] Index fixed_bytes() const {
    Index bytes = 0;
    for (std::size_t f = 0; f < schema_.fields().size(); ++f) {
      if (is_contiguous(schema_, of_.storage, f)) bytes += room_of_fixed(f);
    }
    return bytes;
  }
  [[nodiscard]] Index room_of_fixed(std::size_t field) const {
    return round_up(stored_bytes(schema_, field), of_.storage.alignment_bytes);
  }

  Handle create_variable(int number) {
    const netcdf::Variable& variable = header_.variables[static_cast<std::size_t>(number)];
    const auto& fields = of_.model.variable_of_field;
    const auto field = std::find(fields.begin(), fields.end(), number);
    if (number == of_.model.time_variable) {
      return create_chunked_variable(file_.id, header_, variable, {kTimesPerChunk}, {});
    }
    if (field == fields.end()) return create_contiguous_variable(file_.id, header_, variable, false);
    const auto f = static_cast<std::size_t>(field - fields.begin());
    if (elsewhere_) {
      return create_virtual_variable(file_.id, header_, variable, num_axes(schema_, schema_.fields()[f]),
                                     elsewhere_->of_field[f], std::ssize(elsewhere_->times));
    }
    if (!is_contiguous(schema_, of_.storage, f)) {
      const auto filters = filters_of(of_.storage.codecs[f], chunk_of(schema_, of_.storage, f));
      return create_chunked_variable(file_.id, header_, variable, extents_of_chunk(schema_, of_.storage, f),
                                     filters);
    }
    file_.place_next(next_fixed_, stored_bytes(schema_, f));
    next_fixed_ += room_of_fixed(f);
    return create_contiguous_variable(file_.id, header_, variable, true);
  }

  Status define(int number) {
    const netcdf::Variable& variable = header_.variables[static_cast<std::size_t>(number)];
    const Handle dataset = create_variable(number);
    if (!file_.is_placed()) {
      return error(Code::kInternal, "HDF5 has not allocated space for '{}'", variable.name);
    }
    mark_scale(dataset, header_, variable);
    for (const netcdf::Attribute& attribute : variable.attributes) write_attribute(dataset, attribute);
    write_dimension_numbers(dataset, variable);
    write_values(dataset, number);
    return {};
  }

  /// Of all steps.
  void write_times(hid_t dataset) {
    const hsize_t n = elsewhere_->times.size();
    if (n == 0) return;
    checked(H5Dset_extent(dataset, &n), "time");
    checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, elsewhere_->times.data()),
            "time");
  }

  /// Of coordinates, scalars and times.
  void write_values(hid_t dataset, int number) {
    const netcdf::Variable& variable = header_.variables[static_cast<std::size_t>(number)];
    if (number == of_.model.time_variable && elsewhere_) write_times(dataset);
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
  const VirtualContents* elsewhere_;
  const netcdf::Header& header_;
  Index next_fixed_ = 0;
};

}  // namespace

Result<Netcdf4File> describe_file(const Schema& schema, const ChunkOptions& options) {
  Netcdf4File file;
  ESKER_ASSIGN_OR_RETURN(file.model, netcdf::describe_file(schema));
  file.model.header.version = netcdf::Version::kData64;  // HDF5 has all its types
  ESKER_RETURN_IF_ERROR(netcdf::check_structure(file.model.header));
  ESKER_ASSIGN_OR_RETURN(file.storage, choose_storage(schema, options));
  add_quantization(file);
  return file;
}

Status create(Overlay& overlay, const Schema& schema, const Netcdf4File& file) {
  return run_session(overlay, Access::kCreate,
                     [&](VirtualFile& virtual_file) { return Definition(virtual_file, schema, file).run(); });
}

Status create_virtual(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                      const VirtualContents& contents) {
  return run_session(overlay, Access::kCreateVirtual, [&](VirtualFile& virtual_file) {
    return Definition(virtual_file, schema, file, &contents).run();
  });
}

}  // namespace esker::hdf5
