// Writes the metadata of a NetCDF-4 file that holds a schema, with the HDF5 library. The dimensions,
// variables and attributes are those of a CDF file (netcdf::describe_file). docs/formats/netcdf4.md describes
// their form in HDF5 files. Steps: netcdf4_steps.h.
//
// The values of fields may be in other files, the parts of the dataset (parts.h). The file is then a virtual
// one: each step replaces it.
#pragma once

#include <string>
#include <vector>

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

/// A box of a field's grid whose samples are a variable of the same name in another file, which begins at the
/// corner of the box.
struct PartOfField {
  std::string file;  ///< relative to the directory of the virtual file
  Box box;
};

/// What a virtual file has in addition to its schema.
struct VirtualContents {
  std::string parts;                               ///< the attribute kPartsAttribute
  std::vector<std::vector<PartOfField>> of_field;  ///< [position in Schema::fields()]
  std::vector<double> times;                       ///< of its steps
};

/// Creates a virtual file with all its steps, on top of nothing.
Status create_virtual(Overlay& overlay, const Schema& schema, const Netcdf4File& file,
                      const VirtualContents& contents);

}  // namespace esker::hdf5
