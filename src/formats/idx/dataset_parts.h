// DatasetParts: maps a schema to .idx files, with their block sizes and names of block files.
//
// One grid, no fixed field, and stored bits for all fields or for none: run.idx, with its blocks in run/.
// Otherwise: the directory run/ with one .idx per grid, one more for a grid's fixed fields, a schema file,
// and the catalog esker.json. Fields with stored bits are in an .idx without others, which is of version 7.
// With partition_index=local also a dataset of one grid is a directory. Each of its .idx files is then
// divided into those of the bricks of the partitions (grid/partition_boxes.h), in coordinates of the bricks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/schema.hpp"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/columns.h"
#include "formats/idx/filename_template.h"
#include "formats/idx/header.h"
#include "grid/bitmask.h"
#include "grid/blocks.h"
#include "layout/layout.h"
#include "store/lock.h"

namespace esker::idx {

inline constexpr const char* kTimeTemplate = "time_%04d/";
inline constexpr const char* kCatalogName = "esker.json";

/// "out/run.idx" -> "out/run", "out/run/" -> "out/run". A path that ends in "." or ".." becomes that of the
/// directory, because lock and journal are next to it and have its name. Other paths are not changed.
std::string dataset_stem(const std::string& path);

struct DatasetPaths {
  std::string stem;
  [[nodiscard]] std::string single_idx() const { return stem + ".idx"; }
  [[nodiscard]] std::string single_schema() const { return stem + ".schema.json"; }
  [[nodiscard]] std::string directory() const { return stem; }
  [[nodiscard]] std::string catalog() const { return stem + "/" + kCatalogName; }
  [[nodiscard]] std::string schema() const { return stem + "/schema.json"; }
  [[nodiscard]] std::string schema_of(bool single) const { return single ? single_schema() : schema(); }
  [[nodiscard]] std::string lock() const { return stem + kLockSuffix; }
  [[nodiscard]] std::string merge_journal() const { return stem + ".esker-merge"; }
};

/// The brick of a partition that a part holds.
struct BrickPlace {
  std::string whole;  ///< name_of_whole()
  OwnPartition own;
  Bitmask mask;  ///< of the grid
  Box box;       ///< of the grid
  Box grid;
};

struct Part {
  std::string name;
  std::string idx_path;
  std::string directory;  ///< directory of the .idx, with a trailing '/' unless empty
  int grid = 0;
  bool fixed = false;
  bool cells = false;           ///< its fields have stored bits, so that its blocks hold cells
  std::vector<Column> columns;  ///< what each field of the header holds
  Header header;                ///< without steps
  BlockGrid blocks;
  FilenameTemplate files;
  Index alignment_bytes = 0;  ///< alignment of data start and blocks
  bool checksums = true;
  std::optional<BrickPlace> place = {};  ///< if partitions are stored separately

  [[nodiscard]] std::string file_path(Index first_block, Index step) const {
    const std::string path = files.path(first_block, step);
    return path.starts_with('/') ? path : directory + path;
  }
  /// The file that says which blocks a sparse step holds.
  [[nodiscard]] std::string block_sets_path(Index step) const;
};

/// Where the samples of a part begin in its grid, if it is a brick; else empty. CommitRecord::corner.
std::vector<Index> corner_of(const Part& part);

/// The parameters of one part: the options, and for an existing part the mask of its blocks. The option
/// bits_per_block of an existing part is that of the header, also where blocks hold cells.
struct PartOptions {
  Options options;
  std::optional<Bitmask> mask;
  int brick_digits = 0;  ///< of an existing part
};
/// Called with the name of a part. If partitions are stored separately, also with the name of what is
/// divided: the mask is then that of the grid.
using OptionsOfPart = std::function<PartOptions(const std::string& part_name)>;

/// All parts of the dataset, fixed ones first. Local, pure. Errors: a grid too large for 62 levels, a field
/// name that OpenVisus would misread, invalid block options; with partition_index=hybrid: sizes of blocks
/// that depend on the data, or a main grid without equal bricks. Smaller grids without them are stored as
/// global. With partition_index=local: stored_bits. Parts of one grid then share one TileCut.
Result<std::vector<Part>> make_parts(const DatasetPaths& paths, const Schema& schema,
                                     const OptionsOfPart& options_of_part);

/// The directory next to the .idx that holds the blocks, from (filename_template): "run" of "./run/%04x.bin".
/// Empty if the template does not have Esker's form.
std::string blocks_directory(const Header& header);

/// kDataLoss if these blocks belong to another .idx. An .idx that was copied or renamed by hand would read
/// the blocks of the other dataset, or none.
Status check_blocks_directory(const Header& header, const std::string& idx_path);

/// Whether the schema fits in one .idx file without a directory.
bool is_single(const Schema& schema);
/// The same of a dataset with these parts: partitions that are stored separately need a directory.
bool is_single(const Schema& schema, const std::vector<Part>& parts);

/// What a grid's parts are called together: that of its grid, and "_fixed" for its fixed fields.
std::string name_of_whole(const std::string& grid, bool fixed);

}  // namespace esker::idx
