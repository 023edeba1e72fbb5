// Brought: what this rank brings to a transfer of all ranks, or wants from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared_cdf/access.h"
#include "shared_cdf/access_arrays.h"
#include "transfer/file_array.h"

namespace esker::cdf {

struct Brought {
  std::vector<KeyedPatch> patches;
  std::vector<ArrayKey> keys;  ///< of the arrays, in order: of this rank, or of all ranks
  std::vector<FileArray> arrays;
  std::vector<ArrayPatch> to_put;   ///< [patch], for writing
  std::vector<ArrayTarget> to_get;  ///< [patch], for reading
  Index plan = 0;                   ///< that this rank could use

  /// Sets `patches`, and `keys` to those of this rank. Local; may throw.
  void take(const Header& header, std::span<const Access> accesses);
  /// Sets the other lists according to `keys`. Local; may throw.
  void find_arrays(const Header& header, std::span<const Access> accesses, bool writes);
  /// Marks the accesses with values that did not fit. `out_of_range`: [patch].
  void mark(const std::vector<bool>& out_of_range, std::span<Access> accesses) const;
  /// Equal exactly where keys and `plan` are.
  [[nodiscard]] std::uint64_t hash() const;
};

Patch to_write(const KeyedPatch& patch, const Access& access);
MutablePatch to_read(const KeyedPatch& patch, const Access& access);
/// What values become that a type in memory cannot hold: netCDF's fill value of the type.
std::array<std::byte, 8> misfit_of(Type type);

}  // namespace esker::cdf
