#include "formats/netcdf/hdf5/dimensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "esker/version.h"

namespace esker::hdf5 {
namespace {

const std::string& name_of(const netcdf::Header& header, int dim) {
  return header.dims[static_cast<std::size_t>(dim)].name;
}

void write_scale(hid_t dataset, const std::string& name, int dim) {
  write_text(dataset, "CLASS", "DIMENSION_SCALE");
  write_text(dataset, "NAME", name);
  write_int(dataset, kDimensionNumber, dim);
}

bool is_scale(const netcdf::Header& header, const netcdf::Variable& variable) {
  return variable.dims.size() == 1 && name_of(header, variable.dims[0]) == variable.name;
}

void write_dimension_list(hid_t file, const netcdf::Header& header, const netcdf::Variable& variable) {
  std::vector<hobj_ref_t> scales;
  for (const int dim : variable.dims) scales.push_back(reference_to(file, name_of(header, dim)));
  std::vector<hvl_t> lists;
  for (hobj_ref_t& scale : scales) lists.push_back({1, &scale});
  const Handle type(H5Tvlen_create(H5T_STD_REF_OBJ), "dimensions");
  const hsize_t n = lists.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), "dimensions");
  const Handle dataset(H5Dopen2(file, path_of(header, variable).c_str(), H5P_DEFAULT), variable.name.c_str());
  const Handle attribute(H5Acreate2(dataset, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT),
                         "dimensions");
  checked(H5Awrite(attribute, type, lists.data()), "dimensions");
}

/// A variable that has the scale, and the index of the dimension; this is also its layout in memory and in
/// files.
struct Use {
  hobj_ref_t variable;
  unsigned dimension;
  unsigned padding;  // otherwise its content would be undefined
};

void write_reference_list(hid_t file, const std::string& scale, const std::vector<Use>& uses) {
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Use)), "references");
  checked(H5Tinsert(type, "dataset", HOFFSET(Use, variable), H5T_STD_REF_OBJ), "references");
  checked(H5Tinsert(type, "dimension", HOFFSET(Use, dimension), H5T_STD_U32LE), "references");
  const hsize_t n = uses.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), "references");
  const Handle dataset(H5Dopen2(file, scale.c_str(), H5P_DEFAULT), scale.c_str());
  const Handle attribute(H5Acreate2(dataset, "REFERENCE_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT),
                         "references");
  checked(H5Awrite(attribute, type, uses.data()), "references");
}

}  // namespace

hobj_ref_t reference_to(hid_t file, const std::string& name) {
  hobj_ref_t reference{};
  checked(H5Rcreate(&reference, file, name.c_str(), H5R_OBJECT, -1), name.c_str());
  return reference;
}

void write_properties(hid_t file) {
  unsigned major = 0, minor = 0, release = 0;
  checked(H5get_libversion(&major, &minor, &release), "version");
  const std::string text =
      fmt::format("version=2,esker={},hdf5={}.{}.{}", ESKER_VERSION, major, minor, release);
  const auto bytes = std::as_bytes(std::span(text));
  write_attribute(file, {"_NCProperties", netcdf::Type::kChar, {bytes.begin(), bytes.end()}});
}

std::string path_of(const netcdf::Header& header, const netcdf::Variable& variable) {
  const auto has_name = [&](const netcdf::Dimension& dim) { return dim.name == variable.name; };
  const bool is_taken = std::any_of(header.dims.begin(), header.dims.end(), has_name);
  return (is_taken && !is_scale(header, variable) ? std::string(kNoCoordinatePrefix) : "") + variable.name;
}

std::vector<hsize_t> extents_of(const netcdf::Header& header, const netcdf::Variable& variable) {
  std::vector<hsize_t> extents;
  for (const int dim : variable.dims) {
    extents.push_back(static_cast<hsize_t>(header.dims[static_cast<std::size_t>(dim)].length));
  }
  return extents;
}

std::optional<int> variable_of_dimension(const netcdf::Header& header, int dim) {
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    const netcdf::Variable& variable = header.variables[v];
    if (is_scale(header, variable) && variable.dims[0] == dim) return static_cast<int>(v);
  }
  return std::nullopt;
}

void create_bare_dimension(hid_t file, const netcdf::Header& header, int dim) {
  const Index length = header.dims[static_cast<std::size_t>(dim)].length;
  const auto extent = static_cast<hsize_t>(length);
  const Handle space(H5Screate_simple(1, &extent, nullptr), "dimension");
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), "property list");
  checked(H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "attributes");
  checked(H5Pset_obj_track_times(list, false), "times");
  const char* name = name_of(header, dim).c_str();
  const Handle dataset(H5Dcreate2(file, name, H5T_IEEE_F32BE, space, H5P_DEFAULT, list, H5P_DEFAULT), name);
  write_scale(dataset, fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length),
              dim);
}

void mark_scale(hid_t dataset, const netcdf::Header& header, const netcdf::Variable& variable) {
  if (is_scale(header, variable)) write_scale(dataset, variable.name, variable.dims[0]);
}

void write_dimension_numbers(hid_t dataset, const netcdf::Variable& variable) {
  if (!variable.dims.empty()) write_ints(dataset, kVariableDimensions, variable.dims);
}

void link_dimensions(hid_t file, const netcdf::Header& header) {
  std::vector<std::vector<Use>> uses(header.dims.size());
  for (const netcdf::Variable& variable : header.variables) {
    if (is_scale(header, variable) || variable.dims.empty()) continue;
    write_dimension_list(file, header, variable);
    for (std::size_t d = 0; d < variable.dims.size(); ++d) {
      uses[static_cast<std::size_t>(variable.dims[d])].push_back(
          {reference_to(file, path_of(header, variable)), static_cast<unsigned>(d), 0});
    }
  }
  for (std::size_t dim = 0; dim < uses.size(); ++dim) {
    if (!uses[dim].empty()) write_reference_list(file, header.dims[dim].name, uses[dim]);
  }
}

}  // namespace esker::hdf5
