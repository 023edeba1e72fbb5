// A Setting as JSON: {"aggregators": "4"}.
#pragma once

#include "format/json_text.h"
#include "format/json_writer.h"
#include "tune/setting.h"

namespace esker {

void write_setting(JsonWriter& json, const Setting& setting);

/// The member `key` of `object`. kDataLoss: missing, not an object of strings; options that may not change
/// between steps, or values that they do not take.
Result<Setting> get_setting(const Json& object, const char* key);

}  // namespace esker
