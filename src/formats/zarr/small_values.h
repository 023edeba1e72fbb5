// The bytes of small arrays, which rank 0 writes: coordinates, scalars, times. Each chunk is a file. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "esker/types/schema.hpp"
#include "esker/types/status.hpp"

namespace esker::zarr {

/// Fills `bytes` with copies of one value, whose size divides theirs.
void fill_with(std::span<const std::byte> value, std::span<std::byte> bytes);
/// So many times the bytes of one value.
std::vector<std::byte> repeated(std::span<const std::byte> value, Index times);
/// Values of a chunk, little-endian, followed by fill values up to `num_values`.
std::vector<std::byte> print_values(const Numbers& values, Index num_values, std::span<const std::byte> fill);
/// The first `num_values` values of a chunk. kDataLoss: it has fewer bytes.
Result<Numbers> parse_values(std::span<const std::byte> bytes, SampleType type, Index num_values);

/// A chunk of one text (vlen-utf8): uint32 1, uint32 bytes, and the text.
std::vector<std::byte> print_text(const std::string& text);
/// kDataLoss: not such a chunk.
Result<std::string> parse_text(std::span<const std::byte> bytes);

}  // namespace esker::zarr
