// esker_decomposition: esker::BrickDecomposition.
#include "esker/types/decomposition.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::BrickDecomposition;
using esker::Code;
using esker::Index;
using esker::Point;
using esker::Result;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Status check_num_dims(int num_dims) {
  if (num_dims >= 1 && num_dims <= ESKER_MAX_RANK) return {};
  return esker::error(Code::kInvalidArgument, "decompose: {} dimensions given; expected 1 to {}", num_dims,
                      ESKER_MAX_RANK);
}

Point to_point(const int64_t* values, int num_dims, int64_t rest) {
  Point point;
  point.fill(rest);
  std::copy_n(values, num_dims, point.begin());
  return point;
}

Result<std::vector<std::vector<Index>>> to_cuts(int num_dims, const int64_t* parts, const int64_t* cuts) {
  std::vector<std::vector<Index>> lists;
  for (int a = 0; a < num_dims; ++a) {
    if (parts[a] < 1) {
      return esker::error(Code::kInvalidArgument, "decompose: {} parts on axis {}, expected 1 or more",
                          parts[a], a);
    }
    lists.emplace_back(cuts, cuts + parts[a] + 1);
    cuts += parts[a] + 1;
  }
  return lists;
}

/// A handle with what `make(num_dims)` returns, or with its error.
template <class Make>
esker_status decompose(int num_dims, std::initializer_list<Needed> needed, esker_decomposition** out,
                       const Make& make) noexcept {
  if (!out) return ESKER_INVALID_ARGUMENT;
  *out = new (std::nothrow) esker_decomposition();
  if (!*out) return ESKER_OUT_OF_MEMORY;
  return call(*out, "decompose", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_num_dims(num_dims));
    ESKER_RETURN_IF_ERROR(check_given("decompose", needed));
    ESKER_ASSIGN_OR_RETURN((*out)->split, make());
    return {};
  });
}

/// A call of a decomposition that was made, `Status work(const BrickDecomposition&)`.
template <class Work>
esker_status decomposition_call(esker_decomposition* decomposition, const Work& work) noexcept {
  return call(decomposition, "decomposition", [&]() -> Status {
    if (!decomposition->split) return decomposition->failure;
    return work(*decomposition->split);
  });
}

}  // namespace

extern "C" {

esker_status esker_decompose_even(int num_dims, const int64_t* extent, const int64_t* parts,
                                  esker_decomposition** out) {
  return decompose(num_dims, {{extent, "extent"}, {parts, "parts"}}, out, [&] {
    return BrickDecomposition::even(num_dims, to_point(extent, num_dims, 1), to_point(parts, num_dims, 1));
  });
}

esker_status esker_decompose_cuts(int num_dims, const int64_t* parts, const int64_t* cuts,
                                  esker_decomposition** out) {
  return decompose(num_dims, {{parts, "parts"}, {cuts, "cuts"}}, out, [&]() -> Result<BrickDecomposition> {
    ESKER_ASSIGN_OR_RETURN(auto lists, to_cuts(num_dims, parts, cuts));
    return BrickDecomposition::from_cuts(std::move(lists));
  });
}

esker_status esker_decompose_pism(int num_dims, const int64_t* extent, int num_ranks,
                                  esker_decomposition** out) {
  return decompose(num_dims, {{extent, "extent"}}, out, [&] {
    return BrickDecomposition::pism(num_dims, to_point(extent, num_dims, 1), num_ranks);
  });
}

esker_status esker_decompose_near_cubic(int num_dims, const int64_t* extent, int num_ranks,
                                        esker_decomposition** out) {
  return decompose(num_dims, {{extent, "extent"}}, out, [&] {
    return BrickDecomposition::near_cubic(num_dims, to_point(extent, num_dims, 1), num_ranks);
  });
}

esker_status esker_decomposition_inq(esker_decomposition* decomposition, int* num_dims, int64_t* num_parts,
                                     int64_t* parts) {
  return decomposition_call(decomposition, [&](const BrickDecomposition& split) {
    give(num_dims, split.rank());
    give(num_parts, split.num_parts());
    for (int a = 0; parts && a < split.rank(); ++a) parts[a] = split.num_parts(a);
    return Status();
  });
}

esker_status esker_decomposition_inq_cuts(esker_decomposition* decomposition, int axis, const int64_t** cuts,
                                          int64_t* count) {
  return decomposition_call(decomposition, [&](const BrickDecomposition& split) -> Status {
    if (axis < 0 || axis >= split.rank()) {
      return esker::error(Code::kOutOfRange, "axis {} does not exist; the decomposition has {} axes", axis,
                          split.rank());
    }
    give(cuts, split.cuts(axis).data());
    give(count, split.cuts(axis).size());
    return {};
  });
}

esker_status esker_decomposition_inq_box(esker_decomposition* decomposition, int64_t part, int64_t* lo,
                                         int64_t* extent) {
  return decomposition_call(decomposition, [&](const BrickDecomposition& split) -> Status {
    if (part < 0 || part >= split.num_parts()) {
      return esker::error(Code::kOutOfRange, "part {} does not exist; the decomposition has {} parts", part,
                          split.num_parts());
    }
    const esker::Box box = split.box(part);
    give_point(lo, box.lo, split.rank());
    give_point(extent, box.extents(), split.rank());
    return {};
  });
}

esker_status esker_decomposition_inq_part(esker_decomposition* decomposition, const int64_t* index,
                                          int64_t* part) {
  return decomposition_call(decomposition, [&](const BrickDecomposition& split) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("inq_part", {{index, "index"}, {part, "part"}}));
    for (int a = 0; a < split.rank(); ++a) {
      if (index[a] >= 0 && index[a] < split.cuts(a).back()) continue;
      return esker::error(Code::kOutOfRange, "index {} on axis {}, expected 0 to {}", index[a], a,
                          split.cuts(a).back() - 1);
    }
    *part = split.part_of(to_point(index, split.rank(), 0));
    return {};
  });
}

const char* esker_decomposition_message(const esker_decomposition* decomposition) {
  return decomposition ? decomposition->failure.message().c_str() : "the decomposition is NULL";
}

void esker_decomposition_free(esker_decomposition* decomposition) { delete decomposition; }

}  // extern "C"
