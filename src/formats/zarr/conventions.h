// Conventions of Zarr: what attributes mean, as their attribute zarr_conventions says.
// Source: github.com/zarr-conventions.
#pragma once

#include "format/json_writer.h"

namespace esker::zarr {

/// Names the conventions that the attributes of an array or a group follow.
inline constexpr const char* kConventionsAttribute = "zarr_conventions";

struct Convention {
  const char* name;  ///< of its repository, too
  const char* uuid;
  const char* version;
  const char* description;
};

/// Writes it as an element of that attribute.
void print_convention(JsonWriter& json, const Convention& convention);

}  // namespace esker::zarr
