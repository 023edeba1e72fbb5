#include "formats/idx/part_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/macros.h"
#include "codec/cells.h"
#include "codec/codec.h"
#include "formats/idx/cell_header.h"
#include "formats/idx/idx_choice.h"
#include "grid/cells.h"
#include "layout/piece_record.h"

namespace esker::idx {
std::vector<int> fields_of(const Schema& schema, const PartKind& kind) {
  std::vector<int> fields;
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    if (kind.has(schema.fields()[f])) fields.push_back(static_cast<int>(f));
  }
  return fields;
}

namespace {

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

}  // namespace

Result<std::vector<Column>> columns_of_part(const Schema& schema, const PartKind& kind, bool split) {
  std::vector<Column> columns;
  for (const int field : fields_of(schema, kind)) {
    ESKER_ASSIGN_OR_RETURN(const CodecSpec codec, codec_of(schema.fields()[field]));
    const CodecKind coded = kind.cells ? CodecKind::kZfp : codec.kind;
    for (const Column& column : columns_of(schema, field, coded, split || kind.cells))
      columns.push_back(column);
  }
  return columns;
}

namespace {

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
  entry.stored_bits = field.stored_bits;
  ESKER_ASSIGN_OR_RETURN(entry.compression, compression_of(field, column, order, rank));
  return entry;
}

/// A column's name may be that of another field.
Status check_names_differ(const std::vector<FieldEntry>& fields, bool cells) {
  std::set<std::string> names;
  for (const FieldEntry& field : fields) {
    if (!names.insert(field.name).second) {
      return error(Code::kInvalidArgument, "two fields would be stored as '{}': rename one{}", field.name,
                   cells ? "" : ", or set the option split to false");
    }
  }
  return {};
}

std::string axis_names(const Schema& schema, const Grid& grid) {
  std::string names;
  for (const int d : grid.dims) names += (names.empty() ? "" : " ") + schema.dims()[d].name;
  return names;
}

/// What blocks hold: samples, or cells as if they were samples.
struct BlockContent {
  Box box;
  SampleBytes bytes;
  Index all_bytes = 0;      ///< of one sample (cell) of all fields
  int levels = 0;           ///< of samples inside: 0, or those of a cell
  int more_bits = 0;        ///< blocks of cells hold 2^more_bits times as many samples as the option says
  Index decoded_bytes = 0;  ///< the largest sample, or decoded cell

  void add(const FieldEntry& field, bool cells) {
    const CellForm form{field.type, box.rank, field.stored_bits};
    const Index size = cells ? form.coded_bytes() : field.sample_bytes();
    const int more =
        cells ? std::countr_zero(static_cast<unsigned>(8 * size_bytes(field.type) / form.bits)) : 0;
    more_bits = all_bytes == 0 ? more : std::min(more_bits, more);
    bytes.smallest = all_bytes == 0 ? size : std::min(bytes.smallest, size);
    bytes.largest = std::max(bytes.largest, size);
    decoded_bytes = std::max(decoded_bytes, cells ? form.sample_bytes() : size);
    all_bytes += size;
  }
};

BlockContent content_of(const Header& header, bool cells) {
  BlockContent content;
  content.box = cells ? cells_meeting(header.box, header.box.rank) : header.box;
  content.levels = cells ? cell_levels(header.box.rank) : 0;
  for (const FieldEntry& field : header.fields) content.add(field, cells);
  return content;
}

/// log2 of the samples (cells) in a block. The option counts samples, as many as a block of raw samples has
/// of the same size in bytes; existing parts count what their blocks hold.
Result<int> bits_per_block(const PartOptions& given, const Bitmask& mask, const BlockContent& content) {
  const int asked = given.options.bits_per_block;
  if (asked == 0 && !given.mask) return choose_bits_per_block(mask, content.box, content.bytes);
  const int wanted = given.mask ? asked : asked + content.more_bits - content.levels;
  const int bits = std::min(content.levels > 0 ? std::max(wanted, 0) : wanted, mask.max_level());
  const int least = content.levels > 0 ? 0 : 1;
  if (asked < (given.mask ? least : 1) || bits < least || bits > kMaxBitsPerBlock ||
      content.decoded_bytes > kMaxBlockBytes >> bits) {
    return error(Code::kInvalidArgument,
                 "bits_per_block {}: expected 1 to {}, and blocks of less than 2 GiB (a {} has {} bytes)",
                 asked, kMaxBitsPerBlock, content.levels > 0 ? "decoded cell" : "sample",
                 content.decoded_bytes);
  }
  return bits;
}

/// The mask of a brick is given by that of its grid.
Status choose_blocks_of_brick(const PartOptions& given, const Bitmask& mask, const BlockContent& content,
                              Header& header) {
  header.bitmask = mask;
  ESKER_ASSIGN_OR_RETURN(header.bits_per_block, bits_per_block(given, mask, content));
  return {};
}

Status choose_blocks(const PartOptions& given, const BlockContent& content, Header& header) {
  const Box& box = content.box;
  ESKER_ASSIGN_OR_RETURN(const Bitmask regular, Bitmask::longest_first(box.rank, box.hi));
  ESKER_ASSIGN_OR_RETURN(const Bitmask in_turn, Bitmask::for_extent(box.rank, box.hi));
  std::vector<Bitmask> candidates{regular, in_turn};
  if (given.mask)
    candidates = {*given.mask == in_turn ? in_turn : regular};  // no other one is of a part of ours
  std::optional<double> least;
  for (const Bitmask& mask : candidates) {
    ESKER_ASSIGN_OR_RETURN(const int bits, bits_per_block(given, mask, content));
    const double ratio = stored_over_data(mask, bits, box);
    if (least && ratio >= *least) continue;
    least = ratio;
    header.bitmask = mask;
    header.bits_per_block = bits;
  }
  return {};
}

}  // namespace

Status choose_blocks(const PartOptions& given, Header& header) {
  return choose_blocks(given, content_of(header, false), header);
}

namespace {

Status choose_files(const Options& options, const BlockContent& content, Header& header) {
  const BlockGrid blocks(header.bitmask, header.bits_per_block, content.box);
  header.blocks_per_file =
      options.blocks_per_file > 0
          ? std::min(options.blocks_per_file, blocks.num_blocks())
          : choose_blocks_per_file(blocks.num_blocks(), blocks.num_existing(),
                                   content.all_bytes << header.bits_per_block, options.partitions.number);
  if (static_cast<Index>(header.fields.size()) <= kMaxEntriesPerFile / header.blocks_per_file) return {};
  return error(Code::kInvalidArgument, "blocks_per_file {} times {} fields: at most {} entries fit in a file",
               header.blocks_per_file, header.fields.size(), kMaxEntriesPerFile);
}

/// Blocks whose size depends on the data cannot be stored before they are merged. The errors of cells are
/// known only to the ranks that code them.
Status check_hybrid_fields(const Header& header) {
  for (const FieldEntry& field : header.fields) {
    if (field.compression.empty() && field.stored_bits == 0) continue;
    return error(Code::kInvalidArgument,
                 "field '{}' is stored with {}, which partition_index=hybrid does not support{}: set "
                 "partition_index=global{}",
                 field.name, field.stored_bits > 0 ? "stored_bits" : "compression " + field.compression,
                 field.stored_bits > 0 ? ", as the errors of merged blocks are unknown"
                                       : ", as the sizes of blocks depend on the data",
                 field.stored_bits > 0 ? "" : " or local");
  }
  return {};
}

}  // namespace

double imbalance_of_bricks(const BlockGrid& blocks, int digits) {
  const Bitmask& mask = blocks.mask();
  const Point extent = mask.pow2_sizes(digits + 1, mask.max_level());
  const Box first = intersect(Box::from_extent(mask.rank(), extent), blocks.box());
  return static_cast<double>(first.num_samples()) * static_cast<double>(Index{1} << digits) /
         static_cast<double>(blocks.box().num_samples());
}

namespace {

/// Bricks of a new part, if the grid has equal ones.
Status choose_bricks(const PartOptions& given, const BlockContent& content, Header& header) {
  header.brick_digits = given.brick_digits;
  if (given.mask || given.options.partition_index != PartitionIndex::kHybrid) return {};
  ESKER_RETURN_IF_ERROR(check_hybrid_fields(header));
  const int digits = std::countr_zero(static_cast<std::uint64_t>(given.options.partitions.number));
  const BlockGrid blocks(header.bitmask, header.bits_per_block, content.box);
  const bool are_equal =
      blocks.can_have_bricks(digits) && imbalance_of_bricks(blocks, digits) <= kMostPartitionImbalance;
  header.brick_digits = are_equal ? digits : 0;
  return {};
}

/// From now on (bits) orders cells.
Status order_cells(Header& header) {
  header.version = kCellVersion;
  header.cells = CellBlocks{header.bitmask, false, 0};
  ESKER_ASSIGN_OR_RETURN(header.bitmask, mask_of_samples(header.cells->mask, header.box.rank));
  return {};
}

}  // namespace

Result<Header> header_of_fields(const Schema& schema, const PartOptions& given, const PartKind& kind,
                                const std::vector<Column>& columns) {
  const Grid& grid = schema.grids()[kind.grid];
  Header header;
  header.box = schema.box_of(grid);
  for (const Column& column : columns) {
    ESKER_ASSIGN_OR_RETURN(FieldEntry entry, field_entry(schema.fields()[column.field], column,
                                                         given.options.in_block, header.box.rank));
    header.fields.push_back(std::move(entry));
  }
  ESKER_RETURN_IF_ERROR(check_names_differ(header.fields, kind.cells));
  if (!kind.fixed) header.time = TimeSteps{kTimeTemplate, {{0, -1, 1}}};
  header.axis = axis_names(schema, grid);
  header.physic_box = physic_box(schema, grid);
  return header;
}

namespace {

/// What depends on the size of blocks, and the names of files.
Status add_files(const PartOptions& given, const BlockContent& content, const std::string& part_name,
                 Header& header) {
  if ((content.bytes.smallest << header.bits_per_block) % kCompressedAlignment != 0) {
    for (FieldEntry& entry : header.fields) entry.compression.clear();  // a few bytes: a tiny grid
  }
  header.filename_template = "./" + part_name + "/%04x.bin";
  return choose_files(given.options, content, header);
}

}  // namespace

Result<Header> make_header(const Schema& schema, const PartOptions& given, const PartKind& kind,
                           const std::vector<Column>& columns, const std::string& part_name) {
  ESKER_ASSIGN_OR_RETURN(Header header, header_of_fields(schema, given, kind, columns));
  const BlockContent content = content_of(header, kind.cells);
  ESKER_RETURN_IF_ERROR(choose_blocks(given, content, header));
  ESKER_RETURN_IF_ERROR(add_files(given, content, part_name, header));
  ESKER_RETURN_IF_ERROR(choose_bricks(given, content, header));
  if (header.brick_digits > 0) header.version = kCellVersion;
  if (kind.cells) ESKER_RETURN_IF_ERROR(order_cells(header));
  return header;
}

namespace {

/// The part of OpenVisus' physical box of a grid that a box of the grid has.
std::vector<double> physic_box_in(const std::vector<double>& whole, const Box& grid, const Box& box) {
  std::vector<double> part;
  for (std::size_t a = 0; 2 * a < whole.size(); ++a) {
    const double first = whole[2 * a];
    const double step = (whole[2 * a + 1] - first) / static_cast<double>(grid.hi[a]);
    part.push_back(first + step * static_cast<double>(box.lo[a]));
    part.push_back(first + step * static_cast<double>(box.hi[a]));
  }
  return part;
}

}  // namespace

Result<Header> header_of_brick(const Header& whole, const PartOptions& given, const BrickPlace& place,
                               const Bitmask& mask, const std::string& part_name) {
  Header header = whole;
  header.box = Box::from_extent(whole.box.rank, place.box.extents());
  header.physic_box = physic_box_in(whole.physic_box, whole.box, place.box);
  const BlockContent content = content_of(header, false);
  ESKER_RETURN_IF_ERROR(choose_blocks_of_brick(given, mask, content, header));
  PartOptions alone = given;
  alone.options.partitions = {Partitions::Unit::kPartitions, 1};  // a brick is not divided further
  ESKER_RETURN_IF_ERROR(add_files(alone, content, part_name, header));
  return header;
}

}  // namespace esker::idx
