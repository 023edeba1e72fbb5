// verify: checks every block of a dataset.
//
//   const esker::VerifyReport report = esker::verify("run.idx").value();
//   if (!report.good()) std::cerr << report.findings.front().text << '\n';
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "esker/box.hpp"
#include "esker/byte_source.hpp"
#include "esker/export.h"
#include "esker/status.hpp"

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
  Index steps = 0;
  Index files = 0;                                      ///< number of block files opened
  Index blocks = 0, bytes = 0;                          ///< number read, and their size
  Index blocks_with_checksum = 0, blocks_left_out = 0;  ///< left_out: omitted by another program

  static constexpr Index kMaxFindings = 1000;
  /// Whether all committed data are intact.
  [[nodiscard]] bool good() const { return num_errors == 0; }
};

/// Reads every block of every committed step and checks headers, block tables, sizes, checksums (if present)
/// and the decoding of compressed blocks. Also looks for leftovers of killed runs. Local; needs memory for
/// one block. `progress` is called from time to time with the fraction done, 0 ... 1. `source` as in
/// OpenOptions. Errors: those of Dataset::open, and kUnsupported for another program's IDX dataset from a
/// source that cannot list files (only a list shows which blocks were omitted). Every other problem is a
/// finding.
ESKER_API Result<VerifyReport> verify(const std::string& path,
                                      const std::function<void(double)>& progress = {},
                                      std::shared_ptr<const ByteSource> source = {});

}  // namespace esker
