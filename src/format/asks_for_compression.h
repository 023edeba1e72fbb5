// Whether a field is to be compressed, for formats that do not compress.
#pragma once

#include "esker/types/schema.hpp"

namespace esker {

inline bool asks_for_compression(const Field& field) {
  return !field.compression.empty() && field.compression != "none" && field.compression != "raw";
}

}  // namespace esker
