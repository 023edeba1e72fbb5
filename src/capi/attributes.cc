// Attributes of datasets, grids and fields, written or read.
#include <iterator>

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

// AttributeValue's alternatives are in esker_att_type's order.
static_assert(std::is_same_v<std::variant_alternative_t<ESKER_ATT_TEXT, AttributeValue>, std::string>);
static_assert(
    std::is_same_v<std::variant_alternative_t<ESKER_ATT_INT64, AttributeValue>, std::vector<int64_t>>);
static_assert(
    std::is_same_v<std::variant_alternative_t<ESKER_ATT_DOUBLE, AttributeValue>, std::vector<double>>);

Result<const Attributes*> attributes_of(const Schema& schema, esker_object object, int number) {
  switch (object) {
    case ESKER_DATASET: {
      if (number != 0) return esker::error(Code::kInvalidArgument, "dataset {}, expected 0", number);
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
      if (number != 0) return esker::error(Code::kInvalidArgument, "time {}, expected 0", number);
      return &schema.time_attributes();
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

/// The value, which has to be a T.
template <class T>
Result<const T*> find_as(const Schema& schema, esker_object object, int number, const char* name) {
  constexpr std::array kKinds{"a text", "integers", "reals"};
  ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
  if (const T* typed = std::get_if<T>(value)) return typed;
  return esker::error(Code::kInvalidArgument, "attribute '{}' is {}, not {}", name, kKinds[value->index()],
                      kKinds[AttributeValue(T()).index()]);
}

template <class T>
esker_status get_numbers(esker_dataset* ds, esker_object object, int number, const char* name,
                         const T** values, int64_t* count) {
  return schema_call(ds, "get_att", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* list, find_as<std::vector<T>>(schema, object, number, name));
    give(values, list->data());
    give(count, list->size());
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
      return esker::error(Code::kOutOfRange, "no attribute has the number {}; there are {}", position,
                          attributes->size());
    }
    *name = std::next(attributes->begin(), position)->first.c_str();
    return {};
  });
}

esker_status esker_inq_att(esker_dataset* ds, esker_object object, int number, const char* name,
                           esker_att_type* type, int64_t* count) {
  return schema_call(ds, "inq_att", {{name, "name"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const AttributeValue* value, find(schema, object, number, name));
    give(type, value->index());
    give(count, std::visit([](const auto& list) { return list.size(); }, *value));
    return {};
  });
}

esker_status esker_get_att_text(esker_dataset* ds, esker_object object, int number, const char* name,
                                const char** text) {
  return schema_call(ds, "get_att", {{name, "name"}, {text, "text"}}, [&](const Schema& schema) -> Status {
    ESKER_ASSIGN_OR_RETURN(const auto* found, find_as<std::string>(schema, object, number, name));
    *text = found->c_str();
    return {};
  });
}

esker_status esker_get_att_int64(esker_dataset* ds, esker_object object, int number, const char* name,
                                 const int64_t** values, int64_t* count) {
  return get_numbers(ds, object, number, name, values, count);
}

esker_status esker_get_att_double(esker_dataset* ds, esker_object object, int number, const char* name,
                                  const double** values, int64_t* count) {
  return get_numbers(ds, object, number, name, values, count);
}

}  // extern "C"
