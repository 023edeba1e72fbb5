#include "grid/mean_pyramid.h"

#include <algorithm>
#include <cstring>

namespace esker {

/// Calls visit(first) for the rows of a box.
template <class Visit>
void MeanPyramid::for_each_row(const Box& box, const Visit& visit) const {
  if (box.empty()) return;
  Point first = box.lo;
  for (;;) {
    visit(first);
    int a = 0;
    while (a < box.rank && (a == axis_ || ++first[a] == box.hi[a])) {
      first[a] = box.lo[a];
      ++a;
    }
    if (a == box.rank) return;
  }
}

void MeanPyramid::make_means() const {
  for (std::size_t level = levels_.size() - 1; level > 0; --level) {
    const Level& of = levels_[level];
    for_each_row(of.own, [&](const Point& first) {
      if (!has_parents(level, first)) sum_row(level, first, of.own.extent(axis_), true, of.rows);
    });
  }
}

void MeanPyramid::copy_sums(std::size_t level, const Box& cells, std::byte* target) const {
  std::byte* const row = levels_[level].rows;
  std::array<Index, kMaxRank> strides{};
  Index below = sums_.bytes;
  for (int a = 0; a < cells.rank; ++a) {
    strides[static_cast<std::size_t>(a)] = below;
    below *= cells.extent(a);
  }
  for_each_row(cells, [&](const Point& first) {
    sum_row(level, first, cells.extent(axis_), false, row);
    std::byte* to = target;
    for (int a = 0; a < cells.rank; ++a)
      to += (first[a] - cells.lo[a]) * strides[static_cast<std::size_t>(a)];
    for (Index i = 0; i < cells.extent(axis_); ++i, to += strides[static_cast<std::size_t>(axis_)]) {
      std::memcpy(to, row + i * sums_.bytes, static_cast<std::size_t>(sums_.bytes));
    }
  });
}

/// Whether the patch has the parents of a row: their sums need those of the row.
bool MeanPyramid::has_parents(std::size_t level, const Point& row) const {
  if (level + 1 == levels_.size()) return false;
  const Box& parents = levels_[level + 1].own;
  if (parents.empty()) return false;
  for (int a = 0; a < parents.rank; ++a) {
    if (a != axis_ && row[a] / 2 < parents.lo[a]) return false;
  }
  return true;
}

/// Sums `count` cells of the patch from `first` on. `writes_means`: these are a row of the patch, whose means
/// are written, and with it those of the rows below.
void MeanPyramid::sum_row(std::size_t level, const Point& first, Index count, bool writes_means,
                          std::byte* row) const {
  const int rank = samples_.box.rank;
  const Level& children = levels_[level - 1];
  const Index row_bytes = children.own.extent(axis_) * sums_.bytes;
  std::array<Row, kMostRows> rows{};
  for (std::size_t n = 0; n < static_cast<std::size_t>(num_rows(rank)); ++n) {
    Point child = first;
    bool is_in_domain = true;
    for (int a = 0, bit = 0; a < rank; ++a) {
      child[a] = 2 * first[a] + (a != axis_ ? static_cast<Index>(n >> bit++ & 1U) : 0);
      is_in_domain = is_in_domain && child[a] < children.domain.hi[a];
    }
    if (!is_in_domain) continue;
    const Index num_children = std::min(2 * count, children.domain.hi[axis_] - child[axis_]);
    std::byte* const sums = level > 1 ? children.rows + static_cast<Index>(n) * row_bytes : nullptr;
    rows[n] = find_row(level - 1, child, num_children, writes_means, sums);
  }
  sums_.clear(row, count);
  add_rows(level - 1, rows, row);
  if (writes_means) write_means(level, first, row);
}

/// A row of children; those of the patch are summed to `sums` if they are cells.
MeanPyramid::Row MeanPyramid::find_row(std::size_t level, const Point& first, Index count, bool writes_means,
                                       std::byte* sums) const {
  const Level& of = levels_[level];
  int beyond = -1;  // the highest axis on which the row is beyond the patch
  for (int a = 0; a < of.own.rank; ++a) {
    if (a != axis_ && first[a] >= of.own.hi[a]) beyond = a;
  }
  if (beyond > axis_) return {run_of(of.slabs[static_cast<std::size_t>(beyond)], first, 0, count), {}};
  const Index own = std::min(count, of.own.hi[axis_] - first[axis_]);
  Row row;
  if (own < count) row.rest = run_of(of.slabs[static_cast<std::size_t>(axis_)], first, own, count - own);
  if (beyond >= 0) {
    row.first = run_of(of.slabs[static_cast<std::size_t>(beyond)], first, 0, own);
  } else if (level == 0) {
    row.first = run_of(samples_, first, 0, own);
  } else {
    Point begin = first;
    if (writes_means) begin[axis_] = of.own.lo[axis_];
    sum_row(level, begin, writes_means ? of.own.extent(axis_) : own, writes_means, sums);
    row.first = {sums + (first[axis_] - begin[axis_]) * sums_.bytes, sums_.bytes, 0, own};
  }
  return row;
}

/// `count` children in memory, beginning with number `at` of the row.
ChildRun MeanPyramid::run_of(const ChildBox& part, const Point& first, Index at, Index count) const {
  const std::byte* data = part.data;
  for (int a = 0; a < part.box.rank; ++a) {
    const Index index = first[a] + (a == axis_ ? at : 0) - part.box.lo[a];
    data += index * part.stride_bytes[static_cast<std::size_t>(a)];
  }
  return {data, part.stride_bytes[static_cast<std::size_t>(axis_)], at, count};
}

/// Adds the children of each cell, x fastest. Where rows are along another axis, one child of each cell at a
/// time.
void MeanPyramid::add_rows(std::size_t level, const std::array<Row, kMostRows>& rows, std::byte* row) const {
  const std::size_t num = static_cast<std::size_t>(num_rows(samples_.box.rank));
  if (axis_ == 0) {
    for (std::size_t n = 0; n < num; ++n) {
      add(level, rows[n].first, row);
      add(level, rows[n].rest, row);
    }
    return;
  }
  const auto bit = static_cast<std::size_t>(axis_);
  for (std::size_t place = 0; place < 2 * num; ++place) {
    const std::size_t lower = place & ((std::size_t{1} << bit) - 1), higher = place >> (bit + 1);
    const Row& of = rows[higher << bit | lower];
    const auto half = static_cast<Index>(place >> bit & 1U);
    add_half(level, of.first, half, row);
    add_half(level, of.rest, half, row);
  }
}

void MeanPyramid::add(std::size_t level, const ChildRun& run, std::byte* row) const {
  if (run.count == 0) return;
  level == 0 ? sums_.add_samples(run, missing_, row) : sums_.add_sums(run, row);
}

/// Adds the children of a run whose numbers are even (half 0) or odd.
void MeanPyramid::add_half(std::size_t level, const ChildRun& run, Index half, std::byte* row) const {
  const Index skipped = (run.at + half) % 2;
  if (run.count <= skipped) return;
  ChildRun some = run;
  some.data += skipped * run.stride_bytes;
  some.stride_bytes *= 2;
  some.at = (run.at + skipped) / 2;
  some.count = (run.count - skipped + 1) / 2;
  some.one_per_cell = true;
  add(level, some, row);
}

void MeanPyramid::write_means(std::size_t level, const Point& first, const std::byte* row) const {
  const Level& of = levels_[level];
  std::byte* to = of.means;
  for (int a = 0; a < of.own.rank; ++a) {
    to += (first[a] - of.own.lo[a]) * of.mean_strides[static_cast<std::size_t>(a)];
  }
  sums_.write_means(row, of.own.extent(axis_), missing_, to,
                    of.mean_strides[static_cast<std::size_t>(axis_)]);
}

}  // namespace esker
