// A TuningRecord as JSON: the member "tuning" of a report, which tune=replay reads again.
#pragma once

#include <string>

#include "esker/types/status.hpp"
#include "format/json_writer.h"
#include "tune/tuning_record.h"

namespace esker {

/// Writes the record as an object.
void write_tuning(JsonWriter& json, const TuningRecord& record);

/// The member "tuning" of the JSON object `text`. kDataLoss: not JSON, missing or bad members, settings of
/// options that may not change between steps.
Result<TuningRecord> parse_tuning(const std::string& text);

}  // namespace esker
