// merge_on: esker::merge() on any store.
//
// For each step of each .idx with bricks: the new blocks and tables of block files are written to a journal,
// next to the dataset; when it is complete, they are written to the files; the .idx that records the merged
// step is replaced by rename; the journal is removed. The last step makes the .idx that of the global order.
// While blocks are replaced, the tables of their files lack them, so that a reader reports an error.
#pragma once

#include <memory>
#include <string>

#include "esker/types/merge_report.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::idx {

struct DatasetPaths;

Result<MergeReport> merge_on(const std::shared_ptr<Store>& store, const std::string& path);

/// kInvalidArgument if a merge of the dataset was interrupted.
Status check_not_merging(Store& store, const DatasetPaths& paths);

/// kInvalidArgument if a merge has merged `num_steps` > 0 steps of the dataset `name`, and not all. Pure.
Status check_not_partly_merged(Index num_steps, const std::string& name);

}  // namespace esker::idx
