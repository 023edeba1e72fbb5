#include "formats/netcdf/hdf5/chunk_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "formats/netcdf/hdf5/slab.h"

namespace esker::hdf5 {
namespace {

Index checked_place(haddr_t address, const StoredVariable& variable) {
  constexpr haddr_t kFarthest = haddr_t{1} << 62;
  if (address > kFarthest)
    throw Failure(fmt::format("'{}': a chunk has no valid address", excerpt(variable.path)));
  return static_cast<Index>(address);
}

/// Whether a dataset is still stored as described, and has that record; there may be other steps.
bool is_as_described(hid_t dataset, const StoredVariable& variable, SampleType type, Index record) {
  const std::size_t rank = variable.extents.size();
  const Handle found_type(H5Dget_type(dataset), "type");
  if (!is_plain(dataset) || H5Tequal(found_type, memory_type(type)) <= 0) return false;
  const Handle space(H5Dget_space(dataset), "dataspace");
  if (H5Sget_simple_extent_ndims(space) != static_cast<int>(rank)) return false;
  std::vector<hsize_t> extents(rank), chunk(rank);
  checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "extents");
  for (std::size_t a = 0; a < rank; ++a) {
    if (a == 0 && record >= 0 ? extents[a] <= static_cast<hsize_t>(record)
                              : extents[a] != static_cast<hsize_t>(variable.extents[a])) {
      return false;
    }
  }
  const Handle list(H5Dget_create_plist(dataset), "storage");
  if (variable.chunk.empty()) return H5Pget_layout(list) == H5D_CONTIGUOUS;
  if (H5Pget_layout(list) != H5D_CHUNKED) return false;
  return H5Pget_chunk(list, static_cast<int>(rank), chunk.data()) == static_cast<int>(rank) &&
         std::equal(chunk.begin(), chunk.end(), variable.chunk.begin(), variable.chunk.end(),
                    [](hsize_t a, Index b) { return a == static_cast<hsize_t>(b); });
}

}  // namespace

bool is_plain(hid_t dataset) {
  const Handle list(H5Dget_create_plist(dataset), "storage");
  const H5D_layout_t layout = H5Pget_layout(list);
  if (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS) return false;
  if (checked(H5Pget_nfilters(list), "filters") > 0) return false;
  const Handle type(H5Dget_type(dataset), "type");
  for (int t = 0; t <= static_cast<int>(SampleType::kFloat64); ++t) {
    if (H5Tequal(type, memory_type(static_cast<SampleType>(t))) > 0) return true;
  }
  return false;
}

std::optional<std::vector<Index>> chunk_places(hid_t file, const StoredVariable& variable, SampleType type,
                                               Index record) {
  const Handle created(H5Fget_create_plist(file), "file");
  hsize_t user_block = 0;
  checked(H5Pget_userblock(created, &user_block), "file");
  if (user_block > 0) return std::nullopt;  // addresses would be relative to its end
  const Handle dataset(H5Dopen2(file, variable.path.c_str(), H5P_DEFAULT), "variable");
  if (!is_as_described(dataset, variable, type, record))
    throw Failure(fmt::format("'{}': type, extents or storage have changed since the file was opened",
                              excerpt(variable.path)));
  if (variable.chunk.empty()) {
    const haddr_t address = H5Dget_offset(dataset);
    if (address == HADDR_UNDEF) return std::nullopt;
    return std::vector<Index>{checked_place(address, variable)};
  }
  const std::size_t rank = variable.chunk.size();
  std::vector<hsize_t> first(rank, 0);
  if (record >= 0) first[0] = static_cast<hsize_t>(record / variable.chunk[0] * variable.chunk[0]);
  const std::size_t slowest = record >= 0 ? 1 : 0;  // first axis of the loop
  std::vector<Index> places;
  for (;;) {
    unsigned filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    checked(H5Dget_chunk_info_by_coord(dataset, first.data(), &filters, &address, &bytes), "chunk");
    if (address == HADDR_UNDEF) return std::nullopt;
    places.push_back(checked_place(address, variable));
    std::size_t axis = rank;
    while (axis-- > slowest) {
      first[axis] += static_cast<hsize_t>(variable.chunk[axis]);
      if (first[axis] < static_cast<hsize_t>(variable.extents[axis])) break;
      first[axis] = 0;
      if (axis == slowest) return places;
    }
    if (rank == slowest) return places;
  }
}

}  // namespace esker::hdf5
