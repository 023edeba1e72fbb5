// Door: a small file in place of a dataset, for programs that look at the first bytes of a file before they
// call netCDF.
//
// It is a CDF-1 file (docs/formats/cdf.md) without dimensions and variables. Its number of records is "Eskr",
// so that its first eight bytes are the magic number that the plug-in registers. Its attributes:
//
//   esker_door    path of the dataset, relative to the directory of the door, and in it
//   level         as in Query, of the field with the most samples; absent: the finest
//   box           lower and upper corner, x first, of that field; absent: all
//   description   for people who open the door without the plug-in
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "magic.h"

namespace esker::netcdf_plugin {

/// The first bytes of every door.
inline constexpr const char* kDoorMagic = ESKER_DOOR_MAGIC;
/// The first bytes of every .idx file.
inline constexpr const char* kIdxMagic = ESKER_IDX_MAGIC;

/// What a door opens. The file content is hostile until read_door() checked it.
struct Door {
  std::string dataset;
  std::optional<int> level = {};
  std::vector<Index> box = {};  ///< lower corner, then upper corner; empty: all
  bool is_file = false;         ///< false: made of a dataset
};

/// Reads a door, or makes the one of a dataset that is given itself: its level is that of the environment
/// variable ESKER_NC_LEVEL, else the finest. kDataLoss: a damaged door, one that leads out of its directory,
/// or to another door. kInvalidArgument: the variable is not a number.
Result<Door> read_door(const std::string& path);

}  // namespace esker::netcdf_plugin
