// Queries: what a dataset that is read holds, and its samples.
#include "capi/handle.h"
#include "capi/translate.h"

using esker::Code;
using esker::Dataset;
using esker::Query;
using esker::Result;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Result<Query> to_query(const Dataset& dataset, int number, int64_t step, const int64_t* lo,
                       const int64_t* extent, int level) {
  ESKER_ASSIGN_OR_RETURN(const auto* field, element(dataset.schema().fields(), number, "field"));
  Query query{field->name, step};
  if (!lo != !extent) {
    return esker::error(Code::kInvalidArgument,
                        "field '{}': {} is NULL, and the other corner of the box is not", field->name,
                        lo ? "extent" : "lo");
  }
  if (lo) {
    const auto& grid = dataset.schema().grids()[static_cast<std::size_t>(field->grid)];
    auto box = to_box(dataset.schema().rank_of(grid), lo, extent);
    if (!box.ok()) return box.status().with_context("field '" + field->name + "'");
    query.box = *box;
  }
  if (level != ESKER_FULL_LEVEL) query.level = level;
  return query;
}

}  // namespace

extern "C" {

esker_status esker_inq_has(esker_dataset* ds, int field, int64_t step, int* has) {
  return read_call(ds, "inq_has", {{has, "has"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(*has, dataset.has(found->name, step));
    return {};
  });
}

esker_status esker_inq_max_level(esker_dataset* ds, int field, int* level) {
  return read_call(ds, "inq_max_level", {{level, "level"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(*level, dataset.max_level(found->name));
    return {};
  });
}

esker_status esker_inq_selection(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                 const int64_t* extent, int level, int64_t* origin, int64_t* stride,
                                 int64_t* count) {
  return read_call(ds, "inq_selection", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(dataset, field, step, lo, extent, level));
    ESKER_ASSIGN_OR_RETURN(const esker::Lattice lattice, dataset.select(query));
    give_point(origin, lattice.origin, lattice.rank);
    give_point(stride, lattice.stride, lattice.rank);
    give_point(count, lattice.count, lattice.rank);
    return {};
  });
}

esker_status esker_get(esker_dataset* ds, int field, int64_t step, const int64_t* lo, const int64_t* extent,
                       int level, void* buffer, int64_t buffer_bytes) {
  return read_call(ds, "get", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(dataset, field, step, lo, extent, level));
    if (buffer_bytes < 0 || (buffer_bytes > 0 && !buffer)) {
      return esker::error(Code::kInvalidArgument, "get '{}': {} buffer of {} bytes", query.field,
                          buffer ? "a" : "a NULL", buffer_bytes);
    }
    return dataset.read(query, buffer, static_cast<std::size_t>(buffer_bytes));
  });
}

}  // extern "C"
