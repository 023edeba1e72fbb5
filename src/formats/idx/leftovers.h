// Leftovers: what a run that ended in the middle of something left among the files of a dataset.
//
// Only what an unfinished step, rewind or replacement makes is named here: block files of steps that are not
// committed, and temporary files. Whatever else stands there, also under such a name, is not ours to judge.
// Symbolic links below the dataset's directory are neither followed nor removed: Esker makes none.
#pragma once

#include <string>
#include <vector>

#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

/// What is looked at of a part.
struct PartFiles {
  std::string idx_path;
  bool fixed = false;
};

/// Files and whole directories, in a fixed order, when `num_steps` steps of the dataset are committed.
Result<std::vector<std::string>> find_leftovers(Store& store, const DatasetPaths& paths,
                                                const std::vector<PartFiles>& parts, Index num_steps);

/// Removes one of these: a file, or the block files below a directory and what is empty then. What else
/// somebody put there stays.
Status remove_leftover(Store& store, const std::string& path);

/// kAlreadyExists: files of that step would be written through a symbolic link.
Status check_step_place(Store& store, const DatasetPaths& paths, const std::vector<PartFiles>& parts,
                        Index step);

}  // namespace esker::idx
