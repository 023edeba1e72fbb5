// VerifyReport: what verify() read, and the problems that it found.
#pragma once

#include <string>
#include <vector>

#include "esker/types/box.hpp"

namespace esker {

/// An error or a warning, and the file concerned.
struct Finding {
  bool is_error = true;  ///< false: a warning; no committed data are lost
  std::string path;
  std::string text;
};

/// What verify() read, and the problems it found.
struct VerifyReport {
  std::vector<Finding> findings;  ///< the first kMaxFindings
  Index num_errors = 0, num_warnings = 0;
  Index num_unreadable = 0;  ///< errors of the system, e.g. no permission: what was not read may be intact
  Index steps = 0;
  Index files = 0;                                      ///< number of block files opened
  Index blocks = 0, bytes = 0;                          ///< number read, and their size
  Index blocks_with_checksum = 0, blocks_left_out = 0;  ///< left_out: omitted by another program
  Index blocks_compared = 0;                            ///< with the original, see verify_against()

  static constexpr Index kMaxFindings = 1000;
  /// Whether all committed data are intact.
  [[nodiscard]] bool good() const { return num_errors == 0; }
};

}  // namespace esker
