// Existing: a dataset of ours as it stands on storage, for a writer that goes on with it.
//
// Rank 0 reads the small files; their texts travel to the other ranks, and each rank makes the same of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "esker/options.hpp"
#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

struct Existing {
  Schema schema;
  std::vector<Part> parts;  ///< with the block sizes, order and alignment that they were made with
  std::vector<double> times;
  std::vector<std::vector<bool>> present;  ///< [step][position in the schema's fields]

  /// What stands at each part's idx_path.
  struct Idx {
    std::string text;     ///< empty: no such file, before the first step
    Index num_steps = 0;  ///< that it lists: more than times.size() when a commit was cut short
  };
  std::vector<Idx> idx;
  std::string catalog_text;                           ///< empty: a dataset of one .idx
  std::map<std::string, std::string> format_options;  ///< that it was created with, as the catalog has them
};

/// Those of the options that change a dataset, as text.
std::map<std::string, std::string> format_options_of(const Options& options);

/// Errors: kNotFound (no dataset of ours there), kIoError.
Result<std::vector<std::string>> read_existing(Store& store, const DatasetPaths& paths);

/// Suffix of the NetCDF file that the steps of a dataset go to as well, as its schema file says; "": none.
Result<std::string> find_netcdf_suffix(Store& store, const DatasetPaths& paths);

/// Local, pure. `texts` are those of read_existing(); of `given` only what is no matter of format holds.
/// Errors: kDataLoss (texts that are damaged or contradict each other), kUnsupported (an .idx that Esker
/// would make in another way: it cannot go on with it).
Result<Existing> parse_existing(const DatasetPaths& paths, const std::vector<std::string>& texts,
                                const Options& given);

}  // namespace esker::idx
