// A schema as JSON: stored in a file next to an .idx, or in an attribute of a CDF file.
//
// Reals that JSON lacks are "NaN", "Infinity", "-Infinity".
#pragma once

#include <cstddef>
#include <string>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"
#include "format/json_text.h"
#include "format/json_writer.h"

namespace esker {

inline constexpr std::size_t kMaxSidecarBytes = std::size_t{64} << 20;  ///< limit for texts

/// The complete schema, keys in a fixed order. The same schema gives the same bytes, and
/// parse_schema(print_schema(s)) equals s. Attributes must have passed check_attribute. `other_suffix`:
/// suffix of the file of another format next to an IDX dataset that receives the same steps; "" if there is
/// none.
std::string print_schema(const Schema& schema, const std::string& other_suffix = "");
/// The `other_suffix` given to print_schema(); "" also for a text that cannot be parsed.
std::string other_suffix_of(const std::string& json);
/// The same on one line, without coordinates, and with no attributes except those of grids and of dimensions
/// without coordinates.
std::string print_schema_outline(const Schema& schema);
/// Errors: kDataLoss (what was expected, what was found), kUnsupported (a newer format).
Result<Schema> parse_schema(const std::string& json);

/// The same as the value of a member of other JSON.
void write_schema(JsonWriter& json, const Schema& schema);
Result<Schema> read_schema(const Json& json);

}  // namespace esker
