// Leftovers: files of a dataset that an interrupted operation left behind.
//
// Only files that an unfinished step, rewind or replacement creates are listed: block files of steps that are
// not committed, and temporary files. Other files are left alone, even under such a name. Symbolic links
// below the dataset's directory are neither followed nor removed, because Esker creates none.
#pragma once

#include <string>
#include <vector>

#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

/// The properties of a part that are needed here.
struct PartFiles {
  std::string idx_path;
  bool fixed = false;
};

/// Files and complete directories, in a fixed order, for a dataset with `num_steps` committed steps.
Result<std::vector<std::string>> find_leftovers(Store& store, const DatasetPaths& paths,
                                                const std::vector<PartFiles>& parts, Index num_steps);

/// The block files below the directory of a step, and its file of block sets. Follows no links.
Result<std::vector<std::string>> files_of_step(Store& store, const std::string& directory);

/// Removes one of these: a file, or the block files below a directory and the directories that are then
/// empty. Files of users stay.
Status remove_leftover(Store& store, const std::string& path);

/// kAlreadyExists: files of that step would be written through a symbolic link.
Status check_step_place(Store& store, const DatasetPaths& paths, const std::vector<PartFiles>& parts,
                        Index step);

}  // namespace esker::idx
