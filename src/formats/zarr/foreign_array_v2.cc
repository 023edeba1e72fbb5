// The metadata of arrays of Zarr v2: .zarray and .zattrs.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/netcdf/model/values.h"
#include "formats/zarr/foreign_array.h"
#include "formats/zarr/json_values.h"
#include "formats/zarr/names.h"
#include "formats/zarr/small_values.h"

namespace esker::zarr {
namespace {

constexpr const char* kNamesAttribute = "_ARRAY_DIMENSIONS";  // xarray's
constexpr Index kMostCharacters = Index{1} << 16;

Status unknown_type(const std::string& text) {
  return error(Code::kUnsupported, "values of the type '{}' are not supported", excerpt(text));
}

/// NumPy's codes, for example "<f4", "|S8".
Result<StoredType> type_v2(const std::string& text, bool& is_big_endian) {
  static constexpr std::string_view kOrders = "<>|=";
  if (text.size() < 3 || kOrders.find(text.front()) == std::string_view::npos) return unknown_type(text);
  is_big_endian = text.front() == '>';
  StoredType type;
  const std::string code = text.substr(1);
  const auto size = parse_integer(std::string_view(code).substr(1));
  if (code.front() == 'S' && size && *size >= 1 && *size <= kMostCharacters) {
    type.type = SampleType::kUint8;
    type.num_characters = *size;
    return type;
  }
  type.is_bool = code == "b1";
  type.is_half = code == "f2";
  if (type.is_bool) type.type = SampleType::kInt8;
  if (type.is_half) type.type = SampleType::kFloat32;
  if (type.is_bool || type.is_half) return type;
  static constexpr std::array<std::pair<std::string_view, SampleType>, 10> kTypes{
      {{"i1", SampleType::kInt8},
       {"u1", SampleType::kUint8},
       {"i2", SampleType::kInt16},
       {"u2", SampleType::kUint16},
       {"i4", SampleType::kInt32},
       {"u4", SampleType::kUint32},
       {"i8", SampleType::kInt64},
       {"u8", SampleType::kUint64},
       {"f4", SampleType::kFloat32},
       {"f8", SampleType::kFloat64}}};
  for (const auto& [name, known] : kTypes) {
    if (code != name) continue;
    type.type = known;
    return type;
  }
  return unknown_type(text);
}

Status parse_filters(const Json& json) {
  const auto filters = json.find("filters");
  if (filters == json.end() || filters->is_null() || filters->empty()) return {};
  const Json& first = filters->is_array() ? filters->front() : *filters;
  const auto id = first.is_object() ? get_text(first, "id") : Result<std::string>(std::string());
  return error(Code::kUnsupported, "filter '{}' is not supported", id.ok() ? excerpt(*id) : "");
}

Status parse_compressor(const Json& json, CodecChain& chain) {
  const auto compressor = json.find("compressor");
  if (compressor == json.end() || compressor->is_null()) return {};
  if (!compressor->is_object()) return error(Code::kDataLoss, "'compressor' is not an object");
  ESKER_ASSIGN_OR_RETURN(const std::string id, get_text(*compressor, "id"));
  return add_codec(id, chain);
}

Status parse_keys_v2(const Json& json, KeyForm& keys) {
  keys = {false, '.'};
  if (!json.contains("dimension_separator")) return {};
  ESKER_ASSIGN_OR_RETURN(const std::string separator, get_text(json, "dimension_separator"));
  if (separator != "/" && separator != ".")
    return error(Code::kUnsupported, "chunk keys with the separator '{}'", excerpt(separator));
  keys.separator = separator.front();
  return {};
}

/// Order F: the first axis is the fastest.
Status parse_order(const Json& json, CodecChain& chain, std::size_t rank) {
  ESKER_ASSIGN_OR_RETURN(const std::string order, get_text(json, "order"));
  if (order != "C" && order != "F") return error(Code::kUnsupported, "the order '{}'", excerpt(order));
  for (std::size_t a = rank; order == "F" && rank > 1 && a-- > 0;) chain.order.push_back(static_cast<int>(a));
  return {};
}

Status parse_values_v2(const Json& json, ForeignArray& array) {
  StoredForm& form = array.form;
  ESKER_ASSIGN_OR_RETURN(form.shape, get_integers(json, "shape"));
  const std::size_t rank = form.shape.size();
  ESKER_RETURN_IF_ERROR(check_shape(form.shape));
  array.dims.resize(rank);
  if (json.contains("dtype") && !json["dtype"].is_string())
    return error(Code::kUnsupported, "values with several members are not supported");
  ESKER_ASSIGN_OR_RETURN(const std::string type_text, get_text(json, "dtype"));
  ESKER_RETURN_IF_ERROR(parse_filters(json));
  ESKER_ASSIGN_OR_RETURN(const StoredType type, type_v2(type_text, form.chain.is_big_endian));
  ESKER_ASSIGN_OR_RETURN(form.chunk, parse_extents(json, "chunks", rank, 1));
  form.file = form.chunk;
  ESKER_RETURN_IF_ERROR(parse_keys_v2(json, form.keys));
  ESKER_RETURN_IF_ERROR(parse_compressor(json, form.chain));
  ESKER_RETURN_IF_ERROR(parse_order(json, form.chain, rank));
  set_type(type, array);
  ESKER_RETURN_IF_ERROR(set_fill(json, type, array));
  return check_form(form);
}

void take_names(const Json& attributes, std::vector<std::string>& dims) {
  const auto names = attributes.find(kNamesAttribute);
  if (names == attributes.end() || !names->is_array() || names->size() != dims.size()) return;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if ((*names)[a].is_string()) dims[a] = (*names)[a].get<std::string>();
  }
}

/// xarray keeps `_FillValue` in the array's fill value.
void add_fill_attribute(const Json& json, ForeignArray& array) {
  const bool is_there = json.contains("fill_value") && !json["fill_value"].is_null();
  const auto is_fill = [](const netcdf::Attribute& one) { return one.name == kFillAttribute; };
  if (!is_there || array.is_characters || std::ranges::any_of(array.attributes, is_fill)) return;
  const auto value = parse_values(array.form.fill, array.type, 1);
  if (value.ok()) array.attributes.push_back(netcdf::to_attribute(kFillAttribute, to_value(*value)));
}

}  // namespace

ForeignArray parse_array_v2(const std::string& name, const Json& json, const Json* attributes) {
  ForeignArray array{name};
  const Status status = parse_values_v2(json, array);
  if (!status.ok()) array.unsupported = status.message();
  if (attributes) {
    take_names(*attributes, array.dims);
    take_attributes(*attributes, array);
    std::erase_if(array.attributes, [](const netcdf::Attribute& one) { return one.name == kNamesAttribute; });
  }
  if (status.ok()) add_fill_attribute(json, array);
  return array;
}

}  // namespace esker::zarr
