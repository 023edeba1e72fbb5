#include "grid/transpose.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/cache_line.h"

namespace esker {

#ifdef __x86_64__

namespace {

constexpr Index kBlock = 8;            // columns copied together: a line of the target, or half of one
constexpr Index kQuad = 4;             // columns or rows, where there are fewer
constexpr Index kBand = 64;            // rows of the target that stay in a first-level cache
constexpr Index kForeseenBytes = 256;  // the processor prefetches longer columns by itself

/// Four elements in a register.
template <class Element>
struct Four {
  using Register = __m256d;
};
template <>
struct Four<float> {
  using Register = __m128;
};

// Elements of a column are kStep apart: 1, 2, or kAnyStep, that is `stride` bytes. The second load of step 2
// begins one element early, so that it ends with the last element that is copied.

constexpr int kAnyStep = 0;

template <int kStep>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256d load_four(const double* p) {
  const __m256d first = _mm256_loadu_pd(p);
  if constexpr (kStep == 1) return first;
  const __m256d mixed = _mm256_shuffle_pd(first, _mm256_loadu_pd(p + 3), 0b1010);  // 0 4 2 6
  return _mm256_permute4x64_pd(mixed, 0b11011000);
}

template <int kStep>
[[gnu::target("avx2"), gnu::always_inline]] inline __m128 load_four(const float* p) {
  const __m128 first = _mm_loadu_ps(p);
  if constexpr (kStep == 1) return first;
  return _mm_shuffle_ps(first, _mm_loadu_ps(p + 3), 0b11011000);
}

template <int kStep>
[[gnu::target("avx2"), gnu::always_inline]] inline __m256 load_eight(const float* p) {
  const __m256 first = _mm256_loadu_ps(p);
  if constexpr (kStep == 1) return first;
  const __m256 mixed = _mm256_shuffle_ps(first, _mm256_loadu_ps(p + 7), 0b11011000);  // 0 2 8 10 4 6 12 14
  return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0b11011000));
}

/// Element `j` of a column; 0 if it is not one of the first kRows.
template <class Element, int kRows>
[[gnu::always_inline]] inline Element element_at(const std::byte* column, Index stride, int j) {
  Element element = 0;
  if (j < kRows) std::memcpy(&element, column + j * stride, sizeof element);
  return element;
}

template <int kRows>
[[gnu::target("avx2"), gnu::always_inline]] inline void load_some(const std::byte* p, Index stride,
                                                                  __m256d& v) {
  const auto at = [&](int j) { return element_at<double, kRows>(p, stride, j); };
  v = _mm256_set_pd(at(3), at(2), at(1), at(0));
}

template <int kRows>
[[gnu::target("avx2"), gnu::always_inline]] inline void load_some(const std::byte* p, Index stride,
                                                                  __m128& v) {
  const auto at = [&](int j) { return element_at<float, kRows>(p, stride, j); };
  v = _mm_set_ps(at(3), at(2), at(1), at(0));
}

[[gnu::target("avx2"), gnu::always_inline]] inline void turn(__m256d (&v)[kQuad]) {
  const __m256d ab_even = _mm256_unpacklo_pd(v[0], v[1]), ab_odd = _mm256_unpackhi_pd(v[0], v[1]);
  const __m256d cd_even = _mm256_unpacklo_pd(v[2], v[3]), cd_odd = _mm256_unpackhi_pd(v[2], v[3]);
  v[0] = _mm256_permute2f128_pd(ab_even, cd_even, 0x20);
  v[1] = _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20);
  v[2] = _mm256_permute2f128_pd(ab_even, cd_even, 0x31);
  v[3] = _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31);
}

[[gnu::target("avx2"), gnu::always_inline]] inline void turn(__m128 (&v)[kQuad]) {
  _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
}

/// The first kCount of four elements, at any address: doubles of a CDF file may begin at multiples of 4.
template <int kCount, class Register>
[[gnu::target("avx2"), gnu::always_inline]] inline void store(std::byte* p, const Register& v) {
  std::memcpy(p, &v, kCount * sizeof(Register) / kQuad);
}

/// kColumns columns of kRows elements, at most four of each.
template <class Element, int kStep, int kColumns, int kRows>
[[gnu::target("avx2"), gnu::always_inline]] inline void turn_quad(const TransposeSource& source,
                                                                  std::byte* target, Index to) {
  typename Four<Element>::Register v[kQuad] = {};
#pragma GCC unroll 4
  for (int i = 0; i < kColumns; ++i) {
    const std::byte* const column = source.data + i * source.column_stride;
    if constexpr (kRows == kQuad && kStep != kAnyStep) {
      v[i] = load_four<kStep>(reinterpret_cast<const Element*>(column));
    } else {
      load_some<kRows>(column, source.row_stride, v[i]);
    }
  }
  turn(v);
#pragma GCC unroll 4
  for (int j = 0; j < kRows; ++j) store<kColumns>(target + j * to, v[j]);
}

/// Eight columns of eight elements of 4 bytes: in quarters of 2 x 2, pairs of which are elements of 8 bytes.
template <int kStep>
[[gnu::target("avx2"), gnu::always_inline]] inline void turn_8x8(const std::byte* source, Index from,
                                                                 std::byte* target, Index to) {
  const auto store_row = [&](Index j, __m256d row) __attribute__((target("avx2"), always_inline)) {
    _mm256_storeu_pd(reinterpret_cast<double*>(target + j * to), row);
  };
  __m256d low[4], high[4];  // of columns 2 p and 2 p + 1: rows 0, 1, 4, 5, and rows 2, 3, 6, 7
  for (Index p = 0; p < 4; ++p) {
    const __m256 a = load_eight<kStep>(reinterpret_cast<const float*>(source + 2 * p * from));
    const __m256 b = load_eight<kStep>(reinterpret_cast<const float*>(source + (2 * p + 1) * from));
    low[p] = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
    high[p] = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
  }
  const auto turn_pairs = [&](const __m256d* pairs, Index row)
      __attribute__((target("avx2"), always_inline)) {
    const __m256d even = _mm256_unpacklo_pd(pairs[0], pairs[1]), odd = _mm256_unpackhi_pd(pairs[0], pairs[1]);
    const __m256d even_2 = _mm256_unpacklo_pd(pairs[2], pairs[3]);
    const __m256d odd_2 = _mm256_unpackhi_pd(pairs[2], pairs[3]);
    store_row(row, _mm256_permute2f128_pd(even, even_2, 0x20));
    store_row(row + 1, _mm256_permute2f128_pd(odd, odd_2, 0x20));
    store_row(row + 4, _mm256_permute2f128_pd(even, even_2, 0x31));
    store_row(row + 5, _mm256_permute2f128_pd(odd, odd_2, 0x31));
  };
  turn_pairs(low, 0);
  turn_pairs(high, 2);
}

/// Prefetches kBlock columns: a line in every `step` bytes from `source` on, and the last one.
void prefetch(const std::byte* source, Index column_stride, Index bytes, Index step) {
  for (Index i = 0; i < kBlock; ++i, source += column_stride) {
    for (Index at = 0; at < bytes; at += step) __builtin_prefetch(source + at);
    __builtin_prefetch(source + bytes - 1);
  }
}

/// One task of the copy: a band of rows.
struct Band {
  Index num_columns = 0, num_rows = 0;
  TransposeSource source;
  std::byte* target = nullptr;
  Index to = 0;

  [[nodiscard]] TransposeSource source_at(Index i, Index j) const {
    return {source.data + i * source.column_stride + j * source.row_stride, source.column_stride,
            source.row_stride};
  }
};

/// At most four columns (kColumns) from column i on. If there are at least four rows, the last ones are
/// copied together with those before them, some of them twice.
template <class Element, int kStep, int kColumns>
[[gnu::target("avx2")]] void turn_columns(const Band& band, Index i) {
  const auto turn_rows = [&](auto rows, Index j) __attribute__((target("avx2"), always_inline)) {
    turn_quad<Element, kStep, kColumns, rows()>(
        band.source_at(i, j), band.target + j * band.to + i * Index{sizeof(Element)}, band.to);
  };
  if (band.num_rows == 1) return turn_rows(std::integral_constant<int, 1>(), 0);
  if (band.num_rows == 2) return turn_rows(std::integral_constant<int, 2>(), 0);
  if (band.num_rows == 3) return turn_rows(std::integral_constant<int, 3>(), 0);
  for (Index j = 0; j < band.num_rows; j += kQuad) {
    turn_rows(std::integral_constant<int, 4>(), std::min(j, band.num_rows - kQuad));
  }
}

/// The columns from column i on.
template <class Element, int kStep>
void turn_rest(const Band& band, Index i) {
  for (; i + kQuad <= band.num_columns; i += kQuad) turn_columns<Element, kStep, 4>(band, i);
  const Index left = band.num_columns - i;
  if (left == 1) turn_columns<Element, kStep, 1>(band, i);
  if (left == 2) turn_columns<Element, kStep, 2>(band, i);
  if (left == 3) turn_columns<Element, kStep, 3>(band, i);
}

/// kBlock columns and some rows: whole lines of the target where elements have 8 bytes.
template <class Element, int kStep>
[[gnu::target("avx2"), gnu::always_inline]] inline void turn_block(const TransposeSource& source,
                                                                   std::byte* target, Index to) {
  constexpr Index kBytes{sizeof(Element)};
  if constexpr (kBytes == 4 && kStep != kAnyStep) {
    turn_8x8<kStep>(source.data, source.column_stride, target, to);
  } else {
    turn_quad<Element, kStep, 4, 4>(source, target, to);
    turn_quad<Element, kStep, 4, 4>(
        {source.data + kQuad * source.column_stride, source.column_stride, source.row_stride},
        target + kQuad * kBytes, to);
  }
}

template <class Element, int kStep>
[[gnu::target("avx2")]] void transpose_band(const Band& band) {
  constexpr Index kRows = sizeof(Element) == 4 && kStep != kAnyStep ? 8 : 4;  // at a time
  const Index spacing = std::abs(band.source.row_stride);
  const Index column_bytes = (band.num_rows - 1) * spacing + Index{sizeof(Element)};
  const Index lowest = std::min<Index>(0, (band.num_rows - 1) * band.source.row_stride);
  const bool is_foreseen = column_bytes >= kForeseenBytes && spacing < kCacheLineBytes;
  Index i = 0;
  for (; band.num_rows >= kRows && i + kBlock <= band.num_columns; i += kBlock) {
    if (!is_foreseen && i + 2 * kBlock <= band.num_columns) {
      prefetch(band.source_at(i + kBlock, 0).data + lowest, band.source.column_stride, column_bytes,
               std::max(spacing, kCacheLineBytes));
    }
    for (Index row = 0; row < band.num_rows; row += kRows) {
      const Index j = std::min(row, band.num_rows - kRows);
      turn_block<Element, kStep>(band.source_at(i, j), band.target + j * band.to + i * Index{sizeof(Element)},
                                 band.to);
    }
  }
  turn_rest<Element, kStep>(band, i);
}

template <class Element>
void transpose_elements(const Band& band) {
  const Index stride = band.source.row_stride;
  if (stride == Index{sizeof(Element)}) return transpose_band<Element, 1>(band);
  if (stride == 2 * Index{sizeof(Element)}) return transpose_band<Element, 2>(band);
  transpose_band<Element, kAnyStep>(band);
}

}  // namespace

bool can_transpose(Index element_bytes) {
  return (element_bytes == 4 || element_bytes == 8) && __builtin_cpu_supports("avx2");
}

void transpose(Index element_bytes, Index num_columns, Index num_rows, const TransposeSource& source,
               std::byte* target, Index target_stride) {
  for (Index j = 0; j < num_rows; j += kBand) {
    const Band band{num_columns,
                    std::min(kBand, num_rows - j),
                    {source.data + j * source.row_stride, source.column_stride, source.row_stride},
                    target + j * target_stride,
                    target_stride};
    element_bytes == 8 ? transpose_elements<double>(band) : transpose_elements<float>(band);
  }
}

#else

bool can_transpose(Index /*element_bytes*/) { return false; }

void transpose(Index, Index, Index, const TransposeSource&, std::byte*, Index) {}

#endif

}  // namespace esker
