#include "formats/vtkhdf/step_file.h"

#include <array>
#include <span>
#include <string>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/hdf5/datasets.h"
#include "formats/netcdf/hdf5/session.h"
#include "formats/netcdf/hdf5/slab.h"
#include "formats/netcdf/model/values.h"
#include "formats/vtkhdf/run_sums.h"
#include "grid/num_samples.h"
#include "model/level_fields.h"
#include "model/patch_cover.h"

namespace esker::vtkhdf {
namespace {

using hdf5::checked;
using hdf5::Handle;
using hdf5::VirtualFile;

constexpr int kAxes = 3;
constexpr const char *kRoot = "VTKHDF", *kBoxes = "AMRBox";
constexpr const char *kOurs = "esker", *kSums = "esker/sums", *kRunBytesName = "run_bytes";

const Grid& grid_of(const Schema& schema) { return schema.grid_of(schema.fields().front()); }

const char* group_of_samples(const Mesh& mesh) {
  return mesh.centering == Centering::kNodes ? "PointData" : "CellData";
}

std::string path_of(const Mesh& mesh, int level, const std::string& field) {
  return fmt::format("{}/Level{}/{}/{}", kRoot, level, group_of_samples(mesh), field);
}

Index num_samples(std::span<const MeshBox> patches) {
  Index samples = 0;
  for (const MeshBox& patch : patches) samples += patch.box.num_samples();
  return samples;
}

// ---- boxes: first and last cell on x, y, z ----

using CellBox = std::array<Index, 2 * kAxes>;

/// The last cell of a box of nodes is the one before its last node.
Index nodes_beyond(const Mesh& mesh) { return mesh.centering == Centering::kNodes ? 1 : 0; }

CellBox to_cells(const Mesh& mesh, const Box& box) {
  CellBox cells{};
  for (int a = 0; a < box.rank; ++a) {
    cells[static_cast<std::size_t>(2 * a)] = box.lo[a];
    cells[static_cast<std::size_t>(2 * a + 1)] = box.hi[a] - 1 - nodes_beyond(mesh);
  }
  return cells;
}

/// Nothing if the numbers are not those of a box.
std::optional<Box> from_cells(const Mesh& mesh, const CellBox& cells) {
  Box box = Box::from_extent(mesh.rank(), {1, 1, 1, 1, 1});
  for (int a = 0; a < mesh.rank(); ++a) {
    const auto end = checked_add(cells[static_cast<std::size_t>(2 * a + 1)], 1 + nodes_beyond(mesh));
    if (!end) return std::nullopt;
    box.lo[a] = cells[static_cast<std::size_t>(2 * a)];
    box.hi[a] = *end;
    if (box.lo[a] < 0 || box.hi[a] <= box.lo[a]) return std::nullopt;
  }
  return box;
}

// ---- writing ----

Handle property_list(hid_t of_class) {
  Handle list(H5Pcreate(of_class), "property list");
  checked(H5Pset_obj_track_times(list, false), "times");
  return list;
}

Handle extents(std::span<const hsize_t> of) {
  return {H5Screate_simple(static_cast<int>(of.size()), of.data(), nullptr), "extents"};
}

template <class T>
void write_numbers(hid_t object, const char* name, hid_t type, std::span<const T> values) {
  const hsize_t extent = values.size();
  const Handle space = extents({&extent, 1});
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), name);
  checked(H5Awrite(attribute, type, values.data()), name);
}

/// Without a final NUL, which VTK 9.2 would compare, too.
void write_unterminated(hid_t object, const char* name, const std::string& text) {
  hdf5::write_attribute(object, netcdf::to_attribute(name, text));
}

/// Of the extents of cells, or of coordinates: 3 numbers.
std::array<double, kAxes> three(const Mesh& mesh, const std::array<double, kMaxRank>& values, double other) {
  std::array<double, kAxes> all{other, other, other};
  for (int a = 0; a < mesh.rank(); ++a)
    all[static_cast<std::size_t>(a)] = values[static_cast<std::size_t>(a)];
  return all;
}

Handle make_group(hid_t in, const std::string& name) {
  const Handle list = property_list(H5P_GROUP_CREATE);
  return {H5Gcreate2(in, name.c_str(), H5P_DEFAULT, list, H5P_DEFAULT), name.c_str()};
}

void write_boxes(hid_t level, const Mesh& mesh, std::span<const MeshBox> patches) {
  std::vector<CellBox> boxes;
  for (const MeshBox& patch : patches) boxes.push_back(to_cells(mesh, patch.box));
  const std::array<hsize_t, 2> shape{boxes.size(), 2 * kAxes};
  const Handle space = extents(shape);
  const Handle list = property_list(H5P_DATASET_CREATE);
  const Handle dataset(H5Dcreate2(level, kBoxes, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                       kBoxes);
  if (boxes.empty()) return;
  checked(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, boxes.data()), kBoxes);
}

class StepMaker {
 public:
  StepMaker(VirtualFile& file, const Schema& schema, std::span<const MeshBox> patches,
            const std::vector<bool>& present, Index alignment_bytes, Index num_sums)
      : file_(file),
        schema_(schema),
        patches_(patches),
        present_(present),
        alignment_bytes_(alignment_bytes),
        num_sums_(num_sums) {}

  Status run(Places& places) {
    place(places);
    const Handle root = make_group(file_.id, kRoot);
    write_numbers<std::int64_t>(root, "Version", H5T_NATIVE_INT64, std::array<std::int64_t, 2>{1, 0});
    write_unterminated(root, "Type", "OverlappingAMR");
    write_unterminated(root, "GridDescription", "XYZ");
    const Mesh& mesh = mesh_of(schema_);
    write_numbers<double>(root, "Origin", H5T_NATIVE_DOUBLE, three(mesh, mesh.origin, 0));
    for (int level = 0; level < num_levels(); ++level) make_level(root, level);
    ESKER_RETURN_IF_ERROR(make_fields(places.offsets));
    return num_sums_ > 0 ? make_sums(places.sums) : Status();
  }

 private:
  [[nodiscard]] std::span<const MeshBox> patches_of(int level) const {
    return patches_of_level(patches_, level);
  }
  /// Finer levels without patches are left out: VTK 9.2 ends the program if it finds any.
  [[nodiscard]] int num_levels() const { return patches_.empty() ? 1 : patches_.back().level + 1; }
  [[nodiscard]] Index bytes_of(const LevelField& of) const {
    return num_samples(patches_of(of.level)) *
           schema_.fields()[static_cast<std::size_t>(of.field)].sample_bytes();
  }

  /// Where the samples go, by level, then by field, and then the checksums.
  void place(Places& places) {
    Offsets& offsets = places.offsets;
    const std::vector<LevelField> all = level_fields(schema_);
    offsets.assign(all.size(), std::nullopt);
    Index end = 0;
    for (int level = 0; level < mesh_of(schema_).num_levels(); ++level) {
      for (std::size_t n = 0; n < all.size(); ++n) {
        if (all[n].level != level || !present_[n] || bytes_of(all[n]) == 0) continue;
        offsets[n] = round_up(end, alignment_bytes_);
        end = *offsets[n] + bytes_of(all[n]);
      }
    }
    if (end == 0) return;
    places.sums = round_up(end, Index{sizeof(std::uint64_t)});
    if (num_sums_ > 0) end = places.sums + num_sums_ * Index{sizeof(std::uint64_t)};
    const Index first = file_.reserve(end, alignment_bytes_);
    for (auto& offset : offsets) {
      if (offset) *offset += first;
    }
    places.sums += first;
  }

  void make_level(hid_t root, int level) const {
    const Mesh& mesh = mesh_of(schema_);
    const Handle group = make_group(root, fmt::format("Level{}", level));
    std::array<double, kMaxRank> spacing = mesh.spacing;
    const Point refined = mesh.ratio_to_finest(0), left = mesh.ratio_to_finest(level);
    for (int a = 0; a < mesh.rank(); ++a) {
      spacing[static_cast<std::size_t>(a)] /= static_cast<double>(refined[a] / left[a]);
    }
    write_numbers<double>(group, "Spacing", H5T_NATIVE_DOUBLE, three(mesh, spacing, 1));
    write_boxes(group, mesh, patches_of(level));
    for (const char* name : {"CellData", "PointData", "FieldData"}) (void)make_group(group, name);
  }

  /// Whether the step has the field: it has patches at some level.
  [[nodiscard]] bool has(const std::vector<LevelField>& all, int field) const {
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].field == field && present_[n]) return true;
    }
    return false;
  }

  /// VTK expects the fields of level 0 at all levels of the file, also at those without patches.
  Status make_fields(const Offsets& offsets) {
    const std::vector<LevelField> all = level_fields(schema_);
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].level >= num_levels() || !has(all, all[n].field)) continue;
      const Field& field = schema_.fields()[static_cast<std::size_t>(all[n].field)];
      ESKER_RETURN_IF_ERROR(make_field(field, all[n], offsets[n]));
    }
    return {};
  }

  Status make_field(const Field& field, const LevelField& of, const std::optional<Index>& offset) {
    std::vector<hsize_t> shape{static_cast<hsize_t>(num_samples(patches_of(of.level)))};
    if (field.components > 1) shape.push_back(static_cast<hsize_t>(field.components));
    const std::string path = path_of(mesh_of(schema_), of.level, field.name);
    return make_array(path, hdf5::memory_type(field.type), shape, offset, bytes_of(of)).status();
  }

  Status make_sums(Index offset) {
    (void)make_group(file_.id, kOurs);
    const std::array<hsize_t, 1> shape{static_cast<hsize_t>(num_sums_)};
    ESKER_ASSIGN_OR_RETURN(const Handle sums, make_array(kSums, H5T_STD_U64LE, shape, offset,
                                                         num_sums_ * Index{sizeof(std::uint64_t)}));
    write_numbers<std::int64_t>(sums, kRunBytesName, H5T_NATIVE_INT64,
                                std::array<std::int64_t, 1>{kRunBytes});
    return {};
  }

  /// A dataset whose values others store; without `offset` it has none.
  Result<Handle> make_array(const std::string& path, hid_t type, std::span<const hsize_t> shape,
                            const std::optional<Index>& offset, Index bytes) {
    const Handle space = extents(shape);
    const Handle list = property_list(H5P_DATASET_CREATE);
    checked(H5Pset_layout(list, H5D_CONTIGUOUS), "storage");
    checked(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "storage");
    if (offset) {
      checked(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY), "storage");
      file_.place_next(*offset, bytes);
    }
    Handle dataset(H5Dcreate2(file_.id, path.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT),
                   path.c_str());
    if (file_.is_placed()) return dataset;
    return error(Code::kInternal, "HDF5 has not allocated space for '{}'", path);
  }

  VirtualFile& file_;
  const Schema& schema_;
  std::span<const MeshBox> patches_;
  const std::vector<bool>& present_;
  Index alignment_bytes_;
  Index num_sums_;
};

// ---- reading ----

/// A dataset with contiguous values inside the file.
struct StoredArray {
  std::vector<hsize_t> shape;
  Index offset = 0;
  Index bytes = 0;  ///< 0: no values
};

/// kDataLoss: chunked, external, or not inside the file.
Result<StoredArray> locate(hid_t dataset, const std::string& path) {
  const Handle space(H5Dget_space(dataset), path.c_str());
  const int rank = checked(H5Sget_simple_extent_ndims(space), path.c_str());
  StoredArray array;
  array.shape.resize(static_cast<std::size_t>(rank));
  if (rank > 0) checked(H5Sget_simple_extent_dims(space, array.shape.data(), nullptr), path.c_str());
  const Handle list(H5Dget_create_plist(dataset), path.c_str());
  if (H5Pget_layout(list) != H5D_CONTIGUOUS || H5Pget_external_count(list) > 0) {
    return error(Code::kDataLoss, "'{}' is not stored contiguously", path);
  }
  const hsize_t bytes = H5Dget_storage_size(dataset);
  if (bytes == 0) return array;
  const haddr_t begin = H5Dget_offset(dataset);
  if (begin == HADDR_UNDEF) return error(Code::kDataLoss, "'{}' has no values in the file", path);
  if (const std::string why = hdf5::why_outside(dataset); !why.empty()) {
    return error(Code::kDataLoss, "'{}': {}", path, why);
  }
  array.offset = static_cast<Index>(begin);
  array.bytes = static_cast<Index>(bytes);
  return array;
}

/// kDataLoss unless each part of the path is an object of this file: a link of a file from elsewhere could
/// name any local file to open.
Status check_links(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    H5L_info_t link{};
    checked(H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT), part.c_str());
    if (link.type != H5L_TYPE_HARD) return error(Code::kDataLoss, "'{}' is a link to another place", part);
    if (end == std::string::npos) return {};
  }
}

Handle open_dataset(hid_t file, const std::string& path) {
  return {H5Dopen2(file, path.c_str(), H5P_DEFAULT), path.c_str()};
}

Status read_boxes(hid_t file, const Mesh& mesh, int level, std::vector<MeshBox>& patches) {
  const std::string path = fmt::format("{}/Level{}/{}", kRoot, level, kBoxes);
  ESKER_RETURN_IF_ERROR(check_links(file, path));
  const Handle dataset = open_dataset(file, path);
  ESKER_ASSIGN_OR_RETURN(const StoredArray array, locate(dataset, path));
  const Handle type(H5Dget_type(dataset), path.c_str());
  const bool fits = array.shape.size() == 2 && array.shape[1] == 2 * kAxes &&
                    H5Tget_class(type) == H5T_INTEGER &&
                    array.shape[0] <= static_cast<hsize_t>(array.bytes) / (2 * kAxes);
  if (!fits) return error(Code::kDataLoss, "'{}': expected six integers for each patch", path);
  std::vector<CellBox> cells(static_cast<std::size_t>(array.shape[0]));
  if (!cells.empty()) {
    checked(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), path.c_str());
  }
  std::optional<Index> samples = 0;
  for (const CellBox& of_patch : cells) {
    const auto box = from_cells(mesh, of_patch);
    const auto number = std::ssize(patches);
    if (!box) return error(Code::kDataLoss, "'{}': patch {} is not a box", path, number);
    const MeshBox patch{level, *box};
    const auto of_patch_samples = checked_num_samples(*box);
    samples = samples && of_patch_samples ? checked_add(*samples, *of_patch_samples) : std::nullopt;
    if (!samples) return error(Code::kDataLoss, "'{}': more samples than 64 bits can count", path);
    if (!patches.empty() && !precedes(patches.back(), patch)) {
      return error(Code::kDataLoss, "'{}': patch {} does not follow the one before it", path, number);
    }
    patches.push_back(patch);
  }
  return {};
}

Result<std::optional<Index>> find_samples(hid_t file, const Schema& schema, const LevelField& of,
                                          std::span<const MeshBox> patches) {
  const Field& field = schema.fields()[static_cast<std::size_t>(of.field)];
  const std::string path = path_of(mesh_of(schema), of.level, field.name);
  const std::string group = path.substr(0, path.rfind('/'));
  ESKER_RETURN_IF_ERROR(check_links(file, group));
  if (checked(H5Lexists(file, path.c_str(), H5P_DEFAULT), path.c_str()) == 0) return std::optional<Index>();
  ESKER_RETURN_IF_ERROR(check_links(file, path));
  const Handle dataset = open_dataset(file, path);
  ESKER_ASSIGN_OR_RETURN(const StoredArray array, locate(dataset, path));
  const Handle type(H5Dget_type(dataset), path.c_str());
  const Index samples = num_samples(patches);
  const auto bytes = checked_mul(samples, field.sample_bytes());
  std::vector<hsize_t> shape{static_cast<hsize_t>(samples)};
  if (field.components > 1) shape.push_back(static_cast<hsize_t>(field.components));
  const bool is_as_declared = array.shape == shape && bytes && array.bytes == *bytes &&
                              H5Tequal(type, hdf5::memory_type(field.type)) > 0;
  if (is_as_declared) return patches.empty() ? std::optional<Index>() : std::optional(array.offset);
  return error(Code::kDataLoss, "'{}': expected {} samples of {} values of type {}", path, samples,
               field.components, name(field.type));
}

/// Nothing in files without checksums. kDataLoss: not as make_step_file() makes them.
Status read_sums(hid_t file, StepFile& found) {
  if (checked(H5Lexists(file, kOurs, H5P_DEFAULT), kOurs) == 0) return {};
  ESKER_RETURN_IF_ERROR(check_links(file, kSums));
  const Handle dataset = open_dataset(file, kSums);
  ESKER_ASSIGN_OR_RETURN(const StoredArray array, locate(dataset, kSums));
  const Handle type(H5Dget_type(dataset), kSums);
  const Handle attribute(H5Aopen(dataset, kRunBytesName, H5P_DEFAULT), kRunBytesName);
  const Handle single(H5Aget_space(attribute), kRunBytesName);
  std::int64_t run_bytes = 0;
  if (H5Sget_simple_extent_npoints(single) == 1) {
    checked(H5Aread(attribute, H5T_NATIVE_INT64, &run_bytes), kRunBytesName);
  }
  const bool fits = array.shape.size() == 1 && H5Tequal(type, H5T_STD_U64LE) > 0 &&
                    array.shape[0] == static_cast<hsize_t>(array.bytes) / sizeof(std::uint64_t) &&
                    kLeastRunBytes <= run_bytes && run_bytes <= kMostRunBytes;
  if (!fits) {
    return error(Code::kDataLoss, "'{}': expected checksums of 64 bits and '{}'", kSums, kRunBytesName);
  }
  found.run_bytes = run_bytes;
  found.sums.resize(static_cast<std::size_t>(array.shape[0]));
  checked(H5Dread(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, found.sums.data()), kSums);
  return {};
}

/// The number of levels in the file: those before the first that it lacks.
int count_levels(hid_t file, const Mesh& mesh) {
  int n = 0;
  while (n < mesh.num_levels()) {
    const std::string path = fmt::format("{}/Level{}", kRoot, n);
    if (checked(H5Lexists(file, path.c_str(), H5P_DEFAULT), path.c_str()) == 0) break;
    ++n;
  }
  return n;
}

Status read_contents(hid_t file, const Schema& schema, StepFile& found) {
  const Mesh& mesh = mesh_of(schema);
  const int n_levels = count_levels(file, mesh);
  if (n_levels == 0) return error(Code::kDataLoss, "'{}' has no level 0", kRoot);
  for (int level = 0; level < n_levels; ++level) {
    ESKER_RETURN_IF_ERROR(read_boxes(file, mesh, level, found.patches));
  }
  ESKER_RETURN_IF_ERROR(check_patches(mesh, found.patches));
  for (const LevelField& of : level_fields(schema)) {
    if (of.level >= n_levels) {
      found.offsets.emplace_back();
      continue;
    }
    ESKER_ASSIGN_OR_RETURN(const auto offset,
                           find_samples(file, schema, of, patches_of_level(found.patches, of.level)));
    found.offsets.push_back(offset);
  }
  return read_sums(file, found);
}

Status check_field(const Schema& schema, const Field& field) {
  const Grid& grid = schema.grid_of(field);
  if (!grid.mesh) {
    return error(
        Code::kUnsupported,
        "field '{}': VTKHDF files hold the fields of a mesh (def_mesh); write other fields to another "
        "dataset, for example with format=netcdf4",
        field.name);
  }
  if (field.grid != schema.fields().front().grid) {
    return error(Code::kUnsupported,
                 "field '{}': a VTKHDF dataset holds one mesh, '{}'; write '{}' to another one", field.name,
                 grid_of(schema).name, grid.name);
  }
  ESKER_RETURN_IF_ERROR(check_mesh(*grid.mesh).with_context("mesh '" + grid.name + "'"));
  if (field.stored_bits == 0) return {};
  return error(
      Code::kUnsupported,
      "field '{}': stored_bits={}, but VTKHDF files (format=vtkhdf) store samples as they are; leave out "
      "stored_bits",
      field.name, field.stored_bits);
}

}  // namespace

Status check_schema(const Schema& schema) {
  if (schema.fields().empty()) {
    return error(Code::kInvalidArgument, "no field: a VTKHDF dataset has at least one, on a mesh (def_mesh)");
  }
  for (const Field& field : schema.fields()) ESKER_RETURN_IF_ERROR(check_field(schema, field));
  return {};
}

Status check_mesh(const Mesh& mesh) {
  if (mesh.rank() <= kAxes) return {};
  return error(
      Code::kUnsupported,
      "{} axes, but VTKHDF files (format=vtkhdf) hold at most {}; write one array of all levels instead, "
      "with format=idx",
      mesh.rank(), kAxes);
}

const Mesh& mesh_of(const Schema& schema) { return *grid_of(schema).mesh; }

Result<Places> make_step_file(hdf5::Overlay& overlay, const Schema& schema, std::span<const MeshBox> patches,
                              const std::vector<bool>& present, Index alignment_bytes, Index num_sums) {
  Places places;
  ESKER_RETURN_IF_ERROR(hdf5::run_session(overlay, hdf5::Access::kCreate, [&](VirtualFile& file) {
    return StepMaker(file, schema, patches, present, alignment_bytes, num_sums).run(places);
  }));
  return places;
}

Result<StepFile> read_step_file(const File& file, const Schema& schema) {
  ESKER_ASSIGN_OR_RETURN(const Index file_bytes, file.size_bytes());
  hdf5::Overlay overlay(&file, file_bytes);
  StepFile found;
  ESKER_RETURN_IF_ERROR(hdf5::run_session(overlay, hdf5::Access::kRead, [&](VirtualFile& opened) {
    return read_contents(opened.id, schema, found);
  }));
  return found;
}

}  // namespace esker::vtkhdf
