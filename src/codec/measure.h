// The errors of decoded samples.
#pragma once

#include <cstddef>
#include <span>

#include "codec/codec.h"
#include "esker/types/box.hpp"

namespace esker {

/// Over all differences |x - y|. Both are upper bounds: exact, or too large by the rounding of a few sums.
struct MeasuredErrors {
  double max = 0;  ///< equal to the largest difference where double can hold it
  double rms = 0;  ///< <= max; 0 if max is above the largest float32
};

/// Compares the samples of a block that are in `inside`: lattice indices, a box within the block of
/// shape.rank axes, or empty. All types and numbers of components; values are finite, and need no alignment.
/// The squares are added in the order of the samples, so equal blocks have equal errors. Allocates nothing.
MeasuredErrors measure_errors(const BlockShape& shape, const Box& inside, std::span<const std::byte> original,
                              std::span<const std::byte> decoded);

/// The least float32 that is >= `value` >= 0; infinity above the largest float32.
float rounded_up(double value);

/// Whether no value is NaN or infinite; true for integers. `values`: any number of values of the type.
bool all_finite(SampleType type, std::span<const std::byte> values);

}  // namespace esker
