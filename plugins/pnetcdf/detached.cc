#include "detached.h"

#include <algorithm>

#include "formats/netcdf/model/fill.h"
#include "strided.h"

namespace esker::pnetcdf {
namespace {

bool access_fits(const OpenFile& file, const cdf::Access& access) {
  const Type stored = file.variable(access.variable).type;
  if (stored == access.memory_type) return true;
  const auto* values = static_cast<const std::byte*>(access.values);
  if (!access.map_bytes.empty()) {
    return each_value(access.count, access.map_bytes, values,
                      [&](const std::byte* value) { return fits(access.memory_type, value, 1, stored); });
  }
  return fits(access.memory_type, values, n_values(file, access), stored);
}

}  // namespace

bool detach(const OpenFile& file, bool always, Prepared& prepared) {
  const cdf::Variable& variable = file.variable(prepared.accesses.front().variable);
  const Type stored = variable.type;
  const Type type = prepared.accesses.front().memory_type;
  if (type == stored && (!always || !prepared.copy.empty())) return true;
  const Index size = netcdf::size_bytes(type);
  const Index stored_size = netcdf::size_bytes(stored);
  std::vector<std::byte> copy(static_cast<std::size_t>(prepared.bytes));
  const std::vector<std::byte> fill = netcdf::fill_in_memory(variable);
  std::vector<std::byte> dense;
  std::byte* next = copy.data();
  bool fits = true;
  for (cdf::Access& box : prepared.accesses) {
    const auto* values = static_cast<const std::byte*>(box.values);
    const Index n = n_values(file, box);
    if (!box.map_bytes.empty()) {
      dense.resize(static_cast<std::size_t>(n * size));
      gather(box.count, box.map_bytes, values, size, dense.data());
      values = dense.data();
      box.map_bytes.clear();
    }
    fits = convert(type, values, n, stored, fill, next) && fits;
    box.values = next;
    box.memory_type = stored;
    next += n * stored_size;
  }
  prepared.copy = std::move(copy);
  return fits;
}

bool detach_unfit(const OpenFile& file, Prepared& prepared) {
  const bool all_fit = std::all_of(prepared.accesses.begin(), prepared.accesses.end(),
                                   [&](const cdf::Access& access) { return access_fits(file, access); });
  return all_fit || detach(file, false, prepared);
}

}  // namespace esker::pnetcdf
