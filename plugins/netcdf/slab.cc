#include "slab.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace esker::netcdf_plugin {
namespace {

/// Visits the first value of each run of the last dimension, in order, with the offset that steps of
/// `distance` values along each dimension lead to.
template <class Visit>
void for_each_run(const std::vector<Index>& count, const std::vector<Index>& distance, const Visit& visit) {
  std::vector<Index> at(count.size(), 0);
  Index offset = 0;
  for (;;) {
    visit(offset);
    std::size_t axis = count.size() - 1;
    for (;;) {
      if (axis == 0) return;
      --axis;
      offset += distance[axis];
      if (++at[axis] < count[axis]) break;
      offset -= distance[axis] * at[axis];
      at[axis] = 0;
    }
  }
}

}  // namespace

Index Slab::num_values() const {
  return std::accumulate(count.begin(), count.end(), Index{1}, std::multiplies<>());
}

Slab Slab::last(std::size_t n) const {
  const auto tail = [&](const std::vector<Index>& all) {
    return std::vector<Index>(all.end() - static_cast<std::ptrdiff_t>(n), all.end());
  };
  return {tail(start), tail(count), tail(stride)};
}

void copy_slab(const std::byte* array, const std::vector<Index>& shape, const Slab& slab, Index value_bytes,
               std::byte* out) {
  const auto bytes = static_cast<std::size_t>(value_bytes);
  if (slab.num_values() == 0) return;
  if (shape.empty()) {
    std::memcpy(out, array, bytes);
    return;
  }
  std::vector<Index> distance(shape.size());
  Index step = 1, first = 0;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) {
    first += slab.start[axis] * step;
    distance[axis] = slab.stride[axis] * step;
  }
  const Index run = slab.count.back(), apart = slab.stride.back();
  for_each_run(slab.count, distance, [&](Index offset) {
    const std::byte* from = array + (first + offset) * value_bytes;
    if (apart == 1) {
      std::memcpy(out, from, static_cast<std::size_t>(run) * bytes);
      out += run * value_bytes;
      return;
    }
    for (Index i = 0; i < run; ++i, out += value_bytes)
      std::memcpy(out, from + i * apart * value_bytes, bytes);
  });
}

void scatter(const std::byte* values, const std::vector<Index>& count, const std::ptrdiff_t* map,
             Index value_bytes, std::byte* out) {
  const auto bytes = static_cast<std::size_t>(value_bytes);
  if (count.empty()) {
    std::memcpy(out, values, bytes);
    return;
  }
  const std::vector<Index> distance(map, map + count.size());
  for_each_run(count, distance, [&](Index offset) {
    for (Index i = 0; i < count.back(); ++i, values += value_bytes) {
      std::memcpy(out + (offset + i * distance.back()) * value_bytes, values, bytes);
    }
  });
}

}  // namespace esker::netcdf_plugin
