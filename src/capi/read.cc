// Queries of a dataset that is read, and its samples.
#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Code;
using esker::Dataset;
using esker::Query;
using esker::Reader;
using esker::Result;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Result<Query> to_query(const esker_dataset& ds, int number, int64_t step, const int64_t* lo,
                       const int64_t* extent, int level) {
  const Dataset& dataset = *ds.dataset();
  ESKER_ASSIGN_OR_RETURN(const auto* field, element(dataset.schema().fields(), number, "field"));
  Query query{field->name, step};
  if (!lo != !extent) {
    return esker::error(Code::kInvalidArgument, "field '{}': {} is NULL; give both lo and extent, or neither",
                        field->name, lo ? "extent" : "lo");
  }
  if (lo) {
    const auto& grid = dataset.schema().grid_of(*field);
    auto box = to_box(dataset.schema().rank_of(grid), lo, extent);
    if (!box.ok()) return box.status().with_context("field '" + field->name + "'");
    query.box = *box;
  }
  if (level != ESKER_FULL_LEVEL) query.level = level;
  if (const auto bits = ds.bits.find(number); bits != ds.bits.end()) query.bits = bits->second;
  if (const auto at = ds.mesh_levels.find(number); at != ds.mesh_levels.end()) query.mesh_level = at->second;
  return query;
}

/// The error of a query that does not depend on its step: that of the first step with the field, if any.
Status check_for_any_step(const Dataset& dataset, Query query) {
  const auto num_steps = static_cast<int64_t>(dataset.steps().size());
  for (int64_t step = 0; step < num_steps; ++step) {
    ESKER_ASSIGN_OR_RETURN(const bool has_it, dataset.has(query.field, step));
    if (!has_it) continue;
    query.step = step;
    break;
  }
  return dataset.select(query).status();
}

/// How reads fill missing samples of the field.
esker::MissingBlocks missing_of(const esker_dataset& ds, int field) {
  const auto found = ds.missing.find(field);
  return found != ds.missing.end() ? found->second : esker::MissingBlocks::kAuto;
}

/// A call whose errors become those of the next esker_read, as the Reader does with its own.
template <class Work>
esker_status request_call(esker_dataset* ds, const Work& work) noexcept {
  return parallel_call(ds, "request", [&](Reader& reader) {
    Status status = esker::guarded("request", [&] { return work(reader); }).with_context("request");
    reader.fail(status);
    return status;
  });
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

esker_status esker_inq_errors(esker_dataset* ds, int field, int64_t step, int* is_lossy, double* largest,
                              double* rms) {
  return read_call(ds, "inq_errors", {{is_lossy, "is_lossy"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(const auto errors, dataset.errors(found->name, step));
    *is_lossy = errors ? 1 : 0;
    give(largest, errors ? errors->largest : 0);
    give(rms, errors ? errors->rms : 0);
    return {};
  });
}

esker_status esker_inq_stored_samples(esker_dataset* ds, int field, int64_t step, int* is_sparse,
                                      esker_stored_samples* samples) {
  return read_call(
      ds, "inq_stored_samples", {{is_sparse, "is_sparse"}}, [&](const Dataset& dataset) -> Status {
        ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
        ESKER_ASSIGN_OR_RETURN(const auto stored, dataset.stored_samples(found->name, step));
        *is_sparse = stored ? 1 : 0;
        give(samples, stored ? to_c(*stored) : esker_stored_samples{});
        return {};
      });
}

esker_status esker_inq_patches(esker_dataset* ds, int field, int64_t step, int64_t* num, int* levels,
                               int64_t* lo, int64_t* extent) {
  return read_call(ds, "inq_patches", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(const auto patches, dataset.patches(found->name, step));
    give(num, patches.size());
    for (const esker::MeshBox& patch : patches) {
      if (levels) *levels++ = patch.level;
      give_point(lo, patch.box.lo, patch.box.rank);
      give_point(extent, patch.box.extents(), patch.box.rank);
      if (lo) lo += patch.box.rank;
      if (extent) extent += patch.box.rank;
    }
    return {};
  });
}

esker_status esker_inq_level_covers(esker_dataset* ds, int field, int64_t step, int* num_levels,
                                    int64_t* patches, int64_t* samples, int64_t* covered) {
  return read_call(ds, "inq_level_covers", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(const auto covers, dataset.level_covers(found->name, step));
    give(num_levels, covers.size());
    for (const esker::LevelCover& cover : covers) {
      if (patches) *patches++ = cover.patches;
      if (samples) *samples++ = cover.samples;
      if (covered) *covered++ = cover.covered;
    }
    return {};
  });
}

esker_status esker_inq_stored_bits(esker_dataset* ds, int field, int* bits) {
  return schema_call(ds, "inq_stored_bits", {{bits, "bits"}}, [&](const esker::Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.fields(), field, "field"));
    *bits = found->stored_bits;
    return {};
  });
}

esker_status esker_set_bits(esker_dataset* ds, int field, int bits) {
  return read_call(ds, "set_bits", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    if (bits == 0) {
      ds->bits.erase(field);
      return {};
    }
    Query query{found->name};
    query.bits = bits;
    ESKER_RETURN_IF_ERROR(check_for_any_step(dataset, query));
    ds->bits[field] = bits;
    return {};
  });
}

esker_status esker_set_mesh_level(esker_dataset* ds, int field, int mesh_level) {
  return read_call(ds, "set_mesh_level", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    if (mesh_level == ESKER_ALL_MESH_LEVELS) {
      ds->mesh_levels.erase(field);
      return {};
    }
    Query query{found->name};
    query.mesh_level = mesh_level;
    ESKER_RETURN_IF_ERROR(check_for_any_step(dataset, query));
    ds->mesh_levels[field] = mesh_level;
    return {};
  });
}

esker_status esker_inq_whole_levels(esker_dataset* ds, int field, int* whole) {
  return read_call(ds, "inq_whole_levels", {{whole, "whole"}}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    ESKER_ASSIGN_OR_RETURN(const bool has_them, dataset.has_whole_levels(found->name));
    *whole = has_them ? 1 : 0;
    return {};
  });
}

esker_status esker_set_missing(esker_dataset* ds, int field, esker_missing missing) {
  return read_call(ds, "set_missing", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(dataset.schema().fields(), field, "field"));
    if (missing < ESKER_MISSING_AUTO || missing > ESKER_MISSING_NAN) {
      return esker::error(Code::kInvalidArgument,
                          "set_missing '{}': value {}, expected ESKER_MISSING_AUTO to ESKER_MISSING_NAN",
                          found->name, missing);
    }
    const auto type = found->type;
    if (missing == ESKER_MISSING_NAN && type != esker::SampleType::kFloat32 &&
        type != esker::SampleType::kFloat64) {
      return esker::error(Code::kInvalidArgument,
                          "set_missing '{}': the field is of type {}, which has no NaN", found->name,
                          esker::name(type));
    }
    ds->missing[field] = static_cast<esker::MissingBlocks>(missing);
    return {};
  });
}

esker_status esker_inq_selection(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                                 const int64_t* extent, int level, int64_t* origin, int64_t* stride,
                                 int64_t* count) {
  return read_call(ds, "inq_selection", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(*ds, field, step, lo, extent, level));
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
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(*ds, field, step, lo, extent, level));
    if (buffer_bytes < 0 || (buffer_bytes > 0 && !buffer)) {
      return esker::error(Code::kInvalidArgument,
                          "get '{}': expected a buffer and its size, found {} buffer of {} bytes",
                          query.field, buffer ? "a" : "a NULL", buffer_bytes);
    }
    const esker::ReadOptions options{.missing = missing_of(*ds, field), .stream = ds->stream};
    return dataset.read(query, buffer, static_cast<std::size_t>(buffer_bytes), options);
  });
}

esker_status esker_get_levels(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                              const int64_t* extent, int level, int8_t* levels, int64_t count) {
  return read_call(ds, "get_levels", {}, [&](const Dataset& dataset) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(*ds, field, step, lo, extent, level));
    if (count < 0 || (count > 0 && !levels)) {
      return esker::error(Code::kInvalidArgument,
                          "get_levels '{}': expected an array and its size, found {} array of {} levels",
                          query.field, levels ? "an" : "a NULL", count);
    }
    return dataset.levels(query, levels, static_cast<std::size_t>(count)).with_context("get_levels");
  });
}

esker_status esker_request(esker_dataset* ds, int field, int64_t step, const int64_t* lo,
                           const int64_t* extent, int level, void* buffer, int64_t buffer_bytes) {
  return request_call(ds, [&](Reader& reader) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(*ds, field, step, lo, extent, level));
    if (buffer_bytes < 0) {
      return esker::error(Code::kInvalidArgument,
                          "field '{}': expected a buffer of 0 bytes or more, found {}", query.field,
                          buffer_bytes);
    }
    return reader.request(query, buffer, static_cast<std::size_t>(buffer_bytes), missing_of(*ds, field));
  });
}

esker_status esker_request_strided(esker_dataset* ds, int field, esker_type type, int64_t step,
                                   const int64_t* lo, const int64_t* extent, void* data,
                                   const int64_t* stride_bytes, int64_t component_stride_bytes) {
  return request_call(ds, [&](Reader& reader) -> Status {
    ESKER_RETURN_IF_ERROR(
        check_given("request", {{lo, "lo"}, {extent, "extent"}, {stride_bytes, "stride_bytes"}}));
    ESKER_ASSIGN_OR_RETURN(const Query query, to_query(*ds, field, step, lo, extent, ESKER_FULL_LEVEL));
    esker::MutablePatch target;
    ESKER_ASSIGN_OR_RETURN(target.type, to_type(type));
    target.box = *query.box;
    target.data = data;
    std::copy_n(stride_bytes, target.box.rank, target.stride_bytes.begin());
    target.component_stride_bytes = component_stride_bytes;
    return reader.request(query.field, step, target, query.bits, missing_of(*ds, field), query.mesh_level);
  });
}

esker_status esker_read(esker_dataset* ds) {
  return parallel_call(ds, "read", [](Reader& reader) { return reader.read(); });
}

esker_status esker_inq_last_read(esker_dataset* ds, esker_read_report* report) {
  return parallel_call(ds, "inq_last_read", [&](const Reader& reader) -> Status {
    ESKER_RETURN_IF_ERROR(check_given("inq_last_read", {{report, "report"}}));
    const esker::ReadReport& last = reader.last_read();
    *report = {last.data_bytes, last.loaded_bytes, last.seconds,           last.aggregated ? 1 : 0,
               last.readers,    last.buffer_bytes, last.most_loaded_bytes, last.least_loaded_bytes};
    return {};
  });
}

}  // extern "C"
