// Writes the metadata of a NetCDF-4 file that holds a schema, with the HDF5 library. The dimensions, variables
// and attributes are those of a CDF file (netcdf::describe_file). docs/formats/netcdf4.md describes their form
// in HDF5 files. Steps: netcdf4_steps.h.
#pragma once

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/hdf5/overlay.h"
#include "formats/netcdf/hdf5/storage.h"
#include "formats/netcdf/model/stored_schema.h"

namespace esker::hdf5 {

struct Netcdf4File {
  netcdf::StoredSchema model;  ///< without offsets; has the number of committed steps
  Storage storage;

  [[nodiscard]] const netcdf::Variable& variable_of(std::size_t field) const {
    return model.header.variables[static_cast<std::size_t>(model.variable_of_field[field])];
  }
};

/// kInvalidArgument, kUnsupported: the schema or the options cannot be expressed in a NetCDF-4 file.
Result<Netcdf4File> describe_file(const Schema& schema, const ChunkOptions& options);

/// Creates the file without steps, coordinates included, on top of nothing.
Status create(Overlay& overlay, const Schema& schema, const Netcdf4File& file);

}  // namespace esker::hdf5
