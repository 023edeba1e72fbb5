#include "shared_cdf/access_boxes.h"

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

}  // namespace esker::cdf
