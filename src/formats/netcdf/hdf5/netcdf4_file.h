// The metadata of a NetCDF-4 file that holds a schema, by the HDF5 library; where the data stand, for those
// who write them. Which dimensions, variables and attributes there are is the same as in a CDF file
// (netcdf::describe_file); how HDF5 files say it: docs/formats/netcdf4.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/schema.hpp"
#include "esker/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/netcdf/model/stored_schema.h"
#include "layout/chunked.h"

namespace esker::hdf5 {

/// How values are stored.
struct Storage {
  Index alignment_bytes = 1;  ///< of the variables: fixed ones, and those of a step
  std::vector<ChunkedLayout::Shape>
      chunks;  ///< [position in Schema::fields()]; without meaning for fixed ones
};

struct Netcdf4File {
  netcdf::StoredSchema model;  ///< without places; number of records: of the committed steps
  Storage storage;
};

/// What options say of chunks.
struct ChunkOptions {
  Index alignment_bytes = 1;        ///< Storage::alignment_bytes
  Index chunk_alignment_bytes = 1;  ///< from chunk to chunk
  std::vector<Index> extents;       ///< x first, of grids with as many axes or less; none: chosen
  std::vector<Point> boxes = {};    ///< [position in Schema::fields()]: first choice; 0 or none: the others
};

/// kInvalidArgument: what the schema or the options ask for is no NetCDF-4 file.
Result<Netcdf4File> describe_file(const Schema& schema, const ChunkOptions& options);

/// The layout of a field, at a step unless it is fixed; offsets are counted from its first byte. `dense_axis`
/// as in StepHints.
ChunkedLayout layout_of(const Schema& schema, const Storage& storage, int field, int dense_axis = 0);

/// The file without a step, coordinates included, over nothing.
Status create(Overlay& overlay, const Schema& schema, const Netcdf4File& file);

/// Adds a step behind those that there are; `present`: which fields have data in it. Returns where each of
/// their data begin, [position in Schema::fields()], also those of fixed fields; 0 where there are none.
Result<std::vector<Index>> add_step(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                                    Index step, double time, const std::vector<bool>& present);

/// Takes the steps from `num_steps` on away. Their space is free only as far as it is the last of the file.
Status cut_steps(Overlay& overlay, const Netcdf4File& file, Index num_steps);

/// The metadata of the first `num_steps` steps, as create() and add_step() made them: also a change of the
/// file to what it was then. Nothing: the file, which has `file.model.header.num_records` steps in the given
/// bytes, was not made so, or has been changed since. Cost: of all steps.
Result<std::optional<Change>> remake(const File& stored, Index file_bytes, const Schema& schema,
                                     const Netcdf4File& file, const std::vector<double>& times,
                                     Index num_steps);

}  // namespace esker::hdf5
