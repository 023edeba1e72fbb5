// Where the files of a dataset are. The dataset is a directory.
#pragma once

#include <string>

#include "esker/types/box.hpp"
#include "formats/zarr/metadata.h"
#include "layout/chunked.h"

namespace esker::zarr {

inline constexpr const char* kSuffix = ".zarr";

struct Paths {
  std::string directory;

  static Paths of_stem(const std::string& stem) { return {stem + kSuffix}; }
  [[nodiscard]] std::string group() const { return directory + "/" + kMetadataFile; }
  /// Where the arrays of a new dataset are until it exists.
  [[nodiscard]] std::string staged() const { return directory + "/.esker-new"; }
  /// Written when all of a new dataset is staged.
  [[nodiscard]] std::string staged_mark() const { return staged() + "/complete"; }
  [[nodiscard]] std::string of_array(const Array& array) const { return directory + "/" + array.path(); }
  [[nodiscard]] std::string metadata_of(const Array& array) const {
    return of_array(array) + "/" + kMetadataFile;
  }
  /// The group of a level.
  [[nodiscard]] Paths of_level(const std::string& level) const { return {directory + "/" + level}; }
  /// The directory of an array's files; without axes, its only file.
  [[nodiscard]] std::string files_of(const Array& array) const { return of_array(array) + "/c"; }
  /// The file `number` on the first axis of an array that is divided on this axis only.
  [[nodiscard]] std::string file_of(const Array& array, Index number) const {
    std::string path = files_of(array);
    for (std::size_t a = 0; a < array.shape.size(); ++a) path += "/" + std::to_string(a == 0 ? number : 0);
    return path;
  }
};

/// The path of a file of a field's array, relative to files_of(): "/3/0/0/1". `step`: -1 for a fixed field.
std::string shard_name(const Array& array, const ChunkedLayout& layout, int num_axes, Index step, Index file);

}  // namespace esker::zarr
