#include "formats/netcdf/hdf5/stored_sizes.h"

#include <fmt/format.h>

#include <cmath>

#include "base/checked.h"
#include "formats/netcdf/hdf5/global_heap.h"
#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {
namespace {

/// In the file. In memory, texts of variable length are pointers.
hsize_t value_bytes(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), "type");
  return H5Tis_variable_str(type) > 0 ? kReferenceBytes : H5Tget_size(type);
}

/// The library finds a chunk by visiting all of them.
constexpr double kMostVisits = 4096;

std::vector<hsize_t> extents_of(hid_t dataset, std::size_t rank) {
  const Handle space(H5Dget_space(dataset), "extents");
  std::vector<hsize_t> extents(rank);
  checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "extents");
  return extents;
}

void check_chunk(hid_t dataset, const std::vector<hsize_t>& place, hsize_t expected) {
  unsigned mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  checked(H5Dget_chunk_info_by_coord(dataset, place.data(), &mask, &address, &bytes), "chunk");
  if (address != HADDR_UNDEF && bytes != expected)
    throw Failure(fmt::format("a chunk has {} bytes, expected {}", bytes, expected));
}

}  // namespace

std::string why_short(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), "extents");
  const hssize_t n_values = checked(H5Sget_simple_extent_npoints(space), "extents");
  const auto needed = checked_mul(static_cast<Index>(n_values), static_cast<Index>(value_bytes(dataset)));
  const hsize_t bytes = H5Dget_storage_size(dataset);
  if (needed && static_cast<hsize_t>(*needed) <= bytes) return "";
  return fmt::format("the file has {} bytes of its {} values", bytes, n_values);
}

void check_chunk_sizes(hid_t dataset, const std::vector<hsize_t>& first, const std::vector<hsize_t>& end) {
  const Handle list(H5Dget_create_plist(dataset), "storage");
  if (first.empty() || H5Pget_layout(list) != H5D_CHUNKED || H5Pget_nfilters(list) != 0) return;
  std::vector<hsize_t> chunk(first.size());
  checked(H5Pget_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "chunk");
  hsize_t expected = value_bytes(dataset);
  for (const hsize_t extent : chunk) expected *= extent;  // below 2^32, as the library has checked
  const std::vector<hsize_t> extents = extents_of(dataset, first.size());
  std::vector<hsize_t> begin(first.size());
  double visits = 1;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    if (first[axis] >= end[axis]) return;
    begin[axis] = first[axis] / chunk[axis] * chunk[axis];
    visits *= std::ceil(static_cast<double>(end[axis] - begin[axis]) / static_cast<double>(chunk[axis]));
    visits *= std::ceil(static_cast<double>(extents[axis]) / static_cast<double>(chunk[axis]));
  }
  if (visits > kMostVisits) return;
  std::vector<hsize_t> place = begin;
  for (std::size_t axis = 0; axis < place.size();) {
    check_chunk(dataset, place, expected);
    for (axis = 0; axis < place.size(); ++axis) {  // to the next one
      place[axis] += chunk[axis];
      if (place[axis] < end[axis]) break;
      place[axis] = begin[axis];
    }
  }
}

}  // namespace esker::hdf5
