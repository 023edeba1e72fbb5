#include "formats/netcdf/hdf5/filters.h"

#include <algorithm>

#include "codec/codecs.h"
#include "codec/compress_chunk.h"
#include "formats/netcdf/hdf5/session.h"

namespace esker::hdf5 {
namespace {

constexpr unsigned kZstdLevel = 3;

/// H5Z-ZFP stores the versions of zfp, of its format and of the filter, then zfp's header.
Filter zfp_filter(const CodecSpec& spec, const BlockShape& chunk) {
  constexpr unsigned kFilterVersion = 0x111;
  Filter filter{kZfpFilter, {zfp_versions() << 12 | kFilterVersion}};
  for (const std::uint32_t word : zfp_header(spec, without_unit_axes(chunk))) filter.values.push_back(word);
  return filter;
}

}  // namespace

// A shuffle of single bytes does nothing; the library leaves out the number of bytes, which it knows itself.
std::vector<Filter> filters_of(const CodecSpec& spec, const BlockShape& chunk) {
  if (spec.kind == CodecKind::kRaw) return {};
  if (spec.kind == CodecKind::kZfp) return {zfp_filter(spec, chunk)};
  std::vector<Filter> filters;
  if (size_bytes(chunk.type) > 1) filters.push_back({H5Z_FILTER_SHUFFLE});
  if (spec.kind == CodecKind::kZstd) {
    filters.push_back({kZstdFilter, {kZstdLevel}});
  } else {
    filters.push_back({H5Z_FILTER_DEFLATE, {static_cast<unsigned>(spec.zip_level)}});
  }
  return filters;
}

std::uint32_t mask_of_raw(const CodecSpec& spec, const BlockShape& chunk) {
  return (std::uint32_t{1} << filters_of(spec, chunk).size()) - 1;
}

// Optional: the library then accepts filters that it does not have, because it need not write with them.
void set_filters(hid_t list, const std::vector<Filter>& filters) {
  for (const Filter& filter : filters) {
    checked(H5Pset_filter(list, filter.id, H5Z_FLAG_OPTIONAL, filter.values.size(), filter.values.data()),
            "filter");
  }
}

namespace {

std::vector<H5Z_filter_t> ids_of(hid_t list) {
  std::vector<H5Z_filter_t> ids;
  const int num_filters = checked(H5Pget_nfilters(list), "filters");
  for (int n = 0; n < num_filters; ++n) {
    unsigned flags = 0;
    std::size_t num_values = 0;
    ids.push_back(checked(
        H5Pget_filter2(list, static_cast<unsigned>(n), &flags, &num_values, nullptr, 0, nullptr, nullptr),
        "filter"));
  }
  return ids;
}

}  // namespace

bool has_filter(hid_t list, H5Z_filter_t id) {
  const std::vector<H5Z_filter_t> ids = ids_of(list);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool has_filters(hid_t list, const std::vector<Filter>& filters) {
  const std::vector<H5Z_filter_t> ids = ids_of(list);
  return std::equal(ids.begin(), ids.end(), filters.begin(), filters.end(),
                    [](H5Z_filter_t id, const Filter& filter) { return id == filter.id; });
}

std::string note_of(const CodecSpec& spec) {
  if (spec.kind == CodecKind::kZfp) return "HDF5 filter 32013 (H5Z-ZFP)";
  return spec.kind == CodecKind::kZstd ? "HDF5 filter 32015 (zstd)" : "";
}

}  // namespace esker::hdf5
