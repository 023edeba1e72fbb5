// Metadata of a Zarr v3 group and its arrays: what the files zarr.json say.
//
//   run.zarr/zarr.json            the group, with the metadata of all arrays (consolidated)
//   run.zarr/temp/zarr.json       the array temp(time, z, y, x)
//   run.zarr/temp/c/3/0/0/1       a file of its step 3: a shard
//
// The consolidated metadata are the truth: replacing the group's zarr.json commits a step (zarr_writer.h).
// Shapes are slowest axis first, as in the files. Pure. Source: docs/formats/zarr.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codec/codec_spec.h"
#include "esker/types/box.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "formats/netcdf/model/header.h"

namespace esker::zarr {

inline constexpr const char* kMetadataFile = "zarr.json";

/// An array of numbers, or one text.
struct Array {
  std::string name;
  bool is_text = false;  ///< one text without axes
  SampleType type = SampleType::kFloat64;
  std::vector<Index> shape = {};
  std::vector<Index> file = {};      ///< the samples of a file: a shard, or a chunk
  std::vector<Index> chunk = {};     ///< of a shard; empty: files are chunks
  CodecSpec codec = {};              ///< of chunks
  bool has_sums = false;             ///< frames of zstd have checksums
  std::vector<std::byte> fill = {};  ///< one value, little-endian
  std::vector<std::string> dims = {};
  std::vector<netcdf::Attribute> attributes = {};

  /// Whether its first axis is that of steps.
  [[nodiscard]] bool has_steps(const std::string& time) const {
    return !dims.empty() && dims.front() == time;
  }
};

/// The group of a dataset that Esker wrote.
struct Group {
  static constexpr int kFormat = 1;
  std::string time;     ///< the dimension of steps; empty if there is none
  Index num_steps = 0;  ///< that are committed
  std::vector<netcdf::Attribute> attributes = {};
  std::vector<Array> arrays = {};  ///< in the order of the variables of netCDF's model

  /// Null if there is none.
  [[nodiscard]] const Array* find(const std::string& name) const;
};

/// The text of the array's zarr.json.
std::string print_array(const Array& array);
/// The text of the group's zarr.json.
std::string print_group(const Group& group);
/// kDataLoss: not the group of a dataset that Esker wrote, or damaged. kUnsupported: a newer format.
Result<Group> parse_group(const std::string& text);
/// Whether the text is that of a group that Esker wrote.
Result<bool> is_of_esker(const std::string& text);

}  // namespace esker::zarr
