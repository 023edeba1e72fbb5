// What a sparse step stores of each field, in samples.
#pragma once

#include <vector>

#include "esker/types/dataset_info.hpp"
#include "esker/types/schema.hpp"
#include "format/format_writer.h"
#include "layout/kept_fields.h"

namespace esker {

/// [position in `fields`] of these fields, by position in the schema. `kept` is not empty, but may store all
/// blocks of some fields. O(runs of blocks * max_level). Local.
std::vector<StoredSamples> samples_of_fields(const FormatWriter& format, const Schema& schema,
                                             const std::vector<int>& fields, const KeptFields& kept);

}  // namespace esker
