// Metadata of a Zarr v3 group and its arrays: what the files zarr.json say.
//
//   run.zarr/zarr.json            the group, with the metadata of all arrays (consolidated)
//   run.zarr/temp/zarr.json       the array temp(time, z, y, x)
//   run.zarr/temp/c/3/0/0/1       a file of its step 3: a shard
//
// With levels, each level is a group below the root, and the arrays are in these: run.zarr/0/temp, which is
// the full resolution, and run.zarr/1/temp.
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
#include "formats/zarr/geo_attributes.h"

namespace esker::zarr {

inline constexpr const char* kMetadataFile = "zarr.json";

/// An array of numbers, or one text.
struct Array {
  std::string name;
  std::string level = {};  ///< the group below the root that has it; empty: the root
  bool is_text = false;    ///< one text without axes
  SampleType type = SampleType::kFloat64;
  std::vector<Index> shape = {};
  std::vector<Index> file = {};      ///< the samples of a file: a shard, or a chunk
  std::vector<Index> chunk = {};     ///< of a shard; empty: files are chunks
  CodecSpec codec = {};              ///< of chunks
  bool has_sums = false;             ///< frames of zstd have checksums
  std::vector<std::byte> fill = {};  ///< one value, little-endian
  std::vector<std::string> dims = {};
  std::vector<netcdf::Attribute> attributes = {};
  GeoAttributes geo = {};      ///< not parsed: they follow from the schema
  std::string errors_of = {};  ///< the array whose errors it has (step_errors.h); empty: none

  /// Below the root.
  [[nodiscard]] std::string path() const { return level.empty() ? name : level + "/" + name; }
  /// Whether its first axis is that of steps.
  [[nodiscard]] bool has_steps(const std::string& time) const {
    return !dims.empty() && dims.front() == time;
  }
};

/// The group of a dataset that Esker wrote.
struct Group {
  static constexpr int kFormat = 2;           ///< of groups whose levels hold means
  static constexpr int kFormatOfSamples = 1;  ///< of all others
  std::string time;                           ///< the dimension of steps; empty if there is none
  Index num_steps = 0;                        ///< that are committed
  int num_levels = 0;             ///< below the finest one; with any, each level is a group below the root
  bool has_means = false;         ///< levels hold means instead of samples
  std::string other_suffix = {};  ///< of the other half of a dataset in two formats; empty: none
  std::vector<netcdf::Attribute> attributes = {};
  /// By level, the finest first, in the order of the variables of netCDF's model; then those of errors.
  std::vector<Array> arrays = {};

  /// The groups below the root; none without levels.
  [[nodiscard]] std::vector<std::string> level_names() const;
  /// Null if there is none.
  [[nodiscard]] const Array* find(const std::string& path) const;
};

/// The text of the array's zarr.json.
std::string print_array(const Array& array);
/// The text of the group's zarr.json.
std::string print_group(const Group& group);
/// The text of the zarr.json of a level, which is a group.
std::string print_level(const Group& group, const std::string& level);
/// kDataLoss: not the group of a dataset that Esker wrote, or damaged. kUnsupported: a newer format.
Result<Group> parse_group(const std::string& text);
/// Whether the text is that of a group that Esker wrote.
Result<bool> is_of_esker(const std::string& text);

}  // namespace esker::zarr
