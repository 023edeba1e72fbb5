// The checksum of an .idx: an edited or damaged text is an error when the dataset is opened, not other values.
//
// It covers what the text means, not its bytes: OpenVisus prints the header in its own way when it saves it
// (display ranges and physical boxes with six digits), and such a file is still good. Source:
// docs/formats/idx.md, section 12.
#pragma once

#include <cstdint>
#include <string>

#include "formats/idx/commit_record.h"
#include "formats/idx/header.h"

namespace esker::idx {

/// Of everything that decides which samples are read, from where, and their times: box, fields, mask, blocks,
/// templates, steps and the record. Not of display ranges, descriptions, physical boxes and unknown keys.
std::uint64_t record_sum(const Header& header, const CommitRecord& record);

/// The value of (esker): the record with its checksum. `header` is what is printed around it.
std::string print_sealed_record(const Header& header, CommitRecord record);

/// kDataLoss if the record has a checksum that is not that of header and record.
Status check_record_sum(const Header& header, const CommitRecord& record);

}  // namespace esker::idx
