// Inquiries about the schema of a dataset that is written or read.
#include <algorithm>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Code;
using esker::Schema;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

/// Address and number of the values of a list.
template <class List>
void give_all(const List& list, const void** values, int64_t* count) {
  if (values) *values = list.data();
  give(count, list.size());
}

/// `list(schema)`: dimensions, grids or fields.
template <class List>
esker_status give_num(esker_dataset* ds, const char* operation, int* num, const List& list) {
  return schema_call(ds, operation, {{num, "num"}}, [&](const Schema& schema) {
    *num = static_cast<int>(list(schema).size());
    return Status();
  });
}

/// The position in `list(schema)` of the element with that name.
template <class List>
esker_status give_id(esker_dataset* ds, const char* operation, const char* kind, const char* name, int* id,
                     const List& list) {
  return schema_call(ds, operation, {{name, "name"}, {id, kind}}, [&](const Schema& schema) -> Status {
    const auto& all = list(schema);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    if (found == all.end()) {
      std::string known;
      for (const auto& one : all) known += (known.empty() ? "" : ", ") + one.name;
      return esker::error(Code::kNotFound, "no {} '{}'; available: {}", kind, name, known);
    }
    *id = static_cast<int>(found - all.begin());
    return {};
  });
}

/// `work(mesh)`; kNotFound for a grid without one.
template <class Work>
esker_status mesh_call(esker_dataset* ds, const char* operation, int grid, const Work& work) {
  return schema_call(ds, operation, {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.grids(), grid, "grid"));
    if (found->mesh) return work(*found->mesh);
    return esker::error(Code::kNotFound, "grid '{}' is not that of a mesh", found->name);
  });
}

const auto kDims = [](const Schema& schema) -> const auto& { return schema.dims(); };
const auto kGrids = [](const Schema& schema) -> const auto& { return schema.grids(); };
const auto kScalars = [](const Schema& schema) -> const auto& { return schema.scalars(); };
const auto kFields = [](const Schema& schema) -> const auto& { return schema.fields(); };

}  // namespace

extern "C" {

esker_status esker_inq_num_dims(esker_dataset* ds, int* num) {
  return give_num(ds, "inq_num_dims", num, kDims);
}

esker_status esker_inq_num_grids(esker_dataset* ds, int* num) {
  return give_num(ds, "inq_num_grids", num, kGrids);
}

esker_status esker_inq_num_fields(esker_dataset* ds, int* num) {
  return give_num(ds, "inq_num_fields", num, kFields);
}

esker_status esker_inq_dim_id(esker_dataset* ds, const char* name, int* dim) {
  return give_id(ds, "inq_dim_id", "dimension", name, dim, kDims);
}

esker_status esker_inq_grid_id(esker_dataset* ds, const char* name, int* grid) {
  return give_id(ds, "inq_grid_id", "grid", name, grid, kGrids);
}

esker_status esker_inq_field_id(esker_dataset* ds, const char* name, int* field) {
  return give_id(ds, "inq_field_id", "field", name, field, kFields);
}

esker_status esker_inq_dim(esker_dataset* ds, int dim, const char** name, int64_t* size) {
  return schema_call(ds, "inq_dim", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.dims(), dim, "dimension"));
    give(name, found->name.c_str());
    give(size, found->size);
    return {};
  });
}

esker_status esker_inq_grid(esker_dataset* ds, int grid, const char** name, int* num_dims, int* dims) {
  return schema_call(ds, "inq_grid", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.grids(), grid, "grid"));
    give(name, found->name.c_str());
    give(num_dims, found->dims.size());
    if (dims) std::copy(found->dims.begin(), found->dims.end(), dims);
    return {};
  });
}

esker_status esker_inq_mesh(esker_dataset* ds, int grid, int* num_levels, int64_t* extent, int64_t* ratios,
                            esker_centering* centering, double* origin, double* spacing) {
  return mesh_call(ds, "inq_mesh", grid, [&](const esker::Mesh& mesh) {
    give(num_levels, mesh.num_levels());
    give_point(extent, mesh.extent, mesh.rank());
    for (const esker::Point& ratio : mesh.ratios) {
      give_point(ratios, ratio, mesh.rank());
      if (ratios) ratios += mesh.rank();
    }
    give(centering, mesh.centering);
    give_point(origin, mesh.origin, mesh.rank());
    give_point(spacing, mesh.spacing, mesh.rank());
    return Status();
  });
}

esker_status esker_inq_nested(esker_dataset* ds, int grid, int* nested) {
  return mesh_call(ds, "inq_nested", grid, [&](const esker::Mesh& mesh) {
    give(nested, mesh.nested ? 1 : 0);
    return Status();
  });
}

esker_status esker_inq_mesh_level(esker_dataset* ds, int grid, int level, int64_t* extent, int64_t* ratio) {
  return mesh_call(ds, "inq_mesh_level", grid, [&](const esker::Mesh& mesh) -> Status {
    if (level < 0 || level >= mesh.num_levels()) {
      return esker::error(Code::kOutOfRange, "level {}, the mesh has 0 to {}", level, mesh.num_levels() - 1);
    }
    give_point(extent, mesh.domain(level).extents(), mesh.rank());
    give_point(ratio, mesh.ratio_to_finest(level), mesh.rank());
    return {};
  });
}

esker_status esker_inq_coords(esker_dataset* ds, int grid, int dim, const double** values, int64_t* count) {
  return schema_call(ds, "inq_coords", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* of, element(schema.grids(), grid, "grid"));
    ESKER_ASSIGN_OR_RETURN(const auto* along, element(schema.dims(), dim, "dimension"));
    const auto found = of->coords.find(along->name);
    if (found == of->coords.end()) {
      return esker::error(Code::kNotFound, "grid '{}' has no coordinates along '{}'", of->name, along->name);
    }
    give(values, found->second.data());
    give(count, found->second.size());
    return {};
  });
}

esker_status esker_inq_coords_values(esker_dataset* ds, int grid, int dim, esker_type* type,
                                     const void** values, int64_t* count) {
  return schema_call(ds, "inq_coords_values", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* of, element(schema.grids(), grid, "grid"));
    ESKER_ASSIGN_OR_RETURN(const auto* along, element(schema.dims(), dim, "dimension"));
    const auto typed = of->typed_coords.find(along->name);
    if (typed != of->typed_coords.end()) {
      give(type, esker::type_of(typed->second));
      std::visit([&](const auto& list) { give_all(list, values, count); }, typed->second);
      return {};
    }
    const auto found = of->coords.find(along->name);
    if (found == of->coords.end()) {
      return esker::error(Code::kNotFound, "grid '{}' has no coordinates along '{}'", of->name, along->name);
    }
    give(type, esker::SampleType::kFloat64);
    give_all(found->second, values, count);
    return {};
  });
}

esker_status esker_inq_time(esker_dataset* ds, const char** name, esker_type* type) {
  return schema_call(ds, "inq_time", {}, [&](const Schema& schema) {
    give(name, schema.time_name().c_str());
    give(type, schema.time_type());
    return Status();
  });
}

esker_status esker_inq_num_scalars(esker_dataset* ds, int* num) {
  return give_num(ds, "inq_num_scalars", num, kScalars);
}

esker_status esker_inq_scalar(esker_dataset* ds, int scalar, const char** name, esker_type* type,
                              const void** value) {
  return schema_call(ds, "inq_scalar", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.scalars(), scalar, "scalar"));
    give(name, found->name.c_str());
    if (const std::string* text = esker::text_of(found->value)) {
      give(type, static_cast<int>(ESKER_TEXT));
      if (value) *value = text->c_str();
      return {};
    }
    give(type, esker::type_of(esker::numbers_of(found->value)));
    give_list(found->value, value, nullptr);
    return {};
  });
}

esker_status esker_inq_field(esker_dataset* ds, int field, const char** name, int* grid, esker_type* type,
                             int* components, int* every) {
  return schema_call(ds, "inq_field", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.fields(), field, "field"));
    give(name, found->name.c_str());
    give(grid, found->grid);
    give(type, found->type);
    give(components, found->components);
    give(every, found->fixed ? static_cast<int>(ESKER_FIXED) : found->every);
    return {};
  });
}

esker_status esker_inq_box(esker_dataset* ds, int field, int64_t* lo, int64_t* extent) {
  return schema_call(ds, "inq_box", {}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, element(schema.fields(), field, "field"));
    esker::Box box = schema.box_of(schema.grid_of(*found));
    if (const esker::Dataset* dataset = ds->dataset()) {
      ESKER_ASSIGN_OR_RETURN(box, dataset->box(found->name));
    }
    give_point(lo, box.lo, box.rank);
    give_point(extent, box.extents(), box.rank);
    return {};
  });
}

esker_status esker_inq_steps(esker_dataset* ds, int64_t* num, const double** times) {
  return schema_call(ds, "inq_steps", {}, [&](const Schema&) {
    const auto& steps = ds->writer ? ds->writer->steps() : ds->dataset()->steps();
    give(num, steps.size());
    give(times, steps.data());
    return Status();
  });
}

}  // extern "C"
