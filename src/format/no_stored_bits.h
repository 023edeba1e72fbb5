// check_no_stored_bits: for formats without fields that store the leading bits of samples.
#pragma once

#include <string_view>

#include "base/error.h"
#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// kUnsupported names the first field with stored bits. `files`: what has no such fields, as "netCDF files".
inline Status check_no_stored_bits(const Schema& schema, std::string_view files) {
  for (const Field& field : schema.fields()) {
    if (field.stored_bits == 0) continue;
    return error(Code::kUnsupported, "field '{}': stored_bits needs format=idx; {} have no such fields",
                 field.name, files);
  }
  return {};
}

}  // namespace esker
