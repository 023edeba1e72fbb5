// IdxDataset: the parts of an IDX dataset, its schema and its committed steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/schema.hpp"
#include "format/idx/dataset_parts.h"
#include "read/idx_part.h"
#include "store/store.h"

namespace esker::idx {

struct IdxDataset {
  /// Where a field of the schema is stored.
  struct Place {
    int part = 0;              ///< -1: the part is written with the first step, and there is none yet
    std::vector<int> columns;  ///< positions in the part's header: their components, joined, are the field
    bool fixed = false;
  };

  std::vector<std::unique_ptr<IdxPart>> parts;
  std::vector<PartInfo> infos;
  Schema schema;
  std::vector<Place> places;  ///< [position in schema.fields()]
  std::vector<double> times;  ///< committed steps
  DatasetPaths paths;
  bool single = true;                 ///< one .idx, no catalog
  std::vector<std::string> warnings;  ///< what was wrong without keeping the samples from being read

  /// `path` as for Dataset::open.
  static Result<IdxDataset> open(const std::shared_ptr<Store>& store, const std::string& path);
};

}  // namespace esker::idx
