// PieceRecord: what the owner of a file must know of a piece that an aggregator stored there.
#pragma once

#include <cstdint>

#include "esker/types/box.hpp"

namespace esker {

struct PieceRecord {
  std::uint64_t checksum = 0;  ///< of the stored bytes; see StepLayouts::checksum
  // Of compressed pieces. Values of other pieces follow from the layout.
  std::int64_t offset_bytes = 0;  ///< in the file
  std::uint32_t size_bytes = 0;   ///< as stored
  std::uint32_t form = 0;         ///< how it is stored, as the format numbers it
  float max_error = 0;            ///< largest absolute error of a sample of the grid, rounded up
  float rms_error = 0;            ///< root of the mean square of these errors, rounded up
};

/// Compressed pieces begin at multiples of it.
inline constexpr Index kCompressedAlignment = 8;

/// Where the piece behind one of `size_bytes` at an offset begins.
[[nodiscard]] constexpr Index end_of_stored(Index offset_bytes, Index size_bytes) {
  return (offset_bytes + size_bytes + kCompressedAlignment - 1) / kCompressedAlignment * kCompressedAlignment;
}

}  // namespace esker
