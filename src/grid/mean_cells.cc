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

/// Adds children, `stride` bytes apart, to the cells of a row. The first one is child number `at` of the row.
template <class Child, class Sum, class Add>
void add_run(const std::byte* data, Index stride, Index at, Index count, Sum* row, const Add& add_one) {
  const auto add_next = [&](Sum& cell) {
    Child child;
    std::memcpy(&child, data, sizeof(child));
    add_one(child, cell);
    data += stride;
  };
  Index left = count;
  Sum* cell = row + at / 2;
  if (at % 2 != 0 && left > 0) {
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

/// Averages the cells of a patch whose samples are T.
template <class T, bool kAreSums>
class Averaging {
 public:
  explicit Averaging(const CellsOfPatch& work) : work_(work), missing_(work.missing) {}

  void run() {
    const Index length = work_.cells.extent(0);
    Index done = 0;
    for (Point cell = work_.cells.lo; next_is_valid(cell); advance(cell), done += length) {
      Sum* const row =
          work_.sums ? reinterpret_cast<Sum*>(work_.sums) + done : reinterpret_cast<Sum*>(work_.row);
      std::fill_n(row, length, Sum());
      add_children(cell, row);
      std::byte* mean = work_.means + done * work_.mean_bytes;
      for (Index i = 0; i < length; ++i, mean += work_.mean_bytes) {
        const T value = mean_of<T>(row[i], missing_);
        std::memcpy(mean, &value, sizeof(value));
      }
    }
  }

 private:
  using Sum = SumOf<T>;
  using Child = std::conditional_t<kAreSums, Sum, T>;

  /// Rows along x, in the order of memory.
  [[nodiscard]] bool next_is_valid(const Point& cell) const {
    const int last = work_.cells.rank - 1;
    return last == 0 ? cell[0] < work_.cells.hi[0] : cell[last] < work_.cells.hi[last];
  }
  void advance(Point& cell) const {
    const Box& cells = work_.cells;
    if (cells.rank == 1) {
      cell[0] = cells.hi[0];
      return;
    }
    for (int a = 1; a < cells.rank; ++a) {
      if (++cell[a] < cells.hi[a] || a == cells.rank - 1) return;
      cell[a] = cells.lo[a];
    }
  }

  /// All children of a row of cells: along x, by rows, of which y changes fastest.
  void add_children(const Point& cell, Sum* row) {
    const int rank = work_.cells.rank;
    for (unsigned place = 0; place < 1U << static_cast<unsigned>(rank - 1); ++place) {
      Point child = cell;
      bool is_in_domain = true;
      for (int a = 0; a < rank; ++a) {
        child[a] = 2 * cell[a] + (a > 0 ? place >> static_cast<unsigned>(a - 1) & 1U : 0);
        is_in_domain = is_in_domain && child[a] < work_.domain.hi[a];
      }
      if (is_in_domain) add_row(child, row);
    }
  }

  /// The children from `first` on along x.
  void add_row(const Point& first, Sum* row) {
    const Index count = std::min(2 * work_.cells.extent(0), work_.domain.hi[0] - first[0]);
    int beyond = 0;  // the highest axis on which the row is beyond the patch
    for (int a = 1; a < work_.cells.rank; ++a) {
      if (first[a] >= work_.own.box.hi[a]) beyond = a;
    }
    if (beyond > 0) return add_part(work_.slabs[beyond], first, 0, count, row);
    const Index own = std::min(count, work_.own.box.hi[0] - first[0]);
    add_part(work_.own, first, 0, own, row);
    if (own < count) add_part(work_.slabs[0], first, own, count - own, row);
  }

  /// `count` children in memory, beginning with number `at` of the row.
  void add_part(const ChildBox& part, const Point& first, Index at, Index count, Sum* row) {
    const std::byte* data = part.data + (first[0] + at - part.box.lo[0]) * part.stride_bytes[0];
    for (int a = 1; a < part.box.rank; ++a) data += (first[a] - part.box.lo[a]) * part.stride_bytes[a];
    constexpr Index kDense = sizeof(Child);
    if constexpr (kAreSums) {
      const auto add_sum = [](const Sum& child, Sum& cell) { add(child, cell); };
      add_run<Child>(data, kDense, at, count, row, add_sum);
    } else {
      const Missing<T> missing = missing_;
      const auto add_sample = [missing](T sample, Sum& cell) { add(sample, missing, cell); };
      const Index stride = part.stride_bytes[0];
      if (stride == kDense) return add_run<Child>(data, kDense, at, count, row, add_sample);
      add_run<Child>(data, stride, at, count, row, add_sample);
    }
  }

  const CellsOfPatch& work_;
  Missing<T> missing_;
};

}  // namespace

Index cell_sum_bytes(SampleType type) {
  return with_type(type, [](auto value) { return static_cast<Index>(sizeof(SumOf<decltype(value)>)); });
}

void average_cells(const CellsOfPatch& work) {
  with_type(work.type, [&](auto value) {
    using T = decltype(value);
    work.are_sums ? Averaging<T, true>(work).run() : Averaging<T, false>(work).run();
  });
}

}  // namespace esker
