#include "formats/idx/pidx_header.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/cell_header.h"
#include "grid/cells.h"

namespace esker::idx {
namespace {

/// The value of a PIDX key, the last one if it occurs twice; nullptr if it is missing.
const std::string* find_last(const Header& header, std::string_view key) {
  const auto found = std::find_if(header.other.rbegin(), header.other.rend(),
                                  [key](const auto& entry) { return entry.first == key; });
  return found == header.other.rend() ? nullptr : &found->second;
}

bool is_any_of(const std::string* value, std::initializer_list<std::string_view> words) {
  return value && std::find(words.begin(), words.end(), *value) != words.end();
}

// Numbers for the mode differ between versions. Raw dumps have no (bits), which the error then reports as
// missing.
Status check_mode(const Header& header) {
  const std::string* mode = find_last(header, "(io mode)");
  if (is_any_of(mode, {"raw", "particle"}) || find_last(header, "(raw_dump)")) {
    return error(Code::kUnsupported,
                 "(io mode): PIDX raw dumps and particles are not supported, as they have no IDX blocks");
  }
  return {};
}

// 0 (6.0) and "big" (6.1): some versions swap the samples of blocks, others only record it.
Status check_endian(const Header& header) {
  const std::string* endian = find_last(header, "(endian)");
  if (!endian || is_any_of(endian, {"little", "1"})) return {};
  return error(Code::kUnsupported, "(endian): expected little or 1, found '{}'", excerpt(*endian));
}

/// Bits of a chunk at the rate in the header.
Result<int> zfp_bits(const Header& header) {
  constexpr auto kSamples = static_cast<double>(cell_samples(kPidxAxes));
  constexpr double kMostBits = 64.0 * kSamples;
  const std::string* text = find_last(header, "(compression bit rate)");
  const auto rate = text ? parse_real(*text) : std::nullopt;
  const double bits = rate.value_or(0) * kSamples;
  if (!(bits >= 8 && bits <= kMostBits) || bits / 8 != static_cast<int>(bits / 8)) {
    return error(Code::kDataLoss,
                 "(compression bit rate): expected 0.125 to 64 and whole bytes for 64 samples, found '{}'",
                 text ? excerpt(*text) : "");
  }
  return static_cast<int>(bits);
}

/// Three integers of [least, 2^31), as 6.1 writes them, or of the ten of an older version: those at odd
/// positions.
Result<Point> parse_three(const std::string& key, const std::string& value, Index least) {
  constexpr std::size_t kMaxNumbers = 10;
  auto numbers = parse_integers(value, kMaxNumbers);
  if (!numbers.ok()) return numbers.status().with_context(key);
  const bool in_pairs = numbers->size() == kMaxNumbers;
  if (numbers->size() != kPidxAxes && !in_pairs) {
    return error(Code::kDataLoss, "{}: expected 3 numbers, found '{}'", key, excerpt(value));
  }
  Point point{};
  for (int a = 0; a < kPidxAxes; ++a) {
    point[a] = (*numbers)[static_cast<std::size_t>(in_pairs ? 2 * a + 1 : a)];
    if (point[a] < least || point[a] > std::numeric_limits<std::int32_t>::max()) {
      return error(Code::kDataLoss, "{}: expected {} or more, found '{}'", key, least, excerpt(value));
    }
  }
  return point;
}

}  // namespace

Status resolve_pidx(Header& header) {
  ESKER_RETURN_IF_ERROR(check_mode(header));
  ESKER_RETURN_IF_ERROR(check_endian(header));
  const std::string* text = find_last(header, "(compression type)");
  if (!text) return {};
  const auto type = parse_integer(*text);
  if (!type || *type < 0) {
    return error(Code::kDataLoss, "(compression type): expected 0, 1 or 2, found '{}'", excerpt(*text));
  }
  if (*type == 0) return {};
  if (*type > 2) return error(Code::kUnsupported, "(compression type): expected 0, 1 or 2, found {}", *type);
  if (find_last(header, "(original box)")) {
    return error(Code::kUnsupported,
                 "(original box): this is a PIDX view of chunks as samples; open the original .idx");
  }
  if (header.arco > 0) return error(Code::kUnsupported, "(arco) with PIDX chunks is not supported");
  if (header.bitmask.max_level() == 0) return {};  // (bits) is missing
  CellBlocks chunks{header.bitmask, true, 0};
  if (*type == 2) {
    ESKER_ASSIGN_OR_RETURN(chunks.pidx_zfp_bits, zfp_bits(header));
  }
  ESKER_ASSIGN_OR_RETURN(header.bitmask, mask_of_samples(chunks.mask, kPidxAxes));
  header.cells = chunks;
  return {};
}

Result<Index> num_pidx_partitions(const Header& whole) {
  const std::string* text = find_last(whole, "(partition count)");
  // Files without partitions are written as one, and partitions store their position.
  if (!text || find_last(whole, "(partition offset)")) return Index{1};
  if (is_any_of(find_last(whole, "(io mode)"), {"idx", "0"})) return Index{1};
  ESKER_ASSIGN_OR_RETURN(const Point count, parse_three("(partition count)", *text, 1));
  const auto plane = checked_mul(count[0], count[1]);
  const auto product = plane ? checked_mul(*plane, count[2]) : std::nullopt;
  if (!product)
    return error(Code::kDataLoss, "(partition count): the number of partitions in '{}' exceeds 64 bits",
                 excerpt(*text));
  return *product;
}

Result<std::optional<PidxPartition>> pidx_partition(const Header& header) {
  const std::string* text = find_last(header, "(partition offset)");
  if (!text) return std::optional<PidxPartition>();
  PidxPartition partition;
  ESKER_ASSIGN_OR_RETURN(partition.offset, parse_three("(partition offset)", *text, 0));
  if (const std::string* index = find_last(header, "(partition index)")) {
    partition.index = parse_integer(*index);
    if (!partition.index) {
      return error(Code::kDataLoss, "(partition index): expected an integer, found '{}'", excerpt(*index));
    }
  }
  return std::optional(partition);
}

bool has_local_partitions(const Header& whole) {
  return !is_any_of(find_last(whole, "(io mode)"), {"g_part_idx"});
}

std::string pidx_filename_template(const Header& header, const std::string& stem) {
  if (!find_last(header, "(io mode)")) return header.filename_template;
  const std::size_t directory = header.filename_template.rfind("/" + stem + "/");
  if (directory == std::string::npos) return header.filename_template;
  return "." + header.filename_template.substr(directory);
}

}  // namespace esker::idx
