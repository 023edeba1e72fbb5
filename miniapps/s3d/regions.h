// Regions: which parts of a step the adaptive output stores, and at which resolution.
//
// Rules on the solution: cells hotter than `hot` and the two cells around them are stored at full resolution,
// cells hotter than `warm` at 1/64, all others at 1/512 of the cells.
#pragma once

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "esker/writer.hpp"

namespace s3d {

struct Regions {
  double hot = 1600, warm = 1200;  ///< K
};

/// Local; between begin_step and end_step of a step in which `temperature` is put.
esker::Status keep_regions(const Regions& regions, esker::Writer& writer, esker::GridId grid,
                           esker::FieldId temperature);

}  // namespace s3d
