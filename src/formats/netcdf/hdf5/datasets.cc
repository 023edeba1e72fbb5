#include "formats/netcdf/hdf5/datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/attributes.h"
#include "formats/netcdf/hdf5/dimensions.h"
#include "formats/netcdf/hdf5/global_heap.h"
#include "formats/netcdf/hdf5/stored_sizes.h"
#include "formats/netcdf/hdf5/variable_text.h"

namespace esker::hdf5 {
namespace {

constexpr int kMostGroupsDeep = 64;
constexpr std::string_view kBareDimension = "This is a netCDF dimension but not a netCDF variable";

/// The axes that a scale lists as its users. The references from axes to scales (DIMENSION_LIST) are
/// equivalent, but are variable-length lists, which HDF5 1.10 reads without validating their references.
std::vector<AxisOf> uses_of(hid_t scale) {
  constexpr const char* kName = "REFERENCE_LIST";
  if (checked(H5Aexists(scale, kName), kName) == 0) return {};
  const Handle attribute(H5Aopen(scale, kName, H5P_DEFAULT), kName);
  const Handle stored(H5Aget_type(attribute), kName);
  if (H5Tget_class(stored) != H5T_COMPOUND || H5Tget_nmembers(stored) != 2) return {};
  const Handle reference(H5Tget_member_type(stored, 0), kName), number(H5Tget_member_type(stored, 1), kName);
  if (H5Tequal(reference, H5T_STD_REF_OBJ) <= 0 || H5Tget_class(number) != H5T_INTEGER) return {};
  const Handle space(H5Aget_space(attribute), kName);
  const auto n = static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space), kName));
  if (n > kMaxSidecarBytes / sizeof(AxisOf)) throw Failure("a dimension has too many variables");
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(AxisOf)), kName);
  checked(H5Tinsert(type, "dataset", HOFFSET(AxisOf, dataset), H5T_STD_REF_OBJ), kName);
  checked(H5Tinsert(type, "dimension", HOFFSET(AxisOf, axis), H5T_NATIVE_UINT), kName);
  std::vector<AxisOf> uses(n);
  if (n > 0) checked(H5Aread(attribute, type, uses.data()), kName);
  return uses;
}

// ---- one dataset ----

void take_shape(hid_t dataset, DatasetInfo& info) {
  const Handle space(H5Dget_space(dataset), "extents");
  if (H5Sget_simple_extent_type(space) == H5S_NULL) info.why_not = "it has no values";
  const int rank = checked(H5Sget_simple_extent_ndims(space), "extents");
  std::vector<hsize_t> most(static_cast<std::size_t>(rank));
  info.extents.resize(most.size());
  if (rank > 0) checked(H5Sget_simple_extent_dims(space, info.extents.data(), most.data()), "extents");
  for (const hsize_t extent : most) info.is_unlimited.push_back(extent == H5S_UNLIMITED);
}

void take_type(hid_t dataset, DatasetInfo& info) {
  const Handle type(H5Dget_type(dataset), "type");
  info.type = type_of(type);
  const bool is_text = H5Tget_class(type) == H5T_STRING;
  if (is_text && H5Tis_variable_str(type) > 0) {
    info.text_bytes = 0;  // not known yet
  } else if (is_text && H5Tget_size(type) > 1) {
    info.text_bytes = static_cast<Index>(H5Tget_size(type));
  }
  if (info.type) return;
  switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
      info.why_not = "compound types are not supported";
      break;
    case H5T_VLEN:
      info.why_not = "types of variable length are not supported";
      break;
    case H5T_REFERENCE:
      info.why_not = "references are not supported";
      break;
    default:
      info.why_not = "its type is not supported";
  }
}

/// The library visits all chunks of the extents that are read, stored or not, at about a microsecond each.
/// For each stored chunk the file has at least an address.
std::string too_many_chunks(hid_t dataset, hid_t list, const DatasetInfo& info) {
  constexpr Index kFew = 1 << 16, kBytesOfAddress = 8;
  std::vector<hsize_t> chunk(info.extents.size());
  checked(H5Pget_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "chunk");
  if (std::ranges::count(chunk, 0) > 0) return "its chunks have extent 0";
  if (std::ranges::count(info.extents, 0) > 0) return "";
  const Index file_bytes = file_of(dataset).end_of_file();
  const Index most = std::max(kFew, file_bytes / kBytesOfAddress);
  Index chunks = 1;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    const hsize_t along = (info.extents[axis] - 1) / chunk[axis] + 1;
    if (along > static_cast<hsize_t>(most / chunks)) {
      return fmt::format("it has more chunks than a file of {} bytes can hold", file_bytes);
    }
    chunks *= static_cast<Index>(along);
  }
  return "";
}

/// Values in external files are not read: a file from elsewhere could name any local file to open. Esker
/// knows the names of the parts of its datasets.
void take_storage(hid_t dataset, bool has_parts, DatasetInfo& info) {
  const Handle list(H5Dget_create_plist(dataset), "storage");
  const H5D_layout_t layout = H5Pget_layout(list);
  info.is_virtual = layout == H5D_VIRTUAL && has_parts;
  if (info.is_virtual) return;
  if (layout == H5D_VIRTUAL || H5Pget_external_count(list) > 0) {
    info.why_not = kInOtherFiles;
    return;
  }
  if (layout == H5D_CONTIGUOUS) info.why_not = why_outside(dataset);
  if (layout == H5D_COMPACT) info.why_not = why_short(dataset);
  if (layout == H5D_CHUNKED) info.why_not = too_many_chunks(dataset, list, info);
  const int n_filters = checked(H5Pget_nfilters(list), "filters");
  for (int n = 0; n < n_filters; ++n) {
    unsigned flags = 0, config = 0;
    std::size_t n_values = 0;
    const H5Z_filter_t filter = checked(
        H5Pget_filter2(list, static_cast<unsigned>(n), &flags, &n_values, nullptr, 0, nullptr, &config),
        "filter");
    if (H5Zfilter_avail(filter) <= 0) {
      info.why_not = fmt::format("its values need the filter {}, which this HDF5 library does not have",
                                 static_cast<int>(filter));
    }
  }
}

/// Of a variable-length type.
Index longest_text(hid_t dataset, const DatasetInfo& info) {
  constexpr std::size_t kMostTexts = std::size_t{1} << 20;
  std::size_t n = 1;
  for (const hsize_t extent : info.extents)
    n *= static_cast<std::size_t>(std::min<hsize_t>(extent, kMostTexts + 1));
  if (n > kMostTexts)
    throw Failure(fmt::format("at most {} texts of variable length are supported", kMostTexts));
  check_chunk_sizes(dataset, std::vector<hsize_t>(info.extents.size()), info.extents);
  std::vector<std::byte> references(n * kReferenceBytes);
  checked(H5Dread(dataset, reference_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data()), "texts");
  std::size_t longest = 1;
  for (const std::string& text : texts_at(file_of(dataset), references))
    longest = std::max(longest, text.size());
  return static_cast<Index>(longest);
}

void take_texts(hid_t dataset, DatasetInfo& info) {
  constexpr Index kMostBytes = 64 << 10;
  try {
    if (info.text_bytes == 0) info.text_bytes = longest_text(dataset, info);
  } catch (const Failure& failure) {
    info.why_not = failure.what();
    return;
  }
  if (info.text_bytes > kMostBytes) {
    info.why_not = fmt::format("a text has {} bytes; at most {} are supported", *info.text_bytes, kMostBytes);
  }
}

DatasetInfo look_at(hid_t dataset, std::string path, hobj_ref_t reference, bool has_parts) {
  DatasetInfo info;
  info.path = std::move(path);
  info.reference = reference;
  take_shape(dataset, info);
  // The type first: HDF5 1.10 does not return from a damaged variable-length fill value, except of texts.
  if (info.why_not.empty()) take_type(dataset, info);
  if (info.why_not.empty()) take_storage(dataset, has_parts, info);
  if (info.why_not.empty() && info.text_bytes) take_texts(dataset, info);
  info.is_scale = text_attribute(dataset, "CLASS") == "DIMENSION_SCALE" && !info.extents.empty();
  info.dimension_numbers = read_ints(dataset, kVariableDimensions);
  if (info.is_scale) {
    const std::vector<int> number = read_ints(dataset, kDimensionNumber);
    if (number.size() == 1) info.dimension_number = number[0];
    info.is_variable = !text_attribute(dataset, "NAME").starts_with(kBareDimension);
    info.uses = uses_of(dataset);
  }
  return info;
}

// ---- groups ----

class Walk {
 public:
  Walk(hid_t file, std::vector<std::string>& left_out) : file_(file), left_out_(left_out) {}

  std::vector<DatasetInfo> run() {
    const Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), "root group");
    has_parts_ = !text_attribute(root, kPartsAttribute).empty();
    seen_.insert(reference_to(file_, "/"));
    enter(root, "", 0);
    return std::move(found_);
  }

 private:
  void enter(hid_t group, const std::string& prefix, int depth) {
    const Handle list(H5Gget_create_plist(group), "group");
    unsigned order = 0;
    checked(H5Pget_link_creation_order(list, &order), "order");
    const H5_index_t index = (order & H5P_CRT_ORDER_TRACKED) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    H5G_info_t info{};
    checked(H5Gget_info(group, &info), "group");
    for (hsize_t n = 0; n < info.nlinks; ++n) {
      const std::string name = link_name(group, index, n);
      H5L_info_t link{};
      checked(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "link");
      if (link.type == H5L_TYPE_HARD) {
        take(group, name, prefix, depth);
      } else {
        left_out_.push_back(fmt::format("'{}' is left out: soft and external links are not supported",
                                        excerpt(prefix + name)));
      }
    }
  }

  void take(hid_t group, const std::string& name, const std::string& prefix, int depth) {
    const hobj_ref_t reference = reference_to(group, name);
    if (!seen_.insert(reference).second) return;  // a second link to it
    const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), name.c_str());
    const H5I_type_t type = H5Iget_type(object);
    if (type == H5I_DATASET) found_.push_back(look_at(object, prefix + name, reference, has_parts_));
    if (type != H5I_GROUP) return;
    if (depth >= kMostGroupsDeep) throw Failure("groups are nested too deeply");
    enter(object, prefix + name + "/", depth + 1);
  }

  static std::string link_name(hid_t group, H5_index_t index, hsize_t number) {
    const auto call = [&](char* name, std::size_t n_bytes) {
      return H5Lget_name_by_idx(group, ".", index, H5_ITER_INC, number, name, n_bytes, H5P_DEFAULT);
    };
    std::string name(static_cast<std::size_t>(checked(call(nullptr, 0), "name")) + 1, '\0');
    checked(call(name.data(), name.size()), "name");
    name.pop_back();
    return name;
  }

  hid_t file_;
  std::vector<std::string>& left_out_;
  bool has_parts_ = false;
  std::set<hobj_ref_t> seen_;
  std::vector<DatasetInfo> found_;
};

}  // namespace

std::string why_outside(hid_t dataset) {
  const haddr_t begin = H5Dget_offset(dataset);
  if (begin == HADDR_UNDEF) return "";
  const hsize_t bytes = H5Dget_storage_size(dataset);
  const auto file_bytes = static_cast<haddr_t>(file_of(dataset).end_of_file());
  if (begin <= file_bytes && bytes <= file_bytes - begin) return "";
  return fmt::format("its values are {} bytes from byte {}, but the file has {} bytes", bytes, begin,
                     file_bytes);
}

std::vector<DatasetInfo> list_datasets(hid_t file, std::vector<std::string>& left_out) {
  return Walk(file, left_out).run();
}

}  // namespace esker::hdf5
