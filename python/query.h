// Conversion of queries from Python.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "esker/dataset.hpp"

namespace esker::python {

using Indices = std::vector<Index>;
using BoxCorners = std::pair<Indices, Indices>;  // lo, hi

/// The first `rank` of a point's indices.
Indices first(const Point& point, int rank);
BoxCorners corners(const Box& box);
/// Throws Error for invalid corners.
Box make_box(const BoxCorners& corners);

/// Throws Error for invalid corners or strides.
Query make_query(const std::string& field, Index step, const std::optional<BoxCorners>& box,
                 std::optional<int> level, const std::optional<Indices>& stride = {});

}  // namespace esker::python
