// Parsing: a table reads the keys one by one into a Draft. Then the complete Draft is resolved, because the
// box needs the mask, guesses need the fields, and so on. Source: docs/formats/idx.md, section 1.
#include "formats/idx/header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/cell_header.h"
#include "formats/idx/header_sections.h"
#include "formats/idx/pidx_header.h"
#include "grid/blocks.h"

namespace esker::idx {
namespace {

constexpr Index kGuessedFileBytes = Index{128} << 20;  ///< of all fields: OpenVisus' choice
constexpr Index kAllBlocks = -1;                       ///< a value of (blocksperfile)

struct Draft {
  Header header;           ///< bits_per_block and blocks_per_file may be 0: to be guessed
  std::vector<Index> box;  ///< x1 x2 y1 y2 ..., both ends included
  bool has_version = false;
};

Result<int> parse_int(std::string_view value, Index least, Index most) {
  const auto number = parse_integer(value);
  if (!number || *number < least || *number > most) {
    return error(Code::kDataLoss, "expected an integer from {} to {}, found '{}'", least, most,
                 excerpt(value));
  }
  return static_cast<int>(*number);
}

Status read_version(std::string_view value, Draft& draft) {
  const Index version = parse_leading_integer(value).value_or(0);
  if (version > kCellVersion) return error(Code::kUnsupported, "expected 1 to 7, found '{}'", excerpt(value));
  if (version < 1) return error(Code::kDataLoss, "expected 1 to 7, found '{}'", excerpt(value));
  draft.header.version = static_cast<int>(version);
  draft.has_version = true;
  return {};
}

Status read_box(std::string_view value, Draft& draft) {
  constexpr std::size_t kMaxNumbers = 64;
  ESKER_ASSIGN_OR_RETURN(draft.box, parse_integers(value, kMaxNumbers));
  return {};
}

Status read_fields(std::string_view value, Draft& draft) {
  ESKER_ASSIGN_OR_RETURN(draft.header.fields, parse_fields(value));
  return {};
}

Status read_bits(std::string_view value, Draft& draft) {
  Result<Bitmask> mask = Bitmask::parse(value);
  if (!mask.ok()) {
    const Code code = mask.status().code() == Code::kUnsupported ? Code::kUnsupported : Code::kDataLoss;
    return error(code, "{}", excerpt(mask.status().message()));
  }
  draft.header.bitmask = *mask;
  return {};
}

Status read_bits_per_block(std::string_view value, Draft& draft) {
  constexpr Index kMostWritten = 1000;  // clamped to the mask later
  ESKER_ASSIGN_OR_RETURN(draft.header.bits_per_block, parse_int(value, 0, kMostWritten));
  return {};
}

Status read_blocks_per_file(std::string_view value, Draft& draft) {
  const auto number = parse_integer(value);
  if (!number || *number < kAllBlocks) {
    return error(Code::kDataLoss, "expected -1, 0 or the number of blocks, found '{}'", excerpt(value));
  }
  draft.header.blocks_per_file = *number;
  return {};
}

Status read_filename_template(std::string_view value, Draft& draft) {
  draft.header.filename_template = value;
  return {};
}

Status read_time(std::string_view value, Draft& draft) {
  ESKER_ASSIGN_OR_RETURN(draft.header.time, parse_time(value));
  return {};
}

Status read_interleave_block(std::string_view value, Draft& draft) {
  ESKER_ASSIGN_OR_RETURN(draft.header.interleave_block, parse_int(value, 0, 1 << 30));
  if (draft.header.interleave_block > 1) {
    return error(Code::kUnsupported, "blocks interleaved among files, expected 0 or 1, found {}",
                 draft.header.interleave_block);
  }
  return {};
}

Status read_missing_blocks(std::string_view value, Draft& draft) {
  ESKER_ASSIGN_OR_RETURN(draft.header.missing_blocks, parse_int(value, 0, 1));
  return {};
}

Status read_arco(std::string_view value, Draft& draft) {
  ESKER_ASSIGN_OR_RETURN(draft.header.arco, parse_int(value, 0, kMaxBlockBytes));
  return {};
}

Status read_axis(std::string_view value, Draft& draft) {
  if (!is_utf8(value)) return error(Code::kDataLoss, "'{}' is not UTF-8 text", excerpt(value));
  draft.header.axis = value;
  return {};
}

Status read_physic_box(std::string_view value, Draft& draft) {
  constexpr std::size_t kMaxNumbers = 64;
  ESKER_ASSIGN_OR_RETURN(draft.header.physic_box, parse_reals(value, kMaxNumbers));
  if (draft.header.physic_box.size() % 2 != 0) {
    return error(Code::kDataLoss, "expected pairs of numbers, found '{}'", excerpt(value));
  }
  return {};
}

Status read_logic_to_physic(std::string_view value, Draft& draft) {
  constexpr std::size_t kMaxNumbers = 256;
  ESKER_ASSIGN_OR_RETURN(draft.header.logic_to_physic, parse_reals(value, kMaxNumbers));
  const auto count = draft.header.logic_to_physic.size();
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(count))));
  if (side * side != count)
    return error(Code::kDataLoss, "expected a square matrix, found {} numbers", count);
  return {};
}

struct KeyRow {
  std::string_view key;
  Status (*read)(std::string_view value, Draft& draft);
};

constexpr std::array<KeyRow, 14> kKeys{{
    {"(version)", read_version},
    {"(box)", read_box},
    {"(axis)", read_axis},
    {"(physic_box)", read_physic_box},
    {"(logic_to_physic)", read_logic_to_physic},
    {"(fields)", read_fields},
    {"(bits)", read_bits},
    {"(bitsperblock)", read_bits_per_block},
    {"(blocksperfile)", read_blocks_per_file},
    {"(interleave block)", read_interleave_block},
    {"(time)", read_time},
    {"(filename_template)", read_filename_template},
    {"(missing_blocks)", read_missing_blocks},
    {"(arco)", read_arco},
}};

Status read_section(const std::pair<std::string, std::string>& section, Draft& draft) {
  const std::string& key = section.first;
  const auto row = std::find_if(kKeys.begin(), kKeys.end(), [&](const KeyRow& r) { return r.key == key; });
  if (row != kKeys.end()) return row->read(section.second, draft).with_context(key);
  draft.header.other.push_back(section);
  return {};
}

/// Readers of these versions would take cells for samples.
Status check_no_cells(const Header& header) {
  for (const FieldEntry& field : header.fields) {
    if (field.stored_bits == 0) continue;
    return error(Code::kDataLoss, "(fields): '{}' has stored_bits, which needs (version) 7", field.name);
  }
  return {};
}

/// The key (bricks), which means nothing in other versions.
Status resolve_bricks(Header& header) {
  const auto found = std::find_if(header.other.begin(), header.other.end(),
                                  [](const auto& entry) { return entry.first == kBricksKey; });
  if (found == header.other.end()) return {};
  constexpr Index kMostBricks = Index{1} << kMaxBrickDigits;
  const Index bricks = parse_integer(found->second).value_or(0);
  if (bricks < 2 || bricks > kMostBricks || !std::has_single_bit(static_cast<std::uint64_t>(bricks))) {
    return error(Code::kDataLoss, "(bricks): expected a power of two from 2 to {}, found '{}'", kMostBricks,
                 excerpt(found->second));
  }
  header.brick_digits = std::countr_zero(static_cast<std::uint64_t>(bricks));
  header.other.erase(found);
  return {};
}

/// Whether the grid can have these bricks. A header that claims more bricks than blocks costs nothing.
Status check_bricks(const Header& header) {
  if (header.brick_digits == 0) return {};
  if (header.cells || header.arco > 0) {
    return error(Code::kUnsupported, "(bricks) with stored_bits or (arco) is not supported");
  }
  const BlockGrid blocks(header.bitmask, header.bits_per_block, header.box);
  if (blocks.can_have_bricks(header.brick_digits)) return {};
  return error(Code::kDataLoss,
               "(bricks): {} bricks, but not each of them has a block of 2^{} samples with a sample in (box)",
               Index{1} << header.brick_digits, header.bits_per_block);
}

Status check_present(const Draft& draft) {
  const std::array<std::pair<const char*, bool>, 4> needed{
      {{"(version)", draft.has_version},
       {"(box)", !draft.box.empty()},
       {"(fields)", !draft.header.fields.empty()},
       {"(bits)", draft.header.bitmask.max_level() > 0}}};
  for (const auto& [key, present] : needed) {
    if (!present) return error(Code::kDataLoss, "{} is missing", key);
  }
  return {};
}

/// Pairs beyond the mask's axes are ignored: PIDX always writes five. The box is in samples, also with
/// cells.
Status resolve_box(const Draft& draft, Header& header) {
  const int rank = header.bitmask.rank();
  const Box pow2 = header.bitmask.pow2_box();
  if (static_cast<int>(draft.box.size()) < 2 * rank) {
    return error(Code::kDataLoss, "(box): expected {} numbers for {}, found {}", 2 * rank,
                 header.bitmask.to_string(), draft.box.size());
  }
  Point lo{}, hi{};
  for (int a = 0; a < rank; ++a) {
    const auto i = static_cast<std::size_t>(2 * a);
    const Index first = draft.box[i], last = draft.box[i + 1];
    if (first < 0 || last < first || last >= pow2.hi[a]) {
      return error(Code::kDataLoss, "(box): expected 0 <= first <= last < {} on axis {}, found {} {}",
                   pow2.hi[a], a, first, last);
    }
    lo[a] = first, hi[a] = last + 1;
  }
  header.box = Box(rank, lo, hi);
  return {};
}

Index largest_sample_bytes(const Header& header) {
  Index most = 0;
  for (const FieldEntry& field : header.fields) most = std::max(most, field.sample_bytes());
  return most;
}

Status resolve_bits_per_block(Header& header) {
  constexpr int kGuessed = 16;
  const int max_level = header.block_mask().max_level();
  const Index sample_bytes = largest_sample_bytes(header) * header.samples_inside();
  if (header.arco > 0) {
    if (header.arco / sample_bytes < 2) {
      return error(Code::kDataLoss, "(arco): blocks of {} bytes, expected two samples of {} bytes or more",
                   header.arco, sample_bytes);
    }
    header.bits_per_block = std::bit_width(static_cast<std::uint64_t>(header.arco / sample_bytes)) - 1;
  }
  // PIDX writes 0 if a block is one chunk.
  if (header.bits_per_block == 0 && !header.cells) header.bits_per_block = kGuessed;
  header.bits_per_block = std::min(header.bits_per_block, max_level);
  if (header.bits_per_block > kMaxBitsPerBlock || sample_bytes > (kMaxBlockBytes >> header.bits_per_block)) {
    return error(Code::kDataLoss,
                 "(bitsperblock): blocks of 2^{} samples of {} bytes, expected less than 2 GiB",
                 header.bits_per_block, sample_bytes);
  }
  return {};
}

Status resolve_blocks_per_file(Header& header) {
  const Index num_blocks = Index{1} << (header.block_mask().max_level() - header.bits_per_block);
  if (header.blocks_per_file == 0) {
    Index bytes = 0;  // of one block of every field: at most kMaxFields * 2 GiB
    const Index unit = header.samples_inside();
    for (const FieldEntry& field : header.fields) {
      bytes += unit * field.sample_bytes() << header.bits_per_block;
    }
    header.blocks_per_file = std::clamp<Index>(kGuessedFileBytes / bytes, 1, num_blocks);
  }
  if (header.blocks_per_file == kAllBlocks) header.blocks_per_file = num_blocks;
  if (header.arco > 0) header.blocks_per_file = 1;
  const auto num_fields = static_cast<Index>(header.fields.size());
  if (header.blocks_per_file > kMaxEntriesPerFile / num_fields) {
    return error(Code::kDataLoss,
                 "(blocksperfile): {} blocks of {} fields in a file, expected at most {} in all",
                 header.blocks_per_file, num_fields, kMaxEntriesPerFile);
  }
  return {};
}

/// One directory level for every 8 bits that the block number has beyond 16, as OpenVisus guesses.
std::string guessed_template(const Header& header, const std::string& stem) {
  std::string text = "./" + stem;
  const int block_bits = header.block_mask().max_level() - header.bits_per_block;
  for (int bits = block_bits; bits > 16; bits -= 8) text += "/%02x";
  return text + "/%04x.bin";
}

/// Templates must be expandable. ARCO ignores them and uses field names as parts of paths.
Status resolve_paths(Header& header, const std::string& stem) {
  if (header.filename_template.empty()) header.filename_template = guessed_template(header, stem);
  if (header.arco > 0) {
    for (const FieldEntry& field : header.fields) {
      const Status named = check_field_name(field.name);
      if (!named.ok()) return Status(Code::kDataLoss, "(fields) with (arco): " + named.message());
    }
    return {};
  }
  const std::string time = header.time ? header.time->path_template : "";
  return FilenameTemplate::parse(header.filename_template, time, /*allow_outside=*/true)
      .status()
      .with_context("(filename_template)");
}

}  // namespace

Result<Header> parse_header(std::string_view text, const std::string& stem) {
  if (text.size() > kMaxHeaderBytes) {
    return error(Code::kDataLoss, "header of {} bytes, expected at most {}", text.size(), kMaxHeaderBytes);
  }
  Draft draft;
  ESKER_ASSIGN_OR_RETURN(const Sections sections, split_sections(text));
  for (const auto& section : sections) ESKER_RETURN_IF_ERROR(read_section(section, draft));
  Header& header = draft.header;
  if (header.version == kCellVersion) {
    ESKER_RETURN_IF_ERROR(resolve_bricks(header));
    ESKER_RETURN_IF_ERROR(resolve_cells(header));
  } else {
    ESKER_RETURN_IF_ERROR(check_no_cells(header));
    ESKER_RETURN_IF_ERROR(resolve_pidx(header));
  }
  ESKER_RETURN_IF_ERROR(check_present(draft));
  ESKER_RETURN_IF_ERROR(resolve_box(draft, header));
  ESKER_RETURN_IF_ERROR(resolve_bits_per_block(header));
  ESKER_RETURN_IF_ERROR(check_bricks(header));
  ESKER_RETURN_IF_ERROR(resolve_blocks_per_file(header));
  ESKER_RETURN_IF_ERROR(resolve_paths(header, stem));
  return header;
}

const std::string* Header::find_other(std::string_view key) const {
  const auto found =
      std::find_if(other.begin(), other.end(), [key](const auto& entry) { return entry.first == key; });
  return found == other.end() ? nullptr : &found->second;
}

}  // namespace esker::idx
