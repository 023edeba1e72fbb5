// Existing: an Esker dataset on storage, in the form that a writer needs to append to it.
//
// Rank 0 reads the small files and sends their texts to the other ranks; each rank parses them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "formats/idx/dataset_parts.h"
#include "store/store.h"

namespace esker::idx {

struct Existing {
  Schema schema;
  std::vector<Part> parts;  ///< with the block sizes, order and alignment of their creation
  std::vector<double> times;
  std::vector<std::vector<bool>> present;      ///< [step][position in the schema's fields]
  std::vector<std::vector<float>> max_errors;  ///< likewise, see StoredStep
  /// [step][part]: of sparse steps, the checksum of the file of block sets.
  std::vector<std::vector<std::optional<std::uint64_t>>> set_sums;

  /// The file at the idx_path of each part.
  struct Idx {
    std::string text;     ///< empty: the file does not exist before the first step
    Index num_steps = 0;  ///< number of steps listed; more than times.size() after an interrupted commit
  };
  std::vector<Idx> idx;
  Index num_merged = 0;      ///< steps that an interrupted `esker merge` has merged; 0: none or all
  std::string catalog_text;  ///< empty: a dataset of one .idx
  std::map<std::string, std::string> format_options;  ///< the dataset was created with, as in the catalog
};

/// The options that change a dataset, as text.
std::map<std::string, std::string> format_options_of(const Options& options);

/// Errors: kNotFound (no Esker dataset there), kIoError.
Result<std::vector<std::string>> read_existing(Store& store, const DatasetPaths& paths);

/// Suffix of the file of another format that also receives the steps of a dataset, from its schema file; ""
/// if there is none.
Result<std::string> find_other_suffix(Store& store, const DatasetPaths& paths);

/// Local, pure. `texts` is the result of read_existing(). Of `given`, only options that do not concern the
/// format are used. Errors: kDataLoss (texts that are damaged or contradict each other), kUnsupported (Esker
/// would create the .idx differently, so it cannot append to it).
Result<Existing> parse_existing(const DatasetPaths& paths, const std::vector<std::string>& texts,
                                const Options& given);

}  // namespace esker::idx
