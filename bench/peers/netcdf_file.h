// NetcdfFile: a file that the netCDF library opened on one rank or on all ranks.
#pragma once

#include <netcdf.h>

#include <map>
#include <string>

#include "peer_case.h"

namespace bench {

/// Closed only by close(): after an error it stays open. Collective if all ranks opened it.
class NetcdfFile {
 public:
  /// CDF-5, on this rank alone.
  static NetcdfFile create(const std::string& path);
  static NetcdfFile open(const std::string& path);
  /// NetCDF-4, on all ranks; reading and writing are then collective.
  static NetcdfFile create(const std::string& path, MPI_Comm comm);
  static NetcdfFile open(const std::string& path, MPI_Comm comm);

  /// Defines a float64 variable without filling, and its dimensions that are not defined yet.
  int define(const Variable& variable);
  void end_definitions();
  /// The same; reserves `room_bytes` in the header for later definitions.
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
