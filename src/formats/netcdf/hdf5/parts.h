// Parts: how the fields of a dataset are divided among NetCDF-4 files, one for each partition of the grid
// (docs/formats/netcdf4.md, section 5).
//
// One grid is divided: the one whose fields have the most bytes. It is cut into boxes, one per partition, and
// the file of a partition has the fields of this grid on its box. Fields on other grids are complete in one
// further file, the last one. All functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "esker/types/decomposition.hpp"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker::hdf5 {

/// The attribute of a part that says which one it is. That of the dataset's own file, which describes all
/// parts, is kPartsAttribute (attributes.h). Both are texts.
inline constexpr const char* kPartAttribute = "esker_part";

class Parts {
 public:
  /// Boxes as nearly cubic as possible; `directory` is a name. kInvalidArgument: no grid has fields and axes,
  /// or the grid has too few samples for so many partitions. kUnsupported: the fields cannot be divided
  /// (meshes).
  static Result<Parts> choose(const Schema& schema, Index n_partitions, const std::string& directory);
  /// The parts that print() described. kDataLoss: the text is damaged, or does not fit the schema.
  static Result<Parts> parse(const Schema& schema, const std::string& text);
  [[nodiscard]] std::string print() const;

  /// The name of the directory of the files, which is next to the virtual file.
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] Index num_partitions() const { return boxes_.num_parts(); }
  /// Those of the partitions come first.
  [[nodiscard]] int num_files() const { return static_cast<int>(num_partitions()) + (has_rest_ ? 1 : 0); }
  [[nodiscard]] bool is_partition(int file) const { return file < num_partitions(); }
  /// The boxes of the partitions in the divided grid; empty ones do not exist.
  [[nodiscard]] const BrickDecomposition& boxes() const { return boxes_; }
  [[nodiscard]] bool is_divided(std::size_t field) const { return schema_.fields()[field].grid == grid_; }
  /// The fields of a file, ascending positions in the fields of the dataset.
  [[nodiscard]] std::vector<std::size_t> fields_of(int file) const;
  /// The file of a field that is not divided.
  [[nodiscard]] int file_of_rest() const { return static_cast<int>(num_partitions()); }
  /// Files of one kind have the same fields on boxes of the same extents, and so the same layouts. There are
  /// few kinds: the boxes of an axis have at most two extents.
  [[nodiscard]] int num_kinds() const { return static_cast<int>(first_of_kind_.size()); }
  [[nodiscard]] int kind_of(int file) const { return kind_of_[static_cast<std::size_t>(file)]; }
  /// The first file of a kind.
  [[nodiscard]] int first_of_kind(int kind) const { return first_of_kind_[static_cast<std::size_t>(kind)]; }
  /// The schema of a file. Its attribute kPartAttribute is note_of(file).
  [[nodiscard]] Result<Schema> schema_of(int file) const;
  /// Tells files apart: the number of the part, its box, and a checksum of all fields and parts. It does not
  /// depend on values.
  [[nodiscard]] std::string note_of(int file) const;
  /// kDataLoss unless a file with this schema is that part of this dataset.
  [[nodiscard]] Status check(int file, const Schema& found) const;

 private:
  Parts(const Schema& schema, int grid, BrickDecomposition boxes, std::string directory);
  [[nodiscard]] std::string print(bool with_directory) const;

  Schema schema_;
  int grid_;  // the one that is divided
  BrickDecomposition boxes_;
  std::string directory_;
  bool has_rest_ = false;
  std::vector<int> kind_of_;        // [file]
  std::vector<int> first_of_kind_;  // [kind]
};

}  // namespace esker::hdf5
