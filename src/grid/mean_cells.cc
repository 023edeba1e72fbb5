#include "grid/mean_cells.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/with_type.h"

namespace esker {
namespace {

__extension__ typedef __int128 Wide;  // exact sums of integers

struct RealSum {
  double sum = 0;
  std::uint64_t count = 0;
};

struct IntegerSum {
  std::uint64_t low = 0;  // two halves: an __int128 would make it larger
  std::int64_t high = 0;
  std::uint64_t count = 0;

  [[nodiscard]] Wide sum() const { return (static_cast<Wide>(high) << 64) + static_cast<Wide>(low); }
  void set(Wide sum) {
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::int64_t>(sum >> 64);
  }
};

template <class T>
using SumOf = std::conditional_t<std::is_floating_point_v<T>, RealSum, IntegerSum>;

/// MissingValues as values.
template <class T>
struct Missing {
  T first{}, second{};
  bool any = false;

  explicit Missing(const MissingValues& missing) : any(missing.count > 0) {
    std::memcpy(&first, missing.values.data(), sizeof(T));
    std::memcpy(&second, &missing.values[missing.count > 1 ? 1 : 0], sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (!any) first = second = std::numeric_limits<T>::quiet_NaN();  // equals no sample
    }
  }
  [[nodiscard]] bool has(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return !(value == value) || value == first || value == second;
    } else {
      return any && (value == first || value == second);
    }
  }
};

void add(const RealSum& child, RealSum& cell) {
  cell.sum += child.sum;
  cell.count += child.count;
}

void add(const IntegerSum& child, IntegerSum& cell) {
  cell.set(cell.sum() + child.sum());
  cell.count += child.count;
}

template <class T>
void add(T sample, const Missing<T>& missing, RealSum& cell) {
  const bool is_sample = !missing.has(sample);
  cell.sum += is_sample ? static_cast<double>(sample) : 0.0;
  cell.count += is_sample ? 1 : 0;
}

template <class T>
void add(T sample, const Missing<T>& missing, IntegerSum& cell) {
  if (missing.has(sample)) return;
  cell.set(cell.sum() + static_cast<Wide>(sample));
  ++cell.count;
}

template <class T>
T mean_of(const RealSum& cell, const Missing<T>& missing) {
  if (cell.count == 0) return missing.first;
  const double mean = cell.sum / static_cast<double>(cell.count);
  return mean == mean ? static_cast<T>(mean) : std::numeric_limits<T>::quiet_NaN();  // one NaN of all
}

/// The nearest integer, of two such the even one.
template <class T>
T mean_of(const IntegerSum& cell, const Missing<T>& missing) {
  if (cell.count == 0) return missing.first;
  const Wide sum = cell.sum();
  const Wide count = static_cast<Wide>(cell.count);
  Wide mean = sum / count, rest = sum % count;
  if (rest < 0) {
    rest += count;
    --mean;
  }
  if (2 * rest > count || (2 * rest == count && mean % 2 != 0)) ++mean;
  return static_cast<T>(mean);
}

/// Calls add_one(child, cell) for each child of a run.
template <class Child, class Sum, class Add>
void add_run(const ChildRun& run, Index stride, Sum* row, const Add& add_one) {
  const std::byte* data = run.data;
  const auto add_next = [&](Sum& cell) {
    Child child;
    std::memcpy(&child, data, sizeof(child));
    add_one(child, cell);
    data += stride;
  };
  if (run.one_per_cell) {
    for (Sum* cell = row + run.at; cell < row + run.at + run.count; ++cell) add_next(*cell);
    return;
  }
  Index left = run.count;
  Sum* cell = row + run.at / 2;
  if (run.at % 2 != 0 && left > 0) {
    add_next(*cell++);
    --left;
  }
  for (; left > 1; left -= 2, ++cell) {
    Sum both = *cell;
    add_next(both);
    add_next(both);
    *cell = both;
  }
  if (left > 0) add_next(*cell);
}

template <class T>
void clear(std::byte* row, Index count) {
  std::fill_n(reinterpret_cast<SumOf<T>*>(row), count, SumOf<T>());
}

template <class T>
void add_samples(const ChildRun& samples, const MissingValues& values, std::byte* row) {
  const Missing<T> missing(values);
  const auto add_sample = [missing](T sample, SumOf<T>& cell) { add(sample, missing, cell); };
  auto* cells = reinterpret_cast<SumOf<T>*>(row);
  constexpr Index kDense = sizeof(T);
  if (samples.stride_bytes == kDense) {
    add_run<T>(samples, kDense, cells, add_sample);
  } else {
    add_run<T>(samples, samples.stride_bytes, cells, add_sample);
  }
}

template <class T>
void add_sums(const ChildRun& sums, std::byte* row) {
  using Sum = SumOf<T>;
  add_run<Sum>(sums, sums.stride_bytes, reinterpret_cast<Sum*>(row),
               [](const Sum& child, Sum& cell) { add(child, cell); });
}

template <class T>
void write_means(const std::byte* row, Index count, const MissingValues& values, std::byte* means,
                 Index stride) {
  const Missing<T> missing(values);
  const auto* cells = reinterpret_cast<const SumOf<T>*>(row);
  for (Index i = 0; i < count; ++i, means += stride) {
    const T mean = mean_of<T>(cells[i], missing);
    std::memcpy(means, &mean, sizeof(mean));
  }
}

template <class T>
CellSums operations() {
  return {sizeof(SumOf<T>), clear<T>, add_samples<T>, add_sums<T>, write_means<T>};
}

}  // namespace

CellSums CellSums::of(SampleType type) {
  return with_type(type, [](auto value) { return operations<decltype(value)>(); });
}

}  // namespace esker
