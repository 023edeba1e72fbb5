#include "grid/transpose.h"

#include <algorithm>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace esker {

#ifdef __x86_64__

namespace {

constexpr Index kBlock = 8;  // columns copied together: a line of the target, or half of one
constexpr Index kBand = 64;  // rows of the target that stay in a first-level cache
constexpr Index kLineBytes = 64;
constexpr Index kForeseenBytes = 512;  // longer columns the processor foresees by itself

template <class Element>
void copy_one_by_one(Index num_columns, Index num_rows, const std::byte* source, Index source_stride,
                     std::byte* target, Index target_stride) {
  for (Index j = 0; j < num_rows; ++j) {
    for (Index i = 0; i < num_columns; ++i) {
      std::memcpy(target + j * target_stride + i * Index{sizeof(Element)},
                  source + i * source_stride + j * Index{sizeof(Element)}, sizeof(Element));
    }
  }
}

/// Four columns of four elements of 8 bytes.
[[gnu::target("avx2"), gnu::always_inline]] inline void turn_4x4(const std::byte* source, Index from,
                                                                 std::byte* target, Index to) {
  const auto load = [&](Index i) __attribute__((target("avx2"), always_inline)) {
    return _mm256_loadu_pd(reinterpret_cast<const double*>(source + i * from));
  };
  const auto store = [&](Index j, __m256d row) __attribute__((target("avx2"), always_inline)) {
    _mm256_storeu_pd(reinterpret_cast<double*>(target + j * to), row);
  };
  const __m256d a = load(0), b = load(1), c = load(2), d = load(3);
  const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
  const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
  store(0, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
  store(1, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
  store(2, _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
  store(3, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}

/// Eight columns of eight elements of 4 bytes: in quarters of 2 x 2, pairs of which are elements of 8 bytes.
[[gnu::target("avx2"), gnu::always_inline]] inline void turn_8x8(const std::byte* source, Index from,
                                                                 std::byte* target, Index to) {
  const auto load = [&](Index i) __attribute__((target("avx2"), always_inline)) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(source + i * from));
  };
  const auto store = [&](Index j, __m256d row) __attribute__((target("avx2"), always_inline)) {
    _mm256_storeu_pd(reinterpret_cast<double*>(target + j * to), row);
  };
  __m256d low[4], high[4];  // of columns 2 p and 2 p + 1: rows 0, 1, 4, 5, and rows 2, 3, 6, 7
  for (Index p = 0; p < 4; ++p) {
    const __m256 a = load(2 * p), b = load(2 * p + 1);
    low[p] = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    high[p] = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
  }
  const auto turn = [&](const __m256d* pairs, Index row) __attribute__((target("avx2"), always_inline)) {
    const __m256d even = _mm256_unpacklo_pd(pairs[0], pairs[1]), odd = _mm256_unpackhi_pd(pairs[0], pairs[1]);
    const __m256d even_2 = _mm256_unpacklo_pd(pairs[2], pairs[3]);
    const __m256d odd_2 = _mm256_unpackhi_pd(pairs[2], pairs[3]);
    store(row, _mm256_permute2f128_pd(even, even_2, 0x20));
    store(row + 1, _mm256_permute2f128_pd(odd, odd_2, 0x20));
    store(row + 4, _mm256_permute2f128_pd(even, even_2, 0x31));
    store(row + 5, _mm256_permute2f128_pd(odd, odd_2, 0x31));
  };
  turn(low, 0);
  turn(high, 2);
}

/// Asks for some columns, each of `bytes`.
void prefetch(const std::byte* source, Index from, Index bytes) {
  for (Index i = 0; i < kBlock; ++i, source += from) {
    for (Index at = 0; at < bytes; at += kLineBytes) __builtin_prefetch(source + at);
    __builtin_prefetch(source + bytes - 1);
  }
}

template <class Element>
[[gnu::target("avx2")]] void transpose_band(Index num_columns, Index num_rows, const std::byte* source,
                                            Index from, std::byte* target, Index to) {
  constexpr Index kBytes{sizeof(Element)};
  constexpr Index kStep = 32 / kBytes;  // rows at a time
  const Index whole_columns = num_columns / kBlock * kBlock, whole_rows = num_rows / kStep * kStep;
  const Index column_bytes = num_rows * kBytes;
  for (Index i = 0; i < whole_columns; i += kBlock) {
    if (column_bytes < kForeseenBytes && i + 2 * kBlock <= num_columns) {
      prefetch(source + (i + kBlock) * from, from, column_bytes);
    }
    for (Index j = 0; j < whole_rows; j += kStep) {
      const std::byte* const s = source + i * from + j * kBytes;
      std::byte* const t = target + j * to + i * kBytes;
      if constexpr (kBytes == 8) {
        turn_4x4(s, from, t, to);
        turn_4x4(s + 4 * from, from, t + 4 * kBytes, to);
      } else {
        turn_8x8(s, from, t, to);
      }
    }
    copy_one_by_one<Element>(kBlock, num_rows - whole_rows, source + i * from + whole_rows * kBytes, from,
                             target + whole_rows * to + i * kBytes, to);
  }
  copy_one_by_one<Element>(num_columns - whole_columns, num_rows, source + whole_columns * from, from,
                           target + whole_columns * kBytes, to);
}

}  // namespace

bool can_transpose(Index element_bytes) {
  return (element_bytes == 4 || element_bytes == 8) && __builtin_cpu_supports("avx2");
}

void transpose(Index element_bytes, Index num_columns, Index num_rows, const std::byte* source,
               Index source_stride, std::byte* target, Index target_stride) {
  for (Index j = 0; j < num_rows; j += kBand) {
    const auto band = element_bytes == 8 ? transpose_band<double> : transpose_band<float>;
    band(num_columns, std::min(kBand, num_rows - j), source + j * element_bytes, source_stride,
         target + j * target_stride, target_stride);
  }
}

#else

bool can_transpose(Index /*element_bytes*/) { return false; }

void transpose(Index, Index, Index, const std::byte*, Index, std::byte*, Index) {}

#endif

}  // namespace esker
