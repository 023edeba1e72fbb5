#include "companion/brought_record.h"

#include <algorithm>

#include "shared_cdf/access_arrays.h"

namespace esker {
namespace {

bool is_dense_in_file(const cdf::Access& access) {
  return std::all_of(access.step.begin(), access.step.end(), [](Index step) { return step == 1; });
}

/// Of an access to one record, or to a fixed variable.
Patch patch_of(const cdf::Access& access, std::size_t first_dim) {
  Patch patch;
  patch.data = access.values;
  patch.type = cdf::sample_type(access.memory_type);
  patch.component_stride_bytes = size_bytes(patch.type);
  patch.repeats = true;
  patch.box.rank = std::max<int>(1, static_cast<int>(access.count.size() - first_dim));
  patch.box.hi[0] = 1;  // a time series has one sample
  Index dense = size_bytes(patch.type);
  for (std::size_t d = access.count.size(); d-- > first_dim;) {
    const std::size_t axis = access.count.size() - 1 - d;
    patch.box.lo[axis] = access.start[d];
    patch.box.hi[axis] = access.start[d] + access.count[d];
    patch.stride_bytes[axis] = access.map_bytes.empty() ? dense : access.map_bytes[d];
    dense *= access.count[d];
  }
  return patch;
}

}  // namespace

std::optional<std::vector<BroughtBox>> find_brought(const cdf::Header& header,
                                                    std::span<const cdf::Access> accesses,
                                                    const ChosenVariables& wanted, Index record) {
  std::vector<BroughtBox> boxes;
  for (const cdf::Access& access : accesses) {
    const auto v = static_cast<std::size_t>(access.variable);
    if (v >= wanted.size() || !wanted[v]) continue;
    const cdf::Variable& variable = header.variables[v];
    if (access.num_boxes(variable.dims.size()) != 1) return std::nullopt;
    if (!access.box(0, variable.dims.size()).has_values()) continue;
    const bool is_record = header.is_record(variable);
    if (is_record && (access.start[0] != record || access.count[0] != 1)) return std::nullopt;
    const bool is_as_stored = access.memory_type == variable.type && !access.is_out_of_range;
    if (!is_as_stored || !is_dense_in_file(access)) return std::nullopt;
    boxes.push_back({access.variable, patch_of(access, is_record ? 1 : 0)});
  }
  return boxes;
}

}  // namespace esker
