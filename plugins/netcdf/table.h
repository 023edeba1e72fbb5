// The table of functions by which netCDF-C reads datasets of Esker.
#pragma once

#include <netcdf.h>
#include <netcdf_dispatch.h>

#include <atomic>

namespace esker::netcdf_plugin {

/// The number of libraries of netCDF-C in one process that can each have a table: the numbers of open files
/// are theirs, so that they may be the same in two libraries.
inline constexpr int kMaxLibraries = 4;

/// The table for a library, 0 ... kMaxLibraries - 1.
const NC_Dispatch* table(int library);

/// The slots of user-defined formats, NC_UDF0 or NC_UDF1, in which a library has its table, by the magic number
/// of files: what nc_inq_format_extended() tells. They are NC_UDF0 until they are set.
class Slots {
 public:
  void set(const char* magic, int slot);
  [[nodiscard]] int of(const char* magic) const;

 private:
  std::atomic<int> of_idx_ = NC_UDF0, of_doors_ = NC_UDF0;
};
Slots& slots(int library);

}  // namespace esker::netcdf_plugin
