#include "shared_cdf/access_boxes.h"

#include <algorithm>
#include <limits>

#include "formats/netcdf/model/fill.h"
#include "formats/netcdf/model/values.h"
#include "shared_cdf/access_arrays.h"

namespace esker::cdf {
namespace {

/// Bytes in the file between values whose indices differ by 1, along each dimension.
std::vector<Index> file_strides(const Header& header, const Variable& variable, Index record_bytes) {
  std::vector<Index> strides(variable.dims.size());
  Index bytes = netcdf::size_bytes(variable.type);
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = d == 0 && header.is_record(variable) ? record_bytes : bytes;
    bytes *= header.dims[static_cast<std::size_t>(variable.dims[d])].length;
  }
  return strides;
}

}  // namespace

std::vector<ArrayBoxes> boxes_of(const Header& header, std::span<const Access> accesses) {
  std::vector<ArrayBoxes> boxes;
  boxes.reserve(accesses.size());
  const Index record_bytes = header.record_bytes();
  for (const Access& access : accesses) {
    const Variable& variable = header.variables[static_cast<std::size_t>(access.variable)];
    ArrayBoxes& made = boxes.emplace_back();
    made.type = sample_type(variable.type);
    made.memory_type = sample_type(access.memory_type);
    made.fill = netcdf::fill_in_memory(variable);
    made.offset_bytes = variable.begin;
    made.stride_bytes = file_strides(header, variable, record_bytes);
    made.start = access.start;
    made.count = access.count;
    made.step = access.step;
    made.memory_stride_bytes = access.map_bytes;
    made.values = static_cast<const std::byte*>(access.values);
  }
  return boxes;
}

EndOfArray ends_of_arrays(const Header& header) {
  std::vector<Index> fixed, of_record;  // where arrays begin; of the first record
  for (const Variable& variable : header.variables) {
    (header.is_record(variable) ? of_record : fixed).push_back(variable.begin);
  }
  std::sort(fixed.begin(), fixed.end());
  std::sort(of_record.begin(), of_record.end());
  const Index record_bytes = header.record_bytes();
  return [fixed, of_record, record_bytes](Index at) {
    const bool is_fixed = record_bytes == 0 || at < of_record.front();
    const std::vector<Index>& begins = is_fixed ? fixed : of_record;
    const Index shift = is_fixed ? 0 : (at - of_record.front()) / record_bytes * record_bytes;
    const auto next = std::upper_bound(begins.begin(), begins.end(), at - shift);
    if (next != begins.end()) return *next + shift;
    if (!is_fixed) return of_record.front() + shift + record_bytes;
    return record_bytes == 0 ? std::numeric_limits<Index>::max() : of_record.front();
  };
}

}  // namespace esker::cdf
