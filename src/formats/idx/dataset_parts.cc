#include "formats/idx/dataset_parts.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/macros.h"
#include "formats/idx/block_set_file.h"
#include "formats/idx/cell_header.h"
#include "formats/idx/idx_choice.h"
#include "formats/idx/part_header.h"
#include "grid/partition_boxes.h"
#include "grid/tile_cut.h"

namespace esker::idx {
namespace {

/// The name of a part of several: that of its grid, and what it holds of it.
std::string name_of_part(const Schema& schema, const PartKind& kind) {
  return name_of_whole(schema.grids()[kind.grid].name, kind.fixed) + (kind.cells ? "_cells" : "");
}

bool stores_partitions(const PartOptions& given) {
  return given.options.partition_index == PartitionIndex::kLocal;
}

/// `in`: the directory of the .idx, with a trailing '/' unless empty.
Result<Part> complete_part(const PartKind& kind, const PartOptions& given, std::vector<Column> columns,
                           Header header, const std::string& name, const std::string& in) {
  ESKER_ASSIGN_OR_RETURN(FilenameTemplate files,
                         FilenameTemplate::parse(header.filename_template, kind.fixed ? "" : kTimeTemplate));
  const BlockGrid blocks = block_grid(header);
  return Part{name,
              in + name + ".idx",
              in,
              kind.grid,
              kind.fixed,
              kind.cells,
              std::move(columns),
              std::move(header),
              blocks,
              std::move(files),
              given.options.alignment_bytes,
              given.options.checksums};
}

Result<Part> make_part(const DatasetPaths& paths, const Schema& schema, const OptionsOfPart& options_of_part,
                       const PartKind& kind) {
  const bool single = is_single(schema);
  const std::string directory =
      single ? std::filesystem::path(paths.stem).parent_path().string() : paths.directory();
  const std::string name =
      single ? std::filesystem::path(paths.stem).filename().string() : name_of_part(schema, kind);
  const PartOptions given = options_of_part(name);
  ESKER_ASSIGN_OR_RETURN(std::vector<Column> columns, columns_of_part(schema, kind, given.options.split));
  ESKER_ASSIGN_OR_RETURN(Header header, make_header(schema, given, kind, columns, name));
  return complete_part(kind, given, std::move(columns), std::move(header), name,
                       directory.empty() ? "" : directory + "/");
}

/// "xyz_p3"; if the partition has several bricks, "xyz_p3_0", "xyz_p3_1" ...
std::string name_of_brick(const std::string& whole, int partition, std::size_t brick, std::size_t n_bricks) {
  return fmt::format("{}_p{}{}", whole, partition, n_bricks > 1 ? fmt::format("_{}", brick) : "");
}

/// The bricks of all partitions, for the fields of a kind.
Result<std::vector<Part>> make_bricks(const DatasetPaths& paths, const Schema& schema,
                                      const OptionsOfPart& options_of_part, const PartKind& kind) {
  const std::string name = name_of_part(schema, kind);
  const PartOptions given = options_of_part(name);
  ESKER_ASSIGN_OR_RETURN(std::vector<Column> columns, columns_of_part(schema, kind, given.options.split));
  const std::string& field = schema.fields()[static_cast<std::size_t>(columns.front().field)].name;
  const bool is_mesh = schema.grids()[static_cast<std::size_t>(kind.grid)].mesh.has_value();
  if (kind.cells || is_mesh) {
    return error(Code::kInvalidArgument,
                 "field '{}' {}, which partition_index=local does not support: set partition_index=global",
                 field, kind.cells ? "is stored with stored_bits" : "is on a mesh");
  }
  ESKER_ASSIGN_OR_RETURN(const Header fields, header_of_fields(schema, given, kind, columns));
  PartOptions of_grid = given;
  if (of_grid.mask) of_grid.options.bits_per_block = 1;  // only the mask is needed
  Header whole = fields;
  ESKER_RETURN_IF_ERROR(choose_blocks(of_grid, whole));
  const auto n_partitions =
      static_cast<int>(std::min(given.options.partitions.number, Catalog::kMaxPartitions + 1));
  if (n_partitions < 1 || n_partitions > Catalog::kMaxPartitions) {
    return error(Code::kInvalidArgument, "partition_index=local: {} partitions, expected 1 to {}",
                 given.options.partitions.number, Catalog::kMaxPartitions);
  }
  const auto cut =
      std::make_shared<const TileCut>(cut_into_partitions(whole.bitmask, whole.box, n_partitions));
  std::vector<Part> parts;
  for (int p = 0; p < n_partitions; ++p) {
    const std::vector<Brick> bricks = bricks_of_partition(*cut, p);
    for (std::size_t b = 0; b < bricks.size(); ++b) {
      const std::string name_here = name_of_brick(name, p, b, bricks.size());
      const PartOptions of_brick = options_of_part(name_here);
      const BrickPlace place{name, {cut, p}, whole.bitmask, bricks[b].box, whole.box};
      const Bitmask mask = mask_of_brick(whole.bitmask, bricks[b]);
      ESKER_ASSIGN_OR_RETURN(Header header, header_of_brick(fields, of_brick, place, mask, name_here));
      ESKER_ASSIGN_OR_RETURN(Part part, complete_part(kind, of_brick, columns, std::move(header), name_here,
                                                      paths.directory() + "/"));
      part.place = place;
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

/// The parts that have fields, fixed ones first.
std::vector<PartKind> kinds_of_parts(const Schema& schema) {
  std::vector<PartKind> kinds;
  for (const bool fixed : {true, false}) {
    for (int grid = 0; grid < static_cast<int>(schema.grids().size()); ++grid) {
      for (const bool cells : {false, true}) {
        if (!fields_of(schema, {grid, fixed, cells}).empty()) kinds.push_back({grid, fixed, cells});
      }
    }
  }
  return kinds;
}

Result<std::vector<Part>> make_parts_of_kind(const DatasetPaths& paths, const Schema& schema,
                                             const OptionsOfPart& options_of_part, const PartKind& kind) {
  if (stores_partitions(options_of_part(name_of_part(schema, kind)))) {
    return make_bricks(paths, schema, options_of_part, kind);
  }
  std::vector<Part> parts;
  ESKER_ASSIGN_OR_RETURN(Part part, make_part(paths, schema, options_of_part, kind));
  parts.push_back(std::move(part));
  return parts;
}

}  // namespace

std::string dataset_stem(const std::string& path) {
  std::string stem = path;
  while (stem.size() > 1 && stem.ends_with('/')) stem.pop_back();
  const std::filesystem::path name = std::filesystem::path(stem).filename();
  if (name == "." || name == "..") {
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::canonical(stem, failure);
    return failure ? stem : real.string();
  }
  return stem.ends_with(".idx") ? stem.substr(0, stem.size() - 4) : stem;
}

std::string blocks_directory(const Header& header) {
  const std::string_view text = header.filename_template;
  const std::size_t slash = text.find('/', 2);
  if (!text.starts_with("./") || slash == std::string_view::npos) return "";
  const std::string_view name = text.substr(2, slash - 2);
  return name.find('%') == std::string_view::npos ? std::string(name) : "";
}

Status check_blocks_directory(const Header& header, const std::string& idx_path) {
  const std::string blocks = blocks_directory(header);
  const std::string name = std::filesystem::path(dataset_stem(idx_path)).filename().string();
  if (blocks.empty() || blocks == name) return {};
  return error(Code::kDataLoss,
               "{}: its filename_template names the blocks of '{}': the file was copied or renamed by hand. "
               "Restore that name and use `esker cp` or `esker mv`; or, if the blocks in {}/ belong to this "
               "file, run `esker repair {} --adopt`",
               idx_path, blocks, name, idx_path);
}

std::string Part::block_sets_path(Index step) const {
  const std::filesystem::path first_file(file_path(0, step));
  return (first_file.parent_path() / kBlockSetsName).string();
}

std::vector<Index> corner_of(const Part& part) {
  if (!part.place) return {};
  const Box& box = part.place->box;
  return {box.lo.begin(), box.lo.begin() + box.rank};
}

namespace {

Index stored_bytes(const Part& part) {
  Index bytes = 0;
  for (const FieldEntry& field : part.header.fields) bytes += field.sample_bytes();
  return bytes * part.blocks.samples_per_block() * part.blocks.num_existing();
}

/// The largest part of a new dataset tells whether its ranks can store bricks.
Status check_main_bricks(const std::vector<Part>& parts, const Schema& schema,
                         const OptionsOfPart& options_of_part) {
  const Part& main = *std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return stored_bytes(a) < stored_bytes(b);
  });
  const PartOptions given = options_of_part(main.name);
  const Index bricks = given.options.partitions.number;
  const bool asks = !given.mask && given.options.partition_index == PartitionIndex::kHybrid && bricks > 1;
  if (!asks || main.header.brick_digits > 0) return {};
  const int digits = std::countr_zero(static_cast<std::uint64_t>(bricks));
  const std::string& grid = schema.grids()[static_cast<std::size_t>(main.grid)].name;
  if (!main.blocks.can_have_bricks(digits)) {
    return error(
        Code::kInvalidArgument,
        "partition_index=hybrid: the {} blocks of grid '{}' do not divide into {} bricks with samples; "
        "set fewer partitions, a smaller bits_per_block, or partition_index=global",
        main.blocks.num_existing(), grid, bricks);
  }
  return error(
      Code::kInvalidArgument,
      "partition_index=hybrid: grid '{}' has no {} equal bricks: the largest has {:.2f} times the mean "
      "number of samples, at most {} are allowed; set another number of partitions, or "
      "partition_index=global",
      grid, bricks, imbalance_of_bricks(main.blocks, digits), kMostPartitionImbalance);
}

}  // namespace

bool is_single(const Schema& schema) {
  const bool any_fixed = std::any_of(schema.fields().begin(), schema.fields().end(),
                                     [](const Field& field) { return field.fixed; });
  const auto has_bits = [](const Field& field) { return field.stored_bits > 0; };
  const auto with_bits = std::count_if(schema.fields().begin(), schema.fields().end(), has_bits);
  const bool is_mixed = with_bits > 0 && with_bits < std::ssize(schema.fields());
  return schema.grids().size() == 1 && !any_fixed && !is_mixed;
}

bool is_single(const Schema& schema, const std::vector<Part>& parts) {
  return is_single(schema) && parts.size() == 1 && !parts.front().place;
}

std::string name_of_whole(const std::string& grid, bool fixed) { return grid + (fixed ? "_fixed" : ""); }

Result<std::vector<Part>> make_parts(const DatasetPaths& paths, const Schema& schema,
                                     const OptionsOfPart& options_of_part) {
  std::vector<Part> parts;
  std::map<std::string, int> grid_of;  // by name of the part
  for (const PartKind& kind : kinds_of_parts(schema)) {
    const std::string& grid = schema.grids()[static_cast<std::size_t>(kind.grid)].name;
    auto made = make_parts_of_kind(paths, schema, options_of_part, kind);
    if (!made.ok()) return made.status().with_context("grid '" + grid + "'");
    for (Part& part : *made) {
      const auto [other, is_new] = grid_of.emplace(part.name, kind.grid);
      if (!is_new) {
        return error(Code::kInvalidArgument,
                     "two .idx files would have the name '{}': rename grid '{}' or '{}'", part.name, grid,
                     schema.grids()[static_cast<std::size_t>(other->second)].name);
      }
      parts.push_back(std::move(part));
    }
  }
  if (!parts.empty()) ESKER_RETURN_IF_ERROR(check_main_bricks(parts, schema, options_of_part));
  return parts;
}

}  // namespace esker::idx
