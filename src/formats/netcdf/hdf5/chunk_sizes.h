// Checks stored chunks before the library reads them. For use within run_session(); throws on failure.
#pragma once

#include <hdf5.h>

#include <vector>

namespace esker::hdf5 {

/// Throws unless all stored chunks that meet [first, end) have the bytes that their extents say: HDF5 1.10
/// reads so many of a chunk without filters, also if the file has fewer. `end` is within the extents. Nothing
/// is checked of other storage, nor of many chunks: the library finds each by visiting all.
void check_chunk_sizes(hid_t dataset, const std::vector<hsize_t>& first, const std::vector<hsize_t>& end);

}  // namespace esker::hdf5
