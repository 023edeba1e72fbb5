// Blocks of samples for the tests of codecs.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "codec/codec.h"

namespace esker {

/// The bytes of `values`.
template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The values in `bytes`.
template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// A wave with 7 teeth, in the block's type. Unsigned and narrow integers wrap.
inline std::vector<std::byte> smooth_samples(const BlockShape& shape) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.size_bytes()));
  const auto n = static_cast<std::size_t>(shape.num_samples() * shape.components);
  const auto size = static_cast<std::size_t>(size_bytes(shape.type));
  for (std::size_t i = 0; i < n; ++i) {
    const double value = 100 * std::sin(0.01 * static_cast<double>(i)) + static_cast<double>(i % 7);
    const auto single = static_cast<float>(value);
    const auto whole = static_cast<std::int64_t>(value);
    const void* from = shape.type == SampleType::kFloat64   ? static_cast<const void*>(&value)
                       : shape.type == SampleType::kFloat32 ? static_cast<const void*>(&single)
                                                            : &whole;
    std::memcpy(bytes.data() + size * i, from, size);
  }
  return bytes;
}

/// Every bit is random.
inline std::vector<std::byte> random_bytes(const BlockShape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(shape.size_bytes()));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

inline Box whole(const BlockShape& shape) {
  Point hi{1, 1, 1, 1, 1};
  for (int a = 0; a < shape.rank; ++a) hi[a] = shape.count[a];
  return Box(shape.rank, {0, 0, 0, 0, 0}, hi);
}

}  // namespace esker
