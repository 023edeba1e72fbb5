// The arrays of a schema: Zarr as an encoding of netCDF's data model. Pure.
//
// Dimensions, names and attributes are those of formats/netcdf/model/stored_schema.h. A variable is an array
// of the same name; a text is an array of one text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/model/stored_schema.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/storage.h"

namespace esker::zarr {

/// A level of a dataset; without levels, all of it.
struct Level {
  Schema schema;                     ///< its fields are those of the dataset that have coarse fields
  netcdf::StoredSchema stored = {};  ///< its variables are the arrays of the level, in the same order
  Storage storage = {};
  std::size_t first_array = 0;  ///< in the group

  /// The position of a field of the dataset in `schema`; nothing if the level does not have it.
  [[nodiscard]] std::optional<std::size_t> find(const Field& field) const;
};

/// A schema in a group.
struct Model {
  Group group;
  std::vector<Level> levels;  ///< the finest first

  [[nodiscard]] const Array& array(const Level& level, int variable) const {
    return group.arrays[level.first_array + static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] const Array& array_of_field(const Level& level, std::size_t field) const {
    return array(level, level.stored.variable_of_field[field]);
  }
};

/// A new group, without steps. The errors of choose_storage() and netcdf::describe_file().
Result<Model> describe_group(const Schema& schema, const Options& options);
/// A group that exists, and holds the schema. kDataLoss: it does not.
Result<Model> find_in_group(const Schema& schema, Group group);

/// The header of the finest level of a group that Esker wrote. `texts`: of its arrays of texts, in their
/// order.
netcdf::Header header_of(const Group& group, const std::vector<std::string>& texts);

/// Sets the number of steps, also in the shapes of arrays.
void set_num_steps(Group& group, Index num_steps);

}  // namespace esker::zarr
