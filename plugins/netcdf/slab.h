// Slab: a part of an array of any rank, as netCDF's start, count and stride describe it.
#pragma once

#include <cstddef>
#include <vector>

#include "esker/types/box.hpp"

namespace esker::netcdf_plugin {

/// For each dimension, slowest first, `count` indices from `start` on, `stride` apart.
struct Slab {
  std::vector<Index> start, count, stride;

  /// Product of the counts; 1 without dimensions.
  [[nodiscard]] Index num_values() const;
  /// The last `n` dimensions.
  [[nodiscard]] Slab last(std::size_t n) const;
};

/// Copies the values of a slab of a dense array of the given shape, densely into `out`.
void copy_slab(const std::byte* array, const std::vector<Index>& shape, const Slab& slab, Index value_bytes,
               std::byte* out);

/// Copies dense values to places in memory that are `map` values apart along each dimension, as
/// nc_get_varm() defines it.
void scatter(const std::byte* values, const std::vector<Index>& count, const std::ptrdiff_t* map,
             Index value_bytes, std::byte* out);

}  // namespace esker::netcdf_plugin
