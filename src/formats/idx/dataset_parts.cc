#include "formats/idx/dataset_parts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "codec/codec.h"
#include "formats/idx/idx_choice.h"
#include "layout/piece_record.h"

namespace esker::idx {
namespace {

std::vector<int> fields_of(const Schema& schema, int grid, bool fixed) {
  std::vector<int> fields;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    if (field.grid == grid && field.fixed == fixed) fields.push_back(static_cast<int>(f));
  }
  return fields;
}

/// OpenVisus' physical box if every dimension has evenly spaced coordinates; otherwise empty. Index n, one
/// past the last sample, maps to the upper end.
std::vector<double> physic_box(const Schema& schema, const Grid& grid) {
  constexpr double kTolerance = 1e-6;
  std::vector<double> box;
  for (const int d : grid.dims) {
    const auto found = grid.coords.find(schema.dims()[d].name);
    if (found == grid.coords.end() || found->second.size() < 2) return {};
    const std::vector<double>& values = found->second;
    const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double even = values.front() + step * static_cast<double>(i);
      if (!(std::abs(values[i] - even) <= kTolerance * std::abs(step))) return {};
    }
    box.push_back(values.front());
    box.push_back(values.front() + step * static_cast<double>(values.size()));
  }
  return box;
}

Result<CodecSpec> codec_of(const Field& field) {
  return parse_compression_option(field.compression.empty() ? "none" : field.compression);
}

Result<std::vector<Column>> columns_of_part(const Schema& schema, int grid, bool fixed, bool split) {
  std::vector<Column> columns;
  for (const int field : fields_of(schema, grid, fixed)) {
    ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(schema.fields()[field]));
    for (const Column& column : columns_of(schema, field, codec.kind, split)) columns.push_back(column);
  }
  return columns;
}

/// The compression of a column, as OpenVisus reads it.
Result<std::string> compression_of(const Field& field, const Column& column, InBlockOrder order, int rank) {
  ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(field));
  ESKER_RETURN_IF_ERROR(check_compression(codec, field.type, column.components, rank)
                            .with_context("field '" + field.name + "'"));
  if (codec.kind == CodecKind::kZfp && order != InBlockOrder::kRowMajor) {
    return error(Code::kInvalidArgument,
                 "field '{}': compression {} needs neighboring samples next to each other; set "
                 "in_block=row_major",
                 field.name, field.compression);
  }
  return print_codec_spec(codec);
}

Result<FieldEntry> field_entry(const Field& field, const Column& column, InBlockOrder order, int rank) {
  ESKER_RETURN_IF_ERROR(check_field_name(field.name));
  if (field.components > kMaxComponents) {
    return error(Code::kInvalidArgument, "field '{}' has {} components; at most {} are supported", field.name,
                 field.components, kMaxComponents);
  }
  FieldEntry entry;
  entry.name = column_name(field, column);
  entry.type = field.type;
  entry.components = column.components;
  entry.order = order;
  ESKER_ASSIGN_OR_RETURN(entry.compression, compression_of(field, column, order, rank));
  return entry;
}

/// A column's name may be that of another field.
Status check_names_differ(const std::vector<FieldEntry>& fields) {
  std::set<std::string> names;
  for (const FieldEntry& field : fields) {
    if (!names.insert(field.name).second) {
      return error(Code::kInvalidArgument,
                   "two fields would be stored as '{}': rename one, or set the option split to false",
                   field.name);
    }
  }
  return {};
}

std::string axis_names(const Schema& schema, const Grid& grid) {
  std::string names;
  for (const int d : grid.dims) names += (names.empty() ? "" : " ") + schema.dims()[d].name;
  return names;
}

Result<int> bits_per_block(const Options& options, const Bitmask& mask, const Box& box,
                           const SampleBytes& sample_bytes) {
  if (options.bits_per_block == 0) return choose_bits_per_block(mask, box, sample_bytes);
  const int bits = std::min(options.bits_per_block, mask.max_level());
  if (bits < 1 || bits > kMaxBitsPerBlock || sample_bytes.largest > kMaxBlockBytes >> bits) {
    return error(Code::kInvalidArgument,
                 "bits_per_block {}: expected 1 to {}, and blocks of less than 2 GiB (a sample has {} bytes)",
                 options.bits_per_block, kMaxBitsPerBlock, sample_bytes.largest);
  }
  return bits;
}

/// Mask and size of blocks. Of two masks with evenly shared digits, the one whose blocks take less space; if
/// equal, the one with longer rows (docs/internals/decisions/0009-masks.md).
Status choose_blocks(const PartOptions& given, const SampleBytes& sample_bytes, Header& header) {
  ESKER_ASSIGN_OR_RETURN(const Bitmask regular, Bitmask::longest_first(header.box.rank, header.box.hi));
  ESKER_ASSIGN_OR_RETURN(const Bitmask in_turn, Bitmask::for_extent(header.box.rank, header.box.hi));
  std::vector<Bitmask> candidates{regular, in_turn};
  if (given.mask)
    candidates = {*given.mask == in_turn ? in_turn : regular};  // no other one is of a part of ours
  std::optional<double> least;
  for (const Bitmask& mask : candidates) {
    ESKER_ASSIGN_OR_RETURN(const int bits, bits_per_block(given.options, mask, header.box, sample_bytes));
    const double ratio = stored_over_data(mask, bits, header.box);
    if (least && ratio >= *least) continue;
    least = ratio;
    header.bitmask = mask;
    header.bits_per_block = bits;
  }
  return {};
}

Result<Header> make_header(const Schema& schema, const PartOptions& given, int grid_number, bool fixed,
                           const std::vector<Column>& columns, const std::string& part_name) {
  const Options& options = given.options;
  const Grid& grid = schema.grids()[grid_number];
  Header header;
  header.box = schema.box_of(grid);
  SampleBytes sample_bytes;
  Index all_samples = 0;
  for (const Column& column : columns) {
    ESKER_ASSIGN_OR_RETURN(FieldEntry entry, field_entry(schema.fields()[column.field], column,
                                                         options.in_block, header.box.rank));
    const Index bytes = entry.sample_bytes();
    sample_bytes.smallest = header.fields.empty() ? bytes : std::min(sample_bytes.smallest, bytes);
    sample_bytes.largest = std::max(sample_bytes.largest, bytes);
    all_samples += bytes;
    header.fields.push_back(std::move(entry));
  }
  ESKER_RETURN_IF_ERROR(check_names_differ(header.fields));
  ESKER_RETURN_IF_ERROR(choose_blocks(given, sample_bytes, header));
  if ((sample_bytes.smallest << header.bits_per_block) % kCompressedAlignment != 0) {
    for (FieldEntry& entry : header.fields) entry.compression.clear();  // a few bytes: a tiny grid
  }
  const BlockGrid blocks(header.bitmask, header.bits_per_block, header.box);
  header.blocks_per_file = options.blocks_per_file > 0
                               ? std::min(options.blocks_per_file, blocks.num_blocks())
                               : choose_blocks_per_file(blocks.num_blocks(), blocks.num_existing(),
                                                        all_samples << header.bits_per_block);
  if (static_cast<Index>(header.fields.size()) > kMaxEntriesPerFile / header.blocks_per_file) {
    return error(Code::kInvalidArgument,
                 "blocks_per_file {} times {} fields: at most {} entries fit in a file",
                 header.blocks_per_file, header.fields.size(), kMaxEntriesPerFile);
  }
  header.filename_template = "./" + part_name + "/%04x.bin";
  if (!fixed) header.time = TimeSteps{kTimeTemplate, {{0, -1, 1}}};
  header.axis = axis_names(schema, grid);
  header.physic_box = physic_box(schema, grid);
  return header;
}

Result<Part> make_part(const DatasetPaths& paths, const Schema& schema, const OptionsOfPart& options_of_part,
                       int grid, bool fixed) {
  const bool single = is_single(schema);
  const std::string directory =
      single ? std::filesystem::path(paths.stem).parent_path().string() : paths.directory();
  const std::string name = single ? std::filesystem::path(paths.stem).filename().string()
                                  : schema.grids()[grid].name + (fixed ? "_fixed" : "");
  const PartOptions given = options_of_part(name);
  const Options& options = given.options;
  ESKER_ASSIGN_OR_RETURN(std::vector<Column> columns, columns_of_part(schema, grid, fixed, options.split));
  ESKER_ASSIGN_OR_RETURN(Header header, make_header(schema, given, grid, fixed, columns, name));
  ESKER_ASSIGN_OR_RETURN(FilenameTemplate files,
                         FilenameTemplate::parse(header.filename_template, fixed ? "" : kTimeTemplate));
  const BlockGrid blocks(header.bitmask, header.bits_per_block, header.box);
  const std::string slash = directory.empty() ? "" : directory + "/";
  return Part{name,
              slash + name + ".idx",
              slash,
              grid,
              fixed,
              std::move(columns),
              std::move(header),
              blocks,
              std::move(files),
              options.alignment_bytes,
              options.checksums};
}

}  // namespace

std::string dataset_stem(const std::string& path) {
  std::string stem = path;
  while (stem.size() > 1 && stem.ends_with('/')) stem.pop_back();
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

bool is_single(const Schema& schema) {
  const bool any_fixed = std::any_of(schema.fields().begin(), schema.fields().end(),
                                     [](const Field& field) { return field.fixed; });
  return schema.grids().size() == 1 && !any_fixed;
}

Result<std::vector<Part>> make_parts(const DatasetPaths& paths, const Schema& schema,
                                     const OptionsOfPart& options_of_part) {
  std::vector<Part> parts;
  for (const bool fixed : {true, false}) {
    for (int grid = 0; grid < static_cast<int>(schema.grids().size()); ++grid) {
      if (fields_of(schema, grid, fixed).empty()) continue;
      auto part = make_part(paths, schema, options_of_part, grid, fixed);
      if (!part.ok()) return part.status().with_context("grid '" + schema.grids()[grid].name + "'");
      for (const Part& other : parts) {
        if (other.name == part->name) {
          return error(Code::kInvalidArgument,
                       "two .idx files would have the name '{}': rename grid '{}' or '{}'", part->name,
                       schema.grids()[grid].name, schema.grids()[other.grid].name);
        }
      }
      parts.push_back(std::move(*part));
    }
  }
  return parts;
}

}  // namespace esker::idx
