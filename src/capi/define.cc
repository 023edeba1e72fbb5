// What a dataset that is written will be made of.
#include "capi/handle.h"
#include "capi/translate.h"

using esker::AttributeValue;
using esker::Code;
using esker::Status;
using esker::Writer;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Status put_attribute(Writer& writer, esker_object object, int number, const char* name,
                     AttributeValue value) {
  switch (object) {
    case ESKER_DATASET:
      if (number != 0) return esker::error(Code::kInvalidArgument, "dataset {}, expected 0", number);
      return writer.put_att(name, std::move(value));
    case ESKER_GRID:
      return writer.put_att(esker::GridId{number}, name, std::move(value));
    case ESKER_FIELD:
      return writer.put_att(esker::FieldId{number}, name, std::move(value));
    case ESKER_DIM:
      return writer.put_att(esker::DimId{number}, name, std::move(value));
    case ESKER_TIME:
      if (number != 0) return esker::error(Code::kInvalidArgument, "time {}, expected 0", number);
      return writer.put_time_att(name, std::move(value));
    default:
      return no_object(object);
  }
}

template <class T>
esker_status put_numbers(esker_dataset* ds, esker_object object, int number, const char* name,
                         const T* values, int64_t count) {
  return recorded_call(ds, "put_att", {{name, "name"}, {values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(auto list, to_vector(values, count, "count"));
    return put_attribute(writer, object, number, name, std::move(list)).with_context("put_att");
  });
}

}  // namespace

extern "C" {

esker_status esker_def_dim(esker_dataset* ds, const char* name, int64_t size, int* dim) {
  return recorded_call(ds, "def_dim", {{name, "name"}, {dim, "dim"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_dim(name, size));
    *dim = id.index;
    return {};
  });
}

esker_status esker_def_grid(esker_dataset* ds, const char* name, int num_dims, const int* dims, int* grid) {
  return recorded_call(
      ds, "def_grid", {{name, "name"}, {dims, "dims"}, {grid, "grid"}}, [&](Writer& writer) -> Status {
        if (num_dims < 1 || num_dims > esker::kMaxRank) {
          return esker::error(Code::kInvalidArgument, "grid '{}': {} dimensions, expected 1 to {}", name,
                              num_dims, esker::kMaxRank);
        }
        std::vector<esker::DimId> ids;
        for (int d = 0; d < num_dims; ++d) ids.push_back({dims[d]});
        ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_grid(name, ids));
        *grid = id.index;
        return {};
      });
}

esker_status esker_def_coords(esker_dataset* ds, int grid, int dim, const double* values, int64_t count) {
  return recorded_call(ds, "def_coords", {{values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* dimension, element(writer.schema().dims(), dim, "dimension"));
    ESKER_ASSIGN_OR_RETURN(auto list, to_vector(values, count, "count"));
    return writer.def_coords({grid}, dimension->name, std::move(list));
  });
}

esker_status esker_def_field(esker_dataset* ds, int grid, const char* name, esker_type type, int components,
                             int every, int* field) {
  return recorded_call(ds, "def_field", {{name, "name"}, {field, "field"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto sample_type, to_type(type));
    const bool fixed = every == ESKER_FIXED;
    ESKER_ASSIGN_OR_RETURN(
        const auto id, writer.def_field({grid}, name, sample_type, {components, fixed, fixed ? 1 : every}));
    *field = id.index;
    return {};
  });
}

esker_status esker_put_att_text(esker_dataset* ds, esker_object object, int number, const char* name,
                                const char* text) {
  return recorded_call(ds, "put_att", {{name, "name"}, {text, "text"}}, [&](Writer& writer) {
    return put_attribute(writer, object, number, name, std::string(text)).with_context("put_att");
  });
}

esker_status esker_put_att_int64(esker_dataset* ds, esker_object object, int number, const char* name,
                                 const int64_t* values, int64_t count) {
  return put_numbers(ds, object, number, name, values, count);
}

esker_status esker_put_att_double(esker_dataset* ds, esker_object object, int number, const char* name,
                                  const double* values, int64_t count) {
  return put_numbers(ds, object, number, name, values, count);
}

}  // extern "C"
