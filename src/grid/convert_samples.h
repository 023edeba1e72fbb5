// convert_samples: converts numbers between sample types, and checks that each fits.
#pragma once

#include <cstddef>

#include "esker/types/box.hpp"
#include "esker/types/sample_type.hpp"

namespace esker {

/// Converts `count` values that are `stride_bytes` apart at `source` to dense ones at `target`; no alignment
/// is required. Reals are truncated to integers, and rounded to shorter reals; NaN and infinities are
/// preserved in reals. Returns `count`, or the position of the first value that `to` cannot hold: out of
/// range, or NaN for an integer.
Index convert_samples(SampleType from, const std::byte* source, Index stride_bytes, SampleType to,
                      std::byte* target, Index count);

}  // namespace esker
