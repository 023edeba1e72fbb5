// FileArray: an array that is stored contiguously in a file, row-major, x fastest.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/patch.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

struct FileArray {
  int rank = 1;
  Point extent{1, 1, 1, 1, 1};
  SampleType type = SampleType::kFloat32;  ///< in the file, where numbers are big-endian
  Index offset_bytes = 0;                  ///< of its first sample in the file
  std::vector<std::byte> fill;             ///< one sample, native: for values that `type` cannot hold

  [[nodiscard]] Box domain() const { return Box::from_extent(rank, extent); }
  [[nodiscard]] Index sample_bytes() const { return size_bytes(type); }
  /// Whether a plan for one is a plan for the other.
  [[nodiscard]] bool has_shape_of(const FileArray& other) const {
    return rank == other.rank && extent == other.extent && sample_bytes() == other.sample_bytes();
  }
};

/// A box of an array; `array` is its position in the list of arrays.
struct ArrayBox {
  int array = 0;
  Box box;
};

/// A box of an array in the caller's memory, in any sample type.
struct ArrayPatch {
  int array = 0;
  Patch patch;
};

/// The same for reading.
struct ArrayTarget {
  int array = 0;
  MutablePatch patch;
  std::array<std::byte, 8> misfit{};  ///< one value of the patch's type, for values that it cannot hold

  [[nodiscard]] std::span<const std::byte> misfit_bytes() const {
    return std::span(misfit).first(static_cast<std::size_t>(size_bytes(patch.type)));
  }
};

}  // namespace esker
