#include "shared_cdf/placement.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"

namespace esker::cdf {
namespace {

/// The first byte of values; `none` if there are no variables of that kind.
Index first_byte(const Header& header, bool of_records, Index none) {
  Index first = none;
  bool any = false;
  for (const Variable& variable : header.variables) {
    if (header.is_record(variable) != of_records) continue;
    first = any ? std::min(first, variable.begin) : variable.begin;
    any = true;
  }
  return first;
}

}  // namespace

bool place_next_to(const Header& stored, const FileRoom& room, Header& header) {
  Header fresh = header;
  place_variables(fresh, room);
  const std::size_t n = stored.variables.size();
  const Index most = std::numeric_limits<Index>::max();
  const Index first_record = stored.num_records > 0 ? first_byte(stored, true, most) : most;
  Index end = static_cast<Index>(print_header(header).size());
  bool has_room = end <= std::min(first_byte(stored, false, most), first_record);
  const auto has_values = [&](std::size_t v) {
    return v < n && (!header.is_record(header.variables[v]) || stored.num_records > 0);
  };
  for (std::size_t v = 0; v < n; ++v) {
    Variable& variable = header.variables[v];
    variable.begin = stored.variables[v].begin;
    if (!header.is_record(variable)) end = std::max(end, variable.begin + header.value_bytes(variable));
  }
  const auto place = [&](Variable& variable, Index alignment) {
    variable.begin = round_up(
        end, std::max(round_up(std::max<Index>(alignment, 1), netcdf::kCdfAlignment), netcdf::kCdfAlignment));
    end = variable.begin + round_up(header.value_bytes(variable), netcdf::kCdfAlignment);
  };
  for (std::size_t v = n; v < header.variables.size(); ++v) {
    Variable& variable = header.variables[v];
    if (header.is_record(variable)) continue;
    const bool is_large = header.value_bytes(variable) >= room.variable_alignment_bytes;
    place(variable, is_large ? room.variable_alignment_bytes : netcdf::kCdfAlignment);
  }
  has_room = has_room && (end <= first_record);
  bool is_first = true;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    Variable& variable = header.variables[v];
    if (!header.is_record(variable) || has_values(v)) continue;
    if (stored.num_records > 0) has_room = false;  // a record becomes longer
    place(variable, is_first ? room.record_alignment_bytes : netcdf::kCdfAlignment);
    is_first = false;
  }
  if (!has_room) header = fresh;
  return has_room;
}

}  // namespace esker::cdf
