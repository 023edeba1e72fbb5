// Bit rounding: keeps the leading bits of a mantissa and clears the others, so that values compress well.
//
// A value changes by at most 2^-(bits + 1) of its power of two. This is the quantization BitRound of netCDF.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/sample_type.hpp"
#include "esker/types/status.hpp"

namespace esker {

/// Stored bits of the mantissa, without the leading one: 23 of float32, 52 of float64, 0 of integers.
int mantissa_bits(SampleType type);

/// Whether values of the type can be rounded to that many bits; kInvalidArgument with the valid ones.
Status check_bit_round(SampleType type, int bits);

/// Rounds to nearest, ties away from zero. NaN, infinities and values with the bytes of `fill` stay as they are;
/// a value that would become infinite is rounded down. `out`: as many bytes as `values`. Allocates nothing.
void bit_round(SampleType type, int bits, std::span<const std::byte> fill, std::span<const std::byte> values,
               std::span<std::byte> out);

}  // namespace esker
