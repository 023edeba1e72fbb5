// The text header of an IDX dataset (run.idx): parses untrusted text, prints the form that OpenVisus expects.
//
// Source: docs/formats/idx.md, section 1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/filename_template.h"
#include "formats/idx/idx_block.h"
#include "grid/bitmask.h"

namespace esker::idx {

inline constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 20;  ///< limit for texts
inline constexpr int kMaxFields = 100000;
inline constexpr std::string_view kBricksKey = "(bricks)";
inline constexpr int kMaxBrickDigits = 24;
inline constexpr int kMaxBitsPerBlock = 30;
inline constexpr Index kMaxBlockBytes = (Index{1} << 31) - 1;  ///< the size word is signed in OpenVisus
inline constexpr int kMaxComponents = 65536;
inline constexpr Index kMaxEntriesPerFile = Index{1} << 24;  ///< blocks_per_file * fields: 640 MiB of entries

/// One entry of (fields).
struct FieldEntry {
  std::string name;
  SampleType type = SampleType::kFloat32;
  int components = 1;
  InBlockOrder order = InBlockOrder::kRowMajor;
  std::string compression;       ///< text inside default_compression(...); empty: raw
  int stored_bits = 0;           ///< version 7: bits per sample of its cells; 0: blocks hold samples
  int default_value = 0;         ///< its low byte fills samples that are not stored
  std::vector<double> min, max;  ///< display range, one value or one per component
  std::string filter;            ///< text inside filter(...); readers without filters must reject it
  std::string description;

  [[nodiscard]] Index sample_bytes() const { return Index{components} * size_bytes(type); }
  friend bool operator==(const FieldEntry&, const FieldEntry&) = default;
};

/// One term of (time): first, first + step ... last, both ends included.
struct TimeRange {
  Index first = 0, last = 0, step = 1;
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// The value of (time). `ranges` may be empty or hold an empty range: a dataset without steps, printed as "0
/// -1". Parsing drops empty ranges, and reads "* * template" (times unknown) as no step.
struct TimeSteps {
  std::string path_template;  ///< one word, e.g. "time_%04d/"
  std::vector<TimeRange> ranges;
  [[nodiscard]] bool contains(Index time) const;
  /// All times, ascending, without duplicates; kDataLoss if there are more than `max_count`, duplicates
  /// included.
  [[nodiscard]] Result<std::vector<Index>> list(Index max_count) const;
  friend bool operator==(const TimeSteps&, const TimeSteps&) = default;
};

/// Blocks of cells (4 samples along each axis, x fastest inside a cell): (bits) and blocks order cells. They
/// are the chunks of PIDX, or those of version 7, where each field has its FieldEntry::stored_bits.
struct CellBlocks {
  Bitmask mask;  ///< (bits) as in the file; Header::bitmask has more digits, those inside a cell
  bool is_pidx = false;
  int pidx_zfp_bits = 0;  ///< of PIDX: bits of one chunk, as fixed-rate zfp; 0: raw
  friend bool operator==(const CellBlocks&, const CellBlocks&) = default;
};

struct Header {
  int version = 6;
  Box box;  ///< half open; the text stores the last index
  std::vector<FieldEntry> fields;
  Bitmask bitmask;                  ///< of samples, even if (bits) is of cells
  std::optional<CellBlocks> cells;  ///< absent: blocks hold samples
  int bits_per_block = 0;           ///< a block holds 2^bits_per_block samples, or cells
  int brick_digits = 0;             ///< version 7: hybrid blocks of 2^brick_digits bricks
  Index blocks_per_file = 0;        ///< > 0 after parsing: guesses are resolved
  std::string filename_template;    ///< as in the file, e.g. "./run/%04x.bin"
  std::optional<TimeSteps> time;    ///< absent: the single step 0, no time in the path
  int interleave_block = 0;
  int missing_blocks = 0;
  Index arco = 0;                       ///< 0, or block size in bytes
  std::string axis;                     ///< axis names separated by spaces
  std::vector<double> physic_box;       ///< x1 x2 y1 y2 ...; empty if absent
  std::vector<double> logic_to_physic;  ///< row by row; empty if absent
  /// Unknown keys, in file order, e.g. {"(esker)", "{...}"}; values without line breaks.
  std::vector<std::pair<std::string, std::string>> other;

  [[nodiscard]] const std::string* find_other(std::string_view key) const;  ///< nullptr if there is none
  /// The mask that orders the contents of blocks: (bits).
  [[nodiscard]] const Bitmask& block_mask() const { return cells ? cells->mask : bitmask; }
  /// Levels of samples inside what a block holds: 0, or those of a cell.
  [[nodiscard]] int levels_inside() const { return bitmask.max_level() - block_mask().max_level(); }
  /// What a block of samples holds 2^bits_per_block of, in samples: 1, or a cell.
  [[nodiscard]] Index samples_inside() const { return Index{1} << levels_inside(); }
  friend bool operator==(const Header&, const Header&) = default;
};

/// Parses the text of an .idx file. `stem` is the name of the file without ".idx", for guessed templates.
/// Guesses and ARCO sizes are resolved the way OpenVisus does it; if a key occurs twice, the last value is
/// used. Checks consistency: bits cover the box, bits_per_block is within the mask, blocks are smaller than 2
/// GiB, the sizes of block file headers are plausible, templates can be expanded. FilenameTemplate::parse
/// checks whether templates leave the directory of the .idx. PIDX data are in HZ order according to the flags
/// of their blocks, whatever FieldEntry::order says. Errors: kDataLoss (which key, what was expected, what
/// was found), kUnsupported (version > 7, "F" masks, interleaved files, and the PIDX features that
/// pidx_header.h lists).
Result<Header> parse_header(std::string_view text, const std::string& stem);

/// Prints the keys in OpenVisus' order, extra keys last. parse(print(h)) == h for every parsed header.
std::string print_header(const Header& header);

/// The value of (fields): entries separated by '+'. Names are UTF-8 and unique.
Result<std::vector<FieldEntry>> parse_fields(std::string_view text);

/// Parses one entry of (fields), e.g. "vel float32[3] default_layout(row_major) min(0) max(0)".
Result<FieldEntry> parse_field(std::string_view text);
std::string print_field(const FieldEntry& field);

/// The value of (time), e.g. "0 2 time_%04d/".
Result<TimeSteps> parse_time(std::string_view text);
std::string print_time(const TimeSteps& time);

/// Whether OpenVisus and file names accept this field name: 1 ... 128 letters, digits, '_', '.', '-', without
/// a leading '.'. (Names that contain OpenVisus' option words, as "deformation" does, are read correctly:
/// docs/internals/decisions/0001-idx-header-and-openvisus.md.) kInvalidArgument describes the problem.
Status check_field_name(const std::string& name);

}  // namespace esker::idx
