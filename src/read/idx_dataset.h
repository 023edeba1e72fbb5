// IdxDataset: the parts of an IDX dataset, its schema and its committed steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "esker/dataset.hpp"
#include "esker/schema.hpp"
#include "read/idx_part.h"
#include "store/store.h"

namespace esker::idx {

struct IdxDataset {
  /// Where a field of the schema is stored.
  struct Place {
    int part = 0;           ///< -1: fixed, and the dataset has no step yet
    int field = 0;  ///< position in the part's header
    bool fixed = false;
  };

  std::vector<std::unique_ptr<IdxPart>> parts;
  std::vector<PartInfo> infos;
  Schema schema;
  std::vector<Place> places;          ///< [position in schema.fields()]
  std::vector<double> times;          ///< committed steps
  std::vector<std::string> warnings;  ///< what was wrong without keeping the samples from being read

  /// `path` as for Dataset::open.
  static Result<IdxDataset> open(const std::shared_ptr<Store>& store, const std::string& path);
};

}  // namespace esker::idx
