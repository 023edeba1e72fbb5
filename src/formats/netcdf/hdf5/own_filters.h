// Filters that the HDF5 library lacks, and Esker reads: zfp (32013) and zstd (32015).
#pragma once

#include <hdf5.h>

#include <vector>

namespace esker::hdf5 {

/// Lets the library decode these filters as long as this object exists. They are only there within a session:
/// other users of the library in the program may load plug-ins, which can encode, too.
class OwnFilters {
 public:
  /// `replaces`: also if the program has a plug-in for a filter, which would otherwise be used. The plug-in for
  /// zfp computes the filter's values when a dataset is created, from others than those that files have.
  explicit OwnFilters(bool replaces);
  OwnFilters(const OwnFilters&) = delete;
  OwnFilters& operator=(const OwnFilters&) = delete;
  ~OwnFilters();

 private:
  std::vector<H5Z_filter_t> registered_;
};

}  // namespace esker::hdf5
