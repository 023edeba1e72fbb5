// Attributes of datasets, grids and fields, written or read.
#include <array>
#include <iterator>
#include <map>

#include "capi/handle.h"
#include "capi/translate.h"

using esker::Attributes;
using esker::AttributeValue;
using esker::Code;
using esker::Result;
using esker::Schema;
using esker::Status;
using namespace esker::capi;  // NOLINT: this layer's own

namespace {

esker_att_type kind_of(const AttributeValue& value) {
  if (esker::text_of(value)) return ESKER_ATT_TEXT;
  return esker::type_of(esker::numbers_of(value)) < esker::SampleType::kFloat32 ? ESKER_ATT_INT64
                                                                                : ESKER_ATT_DOUBLE;
}

Status wrong_kind(const char* name, const AttributeValue& value, esker_att_type wanted) {
  constexpr std::array kKinds{"text", "integers", "reals"};
  return esker::error(Code::kInvalidArgument, "attribute '{}' is {}, not {}", name,
                      kKinds[static_cast<std::size_t>(kind_of(value))],
                      kKinds[static_cast<std::size_t>(wanted)]);
}

Result<const Attributes*> attributes_of(const Schema& schema, esker_object object, int number) {
  switch (object) {
    case ESKER_DATASET: {
      if (number != 0)
        return esker::error(Code::kInvalidArgument, "number {} given for the dataset, expected 0", number);
      return &schema.attributes();
    }
    case ESKER_GRID: {
      ESKER_ASSIGN_OR_RETURN(const auto* grid, element(schema.grids(), number, "grid"));
      return &grid->attributes;
    }
    case ESKER_FIELD: {
      ESKER_ASSIGN_OR_RETURN(const auto* field, element(schema.fields(), number, "field"));
      return &field->attributes;
    }
    case ESKER_DIM: {
      ESKER_ASSIGN_OR_RETURN(const auto* dim, element(schema.dims(), number, "dimension"));
      return &dim->attributes;
    }
    case ESKER_TIME: {
      if (number != 0)
        return esker::error(Code::kInvalidArgument, "number {} given for the time, expected 0", number);
      return &schema.time_attributes();
    }
    case ESKER_SCALAR: {
      ESKER_ASSIGN_OR_RETURN(const auto* scalar, element(schema.scalars(), number, "scalar"));
      return &scalar->attributes;
    }
    default:
      return no_object(object);
  }
}

Result<const AttributeValue*> find(const Schema& schema, esker_object object, int number, const char* name) {
  ESKER_ASSIGN_OR_RETURN(const Attributes* attributes, attributes_of(schema, object, number));
  const auto found = attributes->find(name);
  if (found == attributes->end()) return esker::error(Code::kNotFound, "no attribute '{}'", name);
  return &found->second;
}

/// The numbers as T; those of another type are converted at the first call and kept in `converted`.
template <class T>
Result<const std::vector<T>*> numbers_as(const AttributeValue& value,
                                         std::map<const void*, std::vector<T>>& converted) {
  if (const auto* list = std::get_if<std::vector<T>>(&value)) return list;
  const auto before = converted.find(&value);
  if (before != converted.end()) return &before->second;
  ESKER_ASSIGN_OR_RETURN(auto numbers, esker::to_type(esker::numbers_of(value), esker::sample_type_of<T>()));
  return &converted.emplace(&value, std::get<std::vector<T>>(std::move(numbers))).first->second;
}

template <class T>
esker_status get_numbers(esker_dataset* ds, esker_object object, int number, const char* name,
                         esker_att_type wanted,
                         std::map<const void*, std::vector<T>> esker_dataset::*converted, const T** values,
                         int64_t* count) {
  return schema_call(ds, "get_att", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
    if (kind_of(*value) != wanted) return wrong_kind(name, *value, wanted);
    const auto list = numbers_as(*value, ds->*converted);
    if (!list.ok()) return list.status().with_context("attribute '" + std::string(name) + "'");
    give(values, (*list)->data());
    give(count, (*list)->size());
    return {};
  });
}

}  // namespace

extern "C" {

esker_status esker_inq_num_atts(esker_dataset* ds, esker_object object, int number, int* num) {
  return schema_call(ds, "inq_num_atts", {{num, "num"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Attributes* attributes, attributes_of(schema, object, number));
    *num = static_cast<int>(attributes->size());
    return {};
  });
}

esker_status esker_inq_att_name(esker_dataset* ds, esker_object object, int number, int position,
                                const char** name) {
  return schema_call(ds, "inq_att_name", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const Attributes* attributes, attributes_of(schema, object, number));
    if (position < 0 || static_cast<std::size_t>(position) >= attributes->size()) {
      return esker::error(Code::kOutOfRange, "no attribute has the number {}; there are {}",
                          esker::counted(position), attributes->size());
    }
    *name = std::next(attributes->begin(), position)->first.c_str();
    return {};
  });
}

esker_status esker_inq_att(esker_dataset* ds, esker_object object, int number, const char* name,
                           esker_att_type* type, int64_t* count) {
  return schema_call(ds, "inq_att", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
    const std::string* text = esker::text_of(*value);
    give(type, kind_of(*value));
    give(count, text ? text->size()
                     : std::visit([](const auto& list) { return list.size(); }, esker::numbers_of(*value)));
    return {};
  });
}

esker_status esker_get_att_text(esker_dataset* ds, esker_object object, int number, const char* name,
                                const char** text) {
  return schema_call(ds, "get_att", {{name, "name"}, {text, "text"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
    const std::string* found = esker::text_of(*value);
    if (!found) return wrong_kind(name, *value, ESKER_ATT_TEXT);
    *text = found->c_str();
    return {};
  });
}

esker_status esker_get_att_int64(esker_dataset* ds, esker_object object, int number, const char* name,
                                 const int64_t** values, int64_t* count) {
  return get_numbers(ds, object, number, name, ESKER_ATT_INT64, &esker_dataset::integers, values, count);
}

esker_status esker_get_att_double(esker_dataset* ds, esker_object object, int number, const char* name,
                                  const double** values, int64_t* count) {
  return get_numbers(ds, object, number, name, ESKER_ATT_DOUBLE, &esker_dataset::reals, values, count);
}

esker_status esker_get_att_values(esker_dataset* ds, esker_object object, int number, const char* name,
                                  esker_type* type, const void** values, int64_t* count) {
  return schema_call(ds, "get_att", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
    if (esker::text_of(*value)) return wrong_kind(name, *value, ESKER_ATT_DOUBLE);
    give(type, esker::type_of(esker::numbers_of(*value)));
    give_list(*value, values, count);
    return {};
  });
}

}  // extern "C"
