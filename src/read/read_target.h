// ReadTarget: the samples of a field that a query wants, and where they go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "esker/lattice.hpp"

namespace esker {

struct ReadTarget {
  Lattice samples;                        ///< all in the grid; of levels <= `level`
  int level = 0;                          ///< the coarsest that has all of them
  int start_level = 0;                    ///< samples of levels below are there already and may be left out
  std::byte* out = nullptr;               ///< the first sample's place
  Index sample_stride_bytes = 0;          ///< of `out`, from one sample to the next
  std::array<Index, kMaxRank> strides{};  ///< from one index to the next on each axis, in samples of `out`
  std::uint8_t* is_stored = nullptr;      ///< null, or a 1 for each sample, in the same order as in `out`

  /// All samples of a lattice, dense, x fastest.
  static ReadTarget dense(const Lattice& samples, int level, std::byte* out, Index sample_bytes);
  /// The part of it that is at these indices of `samples`.
  [[nodiscard]] ReadTarget sub(const Box& indices) const;
  /// From the first sample to the one at `index`, in samples of `out`.
  [[nodiscard]] Index position(const Point& index) const;
  /// Whether the samples follow each other without gaps, x fastest.
  [[nodiscard]] bool is_dense(Index sample_bytes) const;
  /// Strides of `out` in bytes.
  [[nodiscard]] std::array<Index, kMaxRank> stride_bytes() const;
  /// The marks of the samples as if they were the samples.
  [[nodiscard]] ReadTarget of_marks() const;
};

/// The samples that a lattice and a target have in common: in both a regular part.
struct CommonSamples {
  Box indices;  ///< of the lattice: those with an index lo + k * step on each axis
  Point step{1, 1, 1, 1, 1};
  ReadTarget target;  ///< the part of the target
};

/// Nothing if they have none.
std::optional<CommonSamples> common_samples(const Lattice& lattice, const ReadTarget& target);

}  // namespace esker
