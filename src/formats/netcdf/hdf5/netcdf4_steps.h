// Adds steps to a NetCDF-4 file and removes them, with the HDF5 library, and returns the offsets of the data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/netcdf4_file.h"
#include "formats/netcdf/hdf5/overlay.h"

namespace esker::hdf5 {

/// Stored bytes of the chunks of compressed fields: [position in Schema::fields()][chunk]. A chunk with the
/// size of its samples is stored as it is.
using ChunkSizes = std::vector<std::vector<std::uint32_t>>;

struct NewStep {
  Index step = 0;
  double time = 0;
  std::vector<bool> present;  ///< which fields have data in it
  ChunkSizes sizes = {};      ///< empty: all chunks have the size of their samples
};

/// Appends a step. Returns the file offsets of the data, [position in Schema::fields()], including those of
/// fixed fields; 0 for fields without data. The compressed fields follow the others, and each other; where the
/// first of them begins does not depend on sizes.
Result<std::vector<Index>> add_step(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                                    const NewStep& step);

/// Removes the steps from `num_steps` on. Their space is freed only if it is at the end of the file.
Status cut_steps(Overlay& overlay, const Schema& schema, const Netcdf4File& file, Index num_steps);

/// The metadata of the first `num_steps` steps, as create() and add_step() made them; as a change, it
/// restores that state of the file. Nothing if the file (`file.model.header.num_records` steps in the given
/// bytes) was not made by these functions, or has been changed since. Cost: all steps.
Result<std::optional<Change>> remake(const File& stored, Index file_bytes, const Schema& schema,
                                     const Netcdf4File& file, const std::vector<double>& times,
                                     Index num_steps);

}  // namespace esker::hdf5
