// The arrays of a schema: Zarr as an encoding of netCDF's data model. Pure.
//
// Dimensions, names and attributes are those of formats/netcdf/model/stored_schema.h. A variable is an array
// of the same name; a text is an array of one text.
#pragma once

#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/model/stored_schema.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/storage.h"

namespace esker::zarr {

/// A schema in a group.
struct Model {
  netcdf::StoredSchema stored;  ///< its variables are the arrays of the group, in the same order
  Group group;
  Storage storage;

  [[nodiscard]] const Array& array_of_field(std::size_t field) const {
    return group.arrays[static_cast<std::size_t>(stored.variable_of_field[field])];
  }
};

/// A new group, without steps. The errors of choose_storage() and netcdf::describe_file().
Result<Model> describe_group(const Schema& schema, const std::vector<Index>& chunks, bool sums);
/// A group that exists, and holds the schema. kDataLoss: it does not.
Result<Model> find_in_group(const Schema& schema, Group group);

/// The header of a group that Esker wrote. `texts`: of its arrays of texts, in their order.
netcdf::Header header_of(const Group& group, const std::vector<std::string>& texts);

/// Sets the number of steps, also in the shapes of arrays.
void set_num_steps(Group& group, Index num_steps);

}  // namespace esker::zarr
