// convert_samples: numbers of one sample type to another, with a check that each fits.
#pragma once

#include <cstddef>

#include "esker/box.hpp"
#include "esker/sample_type.hpp"

namespace esker {

/// Converts `count` values that begin `stride_bytes` apart at `source` to dense ones at `target`; neither need
/// be aligned. Reals become integers without their fraction, and are rounded to shorter reals; NaN and
/// infinities stay what they are in reals. Returns `count`, or the position of the first value that `to` cannot
/// hold: beyond its range, or NaN for an integer.
Index convert_samples(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
                      std::byte* target, Index count);

}  // namespace esker
