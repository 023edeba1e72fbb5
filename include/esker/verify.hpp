// verify: checks every block of a dataset.
//
//   const esker::VerifyReport report = esker::verify("run.idx").value();
//   if (!report.good()) std::cerr << report.findings.front().text << '\n';
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "esker/types/byte_source.hpp"
#include "esker/types/export.h"
#include "esker/types/status.hpp"
#include "esker/types/verify_report.hpp"  // IWYU pragma: export

namespace esker {

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
