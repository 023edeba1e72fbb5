// ReadTarget: the samples of a field that a query requests, and their destination.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "esker/types/lattice.hpp"

namespace esker {

struct ReadTarget {
  Lattice samples;                        ///< all in the grid; of levels <= `level`
  int level = 0;                          ///< the coarsest level that contains all of them
  int start_level = 0;                    ///< samples of lower levels are already loaded and may be skipped
  std::byte* out = nullptr;               ///< address of the first sample
  Index sample_stride_bytes = 0;          ///< in `out`, between two samples
  std::array<Index, kMaxRank> strides{};  ///< per axis, between two indices, in samples of `out`
  std::uint8_t* is_stored = nullptr;      ///< null, or a flag per sample, 1 if stored
  std::array<Index, kMaxRank> flag_strides{};  ///< per axis, between the flags of two indices

  /// All samples of a lattice, dense, x fastest, as are the flags.
  static ReadTarget dense(const Lattice& samples, int level, std::byte* out, Index sample_bytes);
  /// The same with samples at any distances, per axis in bytes; the flags are dense.
  static ReadTarget strided(const Lattice& samples, int level, std::byte* out, Index sample_bytes,
                            const std::array<Index, kMaxRank>& stride_bytes);
  /// The part of it at these indices of `samples`.
  [[nodiscard]] ReadTarget sub(const Box& indices) const;
  /// Distance from the first sample to the one at `index`, in samples of `out`.
  [[nodiscard]] Index position(const Point& index) const;
  /// The flag of the sample at `index`; is_stored is not null.
  [[nodiscard]] std::uint8_t* flag(const Point& index) const;
  /// Whether the samples are contiguous, x fastest.
  [[nodiscard]] bool is_dense(Index sample_bytes) const;
  /// Strides of `out` in bytes.
  [[nodiscard]] std::array<Index, kMaxRank> stride_bytes() const;
  /// A target for the flags is_stored instead of the samples.
  [[nodiscard]] ReadTarget of_mask() const;
};

/// The samples that a lattice and a target have in common; they form a regular part of both.
struct CommonSamples {
  Box indices;  ///< of the lattice: those with an index lo + k * step on each axis
  Point step{1, 1, 1, 1, 1};
  ReadTarget target;  ///< the part of the target
};

/// Nothing if they have none.
std::optional<CommonSamples> common_samples(const Lattice& lattice, const ReadTarget& target);

}  // namespace esker
