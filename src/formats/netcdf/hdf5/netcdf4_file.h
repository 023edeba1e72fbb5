// Writes the metadata of a NetCDF-4 file that holds a schema, with the HDF5 library, and returns the offsets
// of the data. The dimensions, variables and attributes are those of a CDF file (netcdf::describe_file).
// docs/formats/netcdf4.md describes their form in HDF5 files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/netcdf/model/stored_schema.h"
#include "layout/chunked.h"

namespace esker::hdf5 {

/// How values are stored.
struct Storage {
  Index alignment_bytes = 1;  ///< alignment of the variables: fixed ones, and those of a step
  std::vector<ChunkedLayout::Shape>
      chunks;  ///< [position in Schema::fields()]; unused for fixed fields
};

struct Netcdf4File {
  netcdf::StoredSchema model;  ///< without offsets; has the number of committed steps
  Storage storage;
};

/// The options that concern chunks.
struct ChunkOptions {
  Index alignment_bytes = 1;        ///< Storage::alignment_bytes
  Index chunk_alignment_bytes = 1;  ///< alignment of chunks
  std::vector<Index> extents;       ///< x first, of grids with at most that many axes; empty: chosen by Esker
  std::vector<Point> boxes = {};    ///< [position in Schema::fields()]: preferred; 0 or none: use the others
};

/// kInvalidArgument: the schema or the options cannot be expressed in a NetCDF-4 file.
Result<Netcdf4File> describe_file(const Schema& schema, const ChunkOptions& options);

/// The layout of a field (at one step unless it is fixed), with offsets counted from its first byte. For
/// `dense_axis` see StepHints.
ChunkedLayout layout_of(const Schema& schema, const Storage& storage, int field, int dense_axis = 0);

/// Creates the file without steps, coordinates included, on top of nothing.
Status create(Overlay& overlay, const Schema& schema, const Netcdf4File& file);

/// Appends a step; `present` tells which fields have data in it. Returns the file offsets of the data,
/// [position in Schema::fields()], including those of fixed fields; 0 for fields without data.
Result<std::vector<Index>> add_step(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                                    Index step, double time, const std::vector<bool>& present);

/// Removes the steps from `num_steps` on. Their space is freed only if it is at the end of the file.
Status cut_steps(Overlay& overlay, const Netcdf4File& file, Index num_steps);

/// The metadata of the first `num_steps` steps, as create() and add_step() made them; as a change, it
/// restores that state of the file. Nothing if the file (`file.model.header.num_records` steps in the given
/// bytes) was not made by these functions, or has been changed since. Cost: all steps.
Result<std::optional<Change>> remake(const File& stored, Index file_bytes, const Schema& schema,
                                     const Netcdf4File& file, const std::vector<double>& times,
                                     Index num_steps);

}  // namespace esker::hdf5
