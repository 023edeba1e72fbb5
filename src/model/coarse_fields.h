// Coarse fields: the fields of a dataset at lower resolutions, for a format that stores each level as
// separate arrays.
//
// Level k has every 2^k-th sample along each axis, from the first one on; level 0 is the dataset. Its samples
// are thus views of the same memory. With LevelValues::kMean it has, in their place, the means of the samples
// in boxes of 2^k that begin with them (write/mean_levels.h). Fields without axes have no coarse fields.
//
// The schema of what is stored has the fields of the dataset first, and then the coarse fields, by level and
// field. Pure.
#pragma once

#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"

namespace esker {

/// The largest number of levels below the finest.
inline constexpr int kMostCoarseLevels = 30;

struct CoarseField {
  int field = 0;  ///< position in the schema of the dataset
  int level = 0;  ///< from 1 on
};

/// The coarse fields of levels 1 ... num_levels, in order.
std::vector<CoarseField> coarse_fields(const Schema& schema, int num_levels);

/// The number of levels until no axis of a field has more than `most` samples.
int levels_until(const Schema& schema, Index most);

/// The samples of a box that a level has, in indices of the level; may be empty.
Box coarse_box(const Box& box, int level);

/// The dataset at a level, as a schema with the same names: without fields that have no axes, and with the
/// coordinates of the samples, or the means of those that a cell of the level has. Means of integers are
/// float64.
Result<Schema> coarse_schema(const Schema& schema, int level, LevelValues values = LevelValues::kSample);

/// The schema followed by its coarse fields.
Result<Schema> with_coarse_fields(const Schema& schema, int num_levels);

}  // namespace esker
