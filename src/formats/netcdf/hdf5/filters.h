// The filters of HDF5 that compressed fields have. For use within run_session(); throws on failure.
//
// Esker compresses chunks itself (codec/compress_chunk.h). The filters tell readers how. A chunk that did not
// shrink is stored as it is, with a filter mask that skips all of them.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "codec/codec.h"

namespace esker::hdf5 {

inline constexpr H5Z_filter_t kZfpFilter = 32013;   ///< the number of H5Z-ZFP
inline constexpr H5Z_filter_t kZstdFilter = 32015;

struct Filter {
  H5Z_filter_t id = 0;
  std::vector<unsigned> values = {};  ///< as the filter's own writer stores them
};

/// In the order of writing; none for kRaw.
std::vector<Filter> filters_of(const CodecSpec& spec, const BlockShape& chunk);
/// The filter mask of a chunk that has passed none of them.
std::uint32_t mask_of_raw(const CodecSpec& spec, const BlockShape& chunk);

/// Adds the filters to a list of creation properties.
void set_filters(hid_t list, const std::vector<Filter>& filters);
/// Whether a list has a filter.
bool has_filter(hid_t list, H5Z_filter_t id);
/// Whether a list has these filters, in this order.
bool has_filters(hid_t list, const std::vector<Filter>& filters);

/// What a user must know of a filter that HDF5 does not have; empty for others.
std::string note_of(const CodecSpec& spec);

}  // namespace esker::hdf5
