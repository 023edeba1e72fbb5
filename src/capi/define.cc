// Definitions of a dataset that is written.
#include "capi/handle.h"
#include "capi/translate.h"

using esker::AttributeValue;
using esker::Code;
using esker::Mesh;
using esker::Result;
using esker::Status;
using esker::Writer;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

Status put_attribute(Writer& writer, esker_object object, int number, const char* name,
                     AttributeValue value) {
  switch (object) {
    case ESKER_DATASET:
      if (number != 0)
        return esker::error(Code::kInvalidArgument, "number {} given for the dataset, expected 0", number);
      return writer.put_att(name, std::move(value));
    case ESKER_GRID:
      return writer.put_att(esker::GridId{number}, name, std::move(value));
    case ESKER_FIELD:
      return writer.put_att(esker::FieldId{number}, name, std::move(value));
    case ESKER_DIM:
      return writer.put_att(esker::DimId{number}, name, std::move(value));
    case ESKER_TIME:
      if (number != 0)
        return esker::error(Code::kInvalidArgument, "number {} given for the time, expected 0", number);
      return writer.put_time_att(name, std::move(value));
    case ESKER_SCALAR:
      return writer.put_att(esker::ScalarId{number}, name, std::move(value));
    default:
      return no_object(object);
  }
}

/// A recorded_call that changes the schema: arrays that were converted from its attributes are freed.
template <class Work>
esker_status definition_call(esker_dataset* ds, const char* operation, std::initializer_list<Needed> needed,
                             const Work& work) noexcept {
  return recorded_call(ds, operation, needed, [&](Writer& writer) -> Status {
    ds->integers.clear();
    ds->reals.clear();
    return work(writer);
  });
}

template <class T>
esker_status put_numbers(esker_dataset* ds, esker_object object, int number, const char* name,
                         const T* values, int64_t count) {
  return definition_call(ds, "put_att", {{name, "name"}, {values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(auto list, to_vector(values, count, "count"));
    return put_attribute(writer, object, number, name, std::move(list)).with_context("put_att");
  });
}

/// One text is not a list, as in other languages.
Result<AttributeValue> to_texts(const char* const* texts, int64_t count) {
  if (count < 1) return esker::error(Code::kInvalidArgument, "count {}, expected 1 or more", count);
  ESKER_ASSIGN_OR_RETURN(const auto addresses, to_vector(texts, count, "count"));
  std::vector<std::string> list;
  for (const char* const text : addresses) {
    if (!text) return esker::error(Code::kInvalidArgument, "texts[{}] is NULL", list.size());
    list.emplace_back(text);
  }
  return esker::to_value(std::move(list));
}

/// Errors: kInvalidArgument (a number of axes or levels, a centering, NULL).
Result<Mesh> to_mesh(int num_dims, const char* const* axes, const int64_t* extent, int num_levels,
                     const int64_t* ratios, esker_centering centering) {
  if (num_dims < 1 || num_dims > esker::kMaxRank) {
    return esker::error(Code::kInvalidArgument, "{} axes, expected 1 to {}", num_dims, esker::kMaxRank);
  }
  if (num_levels < 1) {
    return esker::error(Code::kInvalidArgument, "{} levels, expected 1 or more", num_levels);
  }
  if (centering != ESKER_AT_CELLS && centering != ESKER_AT_NODES) {
    return esker::error(Code::kInvalidArgument, "centering {}, expected ESKER_AT_CELLS or ESKER_AT_NODES",
                        centering);
  }
  if (num_levels > 1) ESKER_RETURN_IF_ERROR(check_given("def_mesh", {{ratios, "ratios"}}));
  Mesh mesh;
  for (int a = 0; a < num_dims; ++a) {
    ESKER_RETURN_IF_ERROR(check_given("def_mesh", {{axes[a], "the name of an axis"}}));
    mesh.axes.emplace_back(axes[a]);
  }
  take_point(mesh.extent, extent, num_dims);
  for (int n = 1; n < num_levels; ++n, ratios += num_dims) {
    take_point(mesh.ratios.emplace_back(), ratios, num_dims);
  }
  mesh.centering = static_cast<esker::Centering>(centering);
  return mesh;
}

}  // namespace

extern "C" {

esker_status esker_def_dim(esker_dataset* ds, const char* name, int64_t size, int* dim) {
  return definition_call(ds, "def_dim", {{name, "name"}, {dim, "dim"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_dim(name, size));
    *dim = id.index;
    return {};
  });
}

esker_status esker_def_grid(esker_dataset* ds, const char* name, int num_dims, const int* dims, int* grid) {
  return definition_call(ds, "def_grid", {{name, "name"}, {grid, "grid"}}, [&](Writer& writer) -> Status {
    if (num_dims != 0) ESKER_RETURN_IF_ERROR(check_given("def_grid", {{dims, "dims"}}));
    if (num_dims < 0 || num_dims > esker::kMaxRank) {
      return esker::error(Code::kInvalidArgument, "grid '{}': {} dimensions, expected 0 to {}", name,
                          num_dims, esker::kMaxRank);
    }
    std::vector<esker::DimId> ids;
    for (int d = 0; d < num_dims; ++d) ids.push_back({dims[d]});
    ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_grid(name, ids));
    *grid = id.index;
    return {};
  });
}

esker_status esker_def_mesh(esker_dataset* ds, const char* name, int num_dims, const char* const* axes,
                            const int64_t* extent, int num_levels, const int64_t* ratios,
                            esker_centering centering, const double* origin, const double* spacing,
                            int* grid) {
  return definition_call(ds, "def_mesh", {{name, "name"}, {axes, "axes"}, {extent, "extent"}, {grid, "grid"}},
                         [&](Writer& writer) -> Status {
                           auto mesh = to_mesh(num_dims, axes, extent, num_levels, ratios, centering);
                           if (!mesh.ok())
                             return mesh.status().with_context(std::string("mesh '") + name + "'");
                           take_point(mesh->origin, origin, num_dims);
                           take_point(mesh->spacing, spacing, num_dims);
                           ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_mesh(name, *mesh));
                           *grid = id.index;
                           return {};
                         });
}

esker_status esker_def_nested(esker_dataset* ds, int grid) {
  return definition_call(ds, "def_nested", {}, [&](Writer& writer) { return writer.def_nested({grid}); });
}

esker_status esker_def_coords(esker_dataset* ds, int grid, int dim, const double* values, int64_t count) {
  return definition_call(ds, "def_coords", {{values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* dimension, element(writer.schema().dims(), dim, "dimension"));
    ESKER_ASSIGN_OR_RETURN(auto list, to_vector(values, count, "count"));
    return writer.def_coords({grid}, dimension->name, std::move(list));
  });
}

esker_status esker_def_coords_values(esker_dataset* ds, int grid, int dim, esker_type type,
                                     const void* values, int64_t count) {
  return definition_call(ds, "def_coords_values", {{values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* dimension, element(writer.schema().dims(), dim, "dimension"));
    ESKER_ASSIGN_OR_RETURN(auto numbers, to_numbers(type, values, count));
    return writer.def_coords({grid}, dimension->name, std::move(numbers));
  });
}

esker_status esker_def_time(esker_dataset* ds, const char* name, esker_type type) {
  return definition_call(ds, "def_time", {{name, "name"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto sample_type, to_type(type));
    return writer.def_time(name, sample_type);
  });
}

esker_status esker_def_scalar(esker_dataset* ds, const char* name, esker_type type, const void* value,
                              int* scalar) {
  return definition_call(ds, "def_scalar", {{name, "name"}, {value, "value"}, {scalar, "scalar"}},
                         [&](Writer& writer) -> Status {
                           AttributeValue given;
                           if (type == ESKER_TEXT) {
                             given = std::string(static_cast<const char*>(value));
                           } else {
                             ESKER_ASSIGN_OR_RETURN(const auto numbers, to_numbers(type, value, 1));
                             given = esker::to_value(numbers);
                           }
                           ESKER_ASSIGN_OR_RETURN(const auto id, writer.def_scalar(name, std::move(given)));
                           *scalar = id.index;
                           return {};
                         });
}

esker_status esker_def_field(esker_dataset* ds, int grid, const char* name, esker_type type, int components,
                             int every, int* field) {
  return definition_call(ds, "def_field", {{name, "name"}, {field, "field"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto sample_type, to_type(type));
    const bool fixed = every == ESKER_FIXED;
    ESKER_ASSIGN_OR_RETURN(
        const auto id, writer.def_field({grid}, name, sample_type, {components, fixed, fixed ? 1 : every}));
    *field = id.index;
    return {};
  });
}

esker_status esker_def_stored_bits(esker_dataset* ds, int field, int bits) {
  return definition_call(ds, "def_stored_bits", {},
                         [&](Writer& writer) { return writer.def_stored_bits({field}, bits); });
}

esker_status esker_def_compression(esker_dataset* ds, int field, const char* compression) {
  return definition_call(ds, "def_compression", {{compression, "compression"}},
                         [&](Writer& writer) { return writer.def_compression({field}, compression); });
}

esker_status esker_put_att_text(esker_dataset* ds, esker_object object, int number, const char* name,
                                const char* text) {
  return definition_call(ds, "put_att", {{name, "name"}, {text, "text"}}, [&](Writer& writer) {
    return put_attribute(writer, object, number, name, std::string(text)).with_context("put_att");
  });
}

esker_status esker_put_att_texts(esker_dataset* ds, esker_object object, int number, const char* name,
                                 const char* const* texts, int64_t count) {
  return definition_call(ds, "put_att", {{name, "name"}, {texts, "texts"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(auto list, to_texts(texts, count));
    return put_attribute(writer, object, number, name, std::move(list)).with_context("put_att");
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

esker_status esker_put_att_values(esker_dataset* ds, esker_object object, int number, const char* name,
                                  esker_type type, const void* values, int64_t count) {
  return definition_call(ds, "put_att", {{name, "name"}, {values, "values"}}, [&](Writer& writer) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto numbers, to_numbers(type, values, count));
    return put_attribute(writer, object, number, name, esker::to_value(numbers)).with_context("put_att");
  });
}

}  // extern "C"
