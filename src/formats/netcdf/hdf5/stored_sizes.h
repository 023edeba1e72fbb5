// Checks whether a file has as many bytes as the extents of a dataset say, before the library reads them:
// HDF5 1.10 copies so many from its memory of fewer. For use within run_session(); throws on failure.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace esker::hdf5 {

/// Why a dataset whose values are in its header (compact) cannot be read; empty: it can.
std::string why_short(hid_t dataset);

/// Throws unless all stored chunks that meet [first, end), which is within the extents, have the bytes that
/// their extents say. Nothing is checked of other storage, of chunks with filters, nor of many chunks: the
/// library finds each by visiting all.
void check_chunk_sizes(hid_t dataset, const std::vector<hsize_t>& first, const std::vector<hsize_t>& end);

}  // namespace esker::hdf5
