// Names of datasets: which suffix means which format, and which dataset exists at a path.
//
//   esker::split_name("out/run.nc4")            // {"out/run", ".nc4", "netcdf4"}
//   esker::find_dataset("out/run.idx").value()  // {"out/run.nc", "cdf+idx"}: a dataset in two formats
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "esker/types/export.h"
#include "esker/types/status.hpp"

namespace esker {

/// A dataset's path, split into stem and suffix.
struct DatasetName {
  std::string stem;    ///< the common start of its files' names
  std::string suffix;  ///< one of dataset_suffixes(), or empty
  std::string format;  ///< that Writer chooses for the suffix: "idx", "cdf", "netcdf4"; empty without suffix
};

/// An existing dataset.
struct FoundDataset {
  std::string path;    ///< of the netCDF file, if it has one; else as given
  std::string format;  ///< "idx", "cdf", "netcdf4", "zarr", "cdf+idx", "cdf+zarr" ...; empty: no dataset
};

/// Pure: does not access files.
ESKER_API DatasetName split_name(std::string_view path);

/// Suffixes by which a dataset can be opened, ".idx" first.
ESKER_API std::vector<std::string> dataset_suffixes();

/// The dataset at a path, given with or without suffix. A netCDF file is recognized by its first bytes. It
/// belongs to the IDX dataset or the Zarr group of the same name if both were written together. Local.
/// Errors: kIoError.
ESKER_API Result<FoundDataset> find_dataset(const std::string& path);

}  // namespace esker
