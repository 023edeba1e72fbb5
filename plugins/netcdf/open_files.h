// OpenFiles: the views behind the numbers of netCDF's open files, and what netCDF's functions answer about
// them.
//
// Every function returns a code of netCDF. Errors of Esker are also printed, each text once.
#pragma once

#include <netcdf.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "view.h"

namespace esker::netcdf_plugin {

class OpenFiles {
 public:
  int open(const char* path, int mode, int ncid);
  int close(int ncid);
  /// Null: no such file is open.
  [[nodiscard]] const View* find(int ncid);

 private:
  std::mutex mutex_;
  std::map<int, View> views_;
};

/// The code of netCDF, or of the system, for an error of Esker, whose text is printed to stderr unless it was
/// printed before.
int reported(const Status& status);

}  // namespace esker::netcdf_plugin
