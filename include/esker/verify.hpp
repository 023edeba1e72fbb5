// verify: whether a dataset is what its writer left, block by block.
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

/// Something that is wrong, or worth knowing, and where.
struct Finding {
  bool is_error = true;  ///< false: nothing that was committed is lost
  std::string path;
  std::string text;
};

/// What verify() read, and what is wrong with it.
struct VerifyReport {
  std::vector<Finding> findings;  ///< the first kMaxFindings
  Index num_errors = 0, num_warnings = 0;
  Index steps = 0;
  Index files = 0;                                      ///< block files that were opened
  Index blocks = 0, bytes = 0;                          ///< read, all of them
  Index blocks_with_checksum = 0, blocks_left_out = 0;  ///< left out: absent in another writer's dataset

  static constexpr Index kMaxFindings = 1000;
  /// Nothing that was committed is lost.
  [[nodiscard]] bool good() const { return num_errors == 0; }
};

/// Reads every block of every committed step: headers, tables of blocks, sizes, checksums where there are
/// any, decoding of compressed blocks; and looks for leftovers of killed runs. Local; memory for one block.
/// `progress` gets the part done, 0 ... 1, now and then. `source` is where the path leads to, as in
/// OpenOptions. Errors: those of Dataset::open, and kUnsupported for another program's IDX from a source that
/// lists no files, as only a list says which blocks that program left out; everything else is a finding.
ESKER_API Result<VerifyReport> verify(const std::string& path,
                                      const std::function<void(double)>& progress = {},
                                      std::shared_ptr<const ByteSource> source = {});

}  // namespace esker
