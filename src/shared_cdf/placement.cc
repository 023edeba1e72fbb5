#include "shared_cdf/placement.h"

#include <algorithm>
#include <limits>

namespace esker::cdf {
namespace {

constexpr Index kNoByte = std::numeric_limits<Index>::max();

/// The first byte of the values that a file has; kNoByte if it has none.
Index first_byte(const Header& stored, bool of_records) {
  Index first = kNoByte;
  for (const Variable& variable : stored.variables) {
    if (stored.is_record(variable) == of_records) first = std::min(first, variable.begin);
  }
  return of_records && stored.num_records == 0 ? kNoByte : first;
}

}  // namespace

bool place_next_to(const Header& stored, const FileRoom& room, Header& header) {
  const auto n = static_cast<std::ptrdiff_t>(stored.variables.size());
  const bool has_records = stored.num_records > 0;
  const auto has_values = [&](const Variable& variable) {
    return &variable - header.variables.data() < n && (has_records || !header.is_record(variable));
  };
  const auto header_bytes = static_cast<Index>(print_header(header).size());
  const Index first_record = first_byte(stored, true);
  bool has_room = header_bytes <= std::min(first_byte(stored, false), first_record);
  Index end = header_bytes;
  for (std::ptrdiff_t v = 0; v < n; ++v) {
    Variable& variable = header.variables[static_cast<std::size_t>(v)];
    variable.begin = stored.variables[static_cast<std::size_t>(v)].begin;
    if (!header.is_record(variable)) end = std::max(end, variable.begin + header.value_bytes(variable));
  }
  has_room = place_variables(header, room, end, has_values) <= first_record && has_room;
  for (const Variable& variable : header.variables) {
    if (has_records && header.is_record(variable) && !has_values(variable))
      has_room = false;  // longer records
  }
  if (!has_room) place_variables(header, room);
  return has_room;
}

}  // namespace esker::cdf
