#include "formats/netcdf/hdf5/own_filters.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "codec/codecs.h"
#include "formats/netcdf/hdf5/filters.h"

namespace esker::hdf5 {
namespace {

using Values = std::span<const unsigned>;

Result<std::vector<std::byte>> decode_zfp(Values values, std::span<const std::byte> stored) {
  if (values.size() < 2) return error(Code::kDataLoss, "zfp: the filter has no header");
  return zfp_decode_by_header(values.subspan(1), stored);  // after the versions
}

Result<std::vector<std::byte>> decode_zstd(Values /*values*/, std::span<const std::byte> stored) {
  ESKER_ASSIGN_OR_RETURN(const Index size, zstd_decoded_bytes(stored));
  std::vector<std::byte> decoded(static_cast<std::size_t>(size));
  ESKER_RETURN_IF_ERROR(zstd_decode(stored, decoded));
  return decoded;
}

/// The form of a filter that the library calls; it returns the number of bytes, or 0 for a failure.
template <Result<std::vector<std::byte>> (*decode)(Values, std::span<const std::byte>)>
std::size_t filter(unsigned flags, std::size_t num_values, const unsigned values[], std::size_t num_bytes,
                   std::size_t* buffer_bytes, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  std::size_t size = 0;
  (void)guarded("filter", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(const std::vector<std::byte> decoded,
                           decode({values, num_values}, {static_cast<const std::byte*>(*buffer), num_bytes}));
    void* memory = H5allocate_memory(decoded.size(), false);
    if (!memory) return out_of_memory("filter");
    std::copy(decoded.begin(), decoded.end(), static_cast<std::byte*>(memory));
    H5free_memory(*buffer);
    *buffer = memory;
    *buffer_bytes = size = decoded.size();
    return {};
  });
  return size;
}

/// The library creates datasets only with filters that claim to encode; chunks are written past them.
H5Z_class2_t class_of(H5Z_filter_t id, const char* name, H5Z_func_t function) {
  return {H5Z_CLASS_T_VERS, id, 1, 1, name, nullptr, nullptr, function};
}

}  // namespace

OwnFilters::OwnFilters(bool replaces) {
  static const H5Z_class2_t classes[] = {class_of(kZfpFilter, "zfp", filter<decode_zfp>),
                                         class_of(kZstdFilter, "zstd", filter<decode_zstd>)};
  for (const H5Z_class2_t& of : classes) {
    if (!replaces && H5Zfilter_avail(of.id) > 0) continue;
    if (H5Zregister(&of) >= 0) registered_.push_back(of.id);
  }
}

OwnFilters::~OwnFilters() {
  for (const H5Z_filter_t id : registered_) H5Zunregister(id);
}

}  // namespace esker::hdf5
