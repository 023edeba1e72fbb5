// The checksum of an .idx: an edited or damaged text gives an error when the dataset is opened, not wrong
// values.
//
// It covers the meaning of the text, not its bytes. OpenVisus reformats the header when it saves it (display
// ranges and physical boxes with six digits), and such a file remains valid. Source: docs/formats/idx.md,
// section 12.
#pragma once

#include <cstdint>
#include <string>

#include "formats/idx/commit_record.h"
#include "formats/idx/header.h"

namespace esker::idx {

/// Covers everything that decides which samples are read, their file offsets, and their times: box, fields,
/// mask, blocks, templates, steps and the record. Does not cover display ranges, descriptions, physical boxes
/// and unknown keys.
std::uint64_t record_sum(const Header& header, const CommitRecord& record);

/// The value of (esker): the record with its checksum. `header` is the header that contains it.
std::string print_sealed_record(const Header& header, CommitRecord record);

/// kDataLoss if the checksum of the record does not match header and record.
Status check_record_sum(const Header& header, const CommitRecord& record);

}  // namespace esker::idx
