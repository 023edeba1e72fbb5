// The names of a dataset's files: which suffix is of which format, and what is at a path.
//
//   esker::split_name("out/run.nc4")            // {"out/run", ".nc4", "netcdf4"}
//   esker::find_dataset("out/run.idx").value()  // {"out/run.nc", "cdf+idx"}: a dataset in two formats
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "esker/export.h"
#include "esker/status.hpp"

namespace esker {

/// A path as the name of a dataset.
struct DatasetName {
  std::string stem;    ///< what its files are named after
  std::string suffix;  ///< one of dataset_suffixes(), or empty
  std::string format;  ///< that Writer chooses for the suffix: "idx", "cdf", "netcdf4"; empty without suffix
};

/// A dataset that exists.
struct FoundDataset {
  std::string path;    ///< of the netCDF file, if it has one; else as given
  std::string format;  ///< "idx", "cdf", "netcdf4", "cdf+idx", "netcdf4+idx"; empty: there is no dataset
};

/// Pure; no file is looked at.
ESKER_API DatasetName split_name(std::string_view path);

/// Suffixes of files that a dataset is opened by, ".idx" first.
ESKER_API std::vector<std::string> dataset_suffixes();

/// The dataset at a path, with or without suffix. A netCDF file is known by its first bytes, and belongs to an
/// IDX dataset of the same name if that was written with it. Local. Errors: kIoError.
ESKER_API Result<FoundDataset> find_dataset(const std::string& path);

}  // namespace esker
