// verify: checks every block of a dataset. verify_against: also compares them with what they were made from.
//
//   const esker::VerifyReport report = esker::verify("run.idx").value();
//   if (!report.good()) std::cerr << report.findings.front().text << '\n';
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "esker/dataset.hpp"
#include "esker/types/byte_source.hpp"
#include "esker/types/export.h"
#include "esker/types/original.hpp"  // IWYU pragma: export
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

/// The same for an IDX dataset, and compares each block with the samples that it was made from: the errors
/// are measured again, and a block whose errors exceed the recorded ones (0 for blocks without loss) is a
/// finding. Fields and steps that the original lacks are not compared, see VerifyReport::blocks_compared.
/// Needs memory for four blocks. Errors also: kUnsupported for other formats, kInvalidArgument if the
/// original has no field and step of the dataset.
ESKER_API Result<VerifyReport> verify_against(const std::string& path, const ReadOriginal& original,
                                              const std::function<void(double)>& progress = {},
                                              std::shared_ptr<const ByteSource> source = {});

/// The same with another dataset, of any format, as the original: fields of the same name, steps of the same
/// time. If no time is the same, steps of the same number. Errors also: kInvalidArgument if a field has
/// another type, number of components or box there.
ESKER_API Result<VerifyReport> verify_against(const std::string& path, const Dataset& original,
                                              const std::function<void(double)>& progress = {},
                                              std::shared_ptr<const ByteSource> source = {});

}  // namespace esker
