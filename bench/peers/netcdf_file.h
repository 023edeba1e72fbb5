// NetcdfFile: a file of the netCDF library's, opened by one rank or by all.
#pragma once

#include <netcdf.h>

#include <map>
#include <string>

#include "peer_case.h"

namespace bench {

/// Closed by close(); else, as an error is under way, not at all. Collective where all ranks opened it.
class NetcdfFile {
 public:
  /// CDF-5, on this rank alone.
  static NetcdfFile create(const std::string& path);
  static NetcdfFile open(const std::string& path);
  /// NetCDF-4, on all ranks, which then read and write together.
  static NetcdfFile create(const std::string& path, MPI_Comm comm);
  static NetcdfFile open(const std::string& path, MPI_Comm comm);

  /// Defines a variable of float64 that is not filled, with those of its dimensions that are new.
  int define(const Variable& variable);
  void end_definitions();
  /// The same, and leaves so many bytes for what is defined later.
  void end_definitions(std::size_t room_bytes);
  void redefine();
  int find(const Variable& variable) const;

  /// Samples are dense, in the file's order.
  void put(int id, const Region& region, const double* samples);
  void get(int id, const Region& region, double* samples) const;
  void close();

 private:
  NetcdfFile(int number, bool is_shared) : number_(number), is_shared_(is_shared) {}
  void access_together(int id) const;

  int number_;
  bool is_shared_;
  std::map<std::string, int> dims_;
};

}  // namespace bench
