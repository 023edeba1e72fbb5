// Names of block files: "./run/%02x/%04x.bin" plus a time template, expanded by our own code.
//
// A template from a file is never passed to printf. Source: docs/formats/idx.md, section 4.3.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"

namespace esker::idx {

/// Wildcards of FilenameTemplate::patterns(): templates hold no control characters.
inline constexpr char kAnyHexDigit = '\1';  ///< one digit of a block number, 0-9 or a-f
inline constexpr char kAnyTime = '\2';      ///< an integer, with optional leading spaces

class FilenameTemplate {
 public:
  /// `blocks` holds %0Nx groups (N is one digit 1-9), `time` at most one %d, %Nd or %0Nd; without one, all
  /// times have the same path. Paths are relative to the .idx: a leading "./" or "$(CurrentFileDirectory)/"
  /// is removed. Absolute paths, and paths that leave the directory of the .idx through "..", are kDataLoss
  /// unless `allow_outside`, as is any other use of '%'. Another "$(...)" is kUnsupported.
  static Result<FilenameTemplate> parse(const std::string& blocks, const std::string& time,
                                        bool allow_outside = false);

  /// Path, relative to the directory of the .idx (or absolute), of the file whose first block is
  /// `first_block` (block - block mod blocks_per_file; >= 0), at integer time `time`.
  [[nodiscard]] std::string path(Index first_block, Index time) const;

  /// The patterns of all paths of files whose first block is at most `last`; path() matches one of them.
  [[nodiscard]] std::vector<std::string> patterns(Index last) const;

  /// True if there is no %0Nx: one file holds everything, and time is ignored.
  [[nodiscard]] bool single_file() const { return groups_.empty(); }

 private:
  struct Group {
    int digits = 0;
    std::string text_after;  ///< literal text between this group and the next one, or the end
  };
  Status set_blocks(std::string_view text);
  [[nodiscard]] std::string time_text(Index time) const;

  std::string prefix_;  ///< before the time
  std::string time_prefix_, time_suffix_;
  bool has_time_ = false;
  int time_width_ = 0;
  bool time_zero_padded_ = false;
  std::vector<Group> groups_;  ///< left to right
};

}  // namespace esker::idx
