#include "formats/netcdf/hdf5/attributes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes_of.h"
#include "base/text.h"
#include "format/schema_json.h"
#include "formats/netcdf/hdf5/variable_text.h"
#include "formats/netcdf/model/values.h"

namespace esker::hdf5 {
namespace {

using netcdf::Attribute;
using netcdf::Type;

Handle scalar() { return {H5Screate(H5S_SCALAR), "scalar"}; }

Handle list_of(std::size_t n) {
  const hsize_t extent = n;
  return {H5Screate_simple(1, &extent, nullptr), "list"};
}

void write_values(hid_t object, const char* name, hid_t stored, hid_t space, hid_t in_memory,
                  const void* values) {
  const Handle attribute(H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT), name);
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return;
  checked(H5Awrite(attribute, in_memory, values), name);
}

Handle text_type(std::size_t n_bytes, bool is_ascii) {
  Handle type(H5Tcopy(H5T_C_S1), "text");
  checked(H5Tset_size(type, std::max<std::size_t>(n_bytes, 1)), "text");
  checked(H5Tset_cset(type, is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8), "text");
  return type;
}

void write_characters(hid_t object, const char* name, std::span<const std::byte> bytes) {
  const bool is_ascii =
      std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b < std::byte{0x80}; });
  const Handle type = text_type(bytes.size(), is_ascii);
  const Handle space(H5Screate(bytes.empty() ? H5S_NULL : H5S_SCALAR), name);
  write_values(object, name, type, space, type, bytes.data());
}

/// Of variable length, as netCDF does for NC_STRING.
void write_texts(hid_t object, const char* name, const std::vector<std::string>& texts) {
  const Handle type(H5Tcopy(H5T_C_S1), "text");
  checked(H5Tset_size(type, H5T_VARIABLE), "text");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "text");
  std::vector<const char*> values;
  for (const std::string& text : texts) values.push_back(text.c_str());
  write_values(object, name, type, list_of(values.size()), type, values.data());
}

/// Names that HDF5, netCDF and Esker reserve.
bool is_hidden(std::string_view name) {
  constexpr std::array<std::string_view, 11> kHidden{
      "CLASS",           "NAME",          "DIMENSION_LIST",
      "REFERENCE_LIST",  "_Netcdf4Dimid", "_Netcdf4Coordinates",
      "_NCProperties",   "_nc3_strict",   kStorageAttribute,
      kFiltersAttribute, kPartsAttribute};
  return std::find(kHidden.begin(), kHidden.end(), name) != kHidden.end();
}

std::string name_of(hid_t attribute) {
  const auto n = static_cast<std::size_t>(checked(H5Aget_name(attribute, 0, nullptr), "name"));
  std::string name(n + 1, '\0');
  checked(H5Aget_name(attribute, name.size(), name.data()), "name");
  name.resize(n);
  return name;
}

/// Numbers of at most `n_bytes`.
std::optional<Type> integer_of(std::size_t n_bytes, bool is_signed) {
  if (n_bytes <= 1) return is_signed ? Type::kByte : Type::kUByte;
  if (n_bytes <= 2) return is_signed ? Type::kShort : Type::kUShort;
  if (n_bytes <= 4) return is_signed ? Type::kInt : Type::kUInt;
  if (n_bytes <= 8) return is_signed ? Type::kInt64 : Type::kUInt64;
  return std::nullopt;
}

/// The text in `n_bytes` of memory, without padding.
std::string text_in(const char* memory, std::size_t n_bytes, bool is_padded_with_spaces) {
  std::string text(memory, std::find(memory, memory + n_bytes, '\0'));
  if (is_padded_with_spaces) text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string one_text(std::span<const char> memory, hid_t stored) {
  const bool ends_with_nul = std::find(memory.begin(), memory.end(), '\0') == memory.end() - 1;
  if (ends_with_nul && H5Tget_strpad(stored) == H5T_STR_NULLTERM) return {memory.begin(), memory.end()};
  return text_in(memory.data(), memory.size(), H5Tget_strpad(stored) == H5T_STR_SPACEPAD);
}

std::vector<std::string> read_texts(hid_t attribute, hid_t stored, std::size_t n) {
  if (H5Tis_variable_str(stored) > 0) return read_variable_texts(attribute, n);
  const std::size_t n_bytes = H5Tget_size(stored);
  std::vector<char> memory(n * n_bytes);
  checked(H5Aread(attribute, stored, memory.data()), "text");
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < memory.size(); at += n_bytes) {
    texts.push_back(n == 1 ? one_text(memory, stored)
                           : text_in(&memory[at], n_bytes, H5Tget_strpad(stored) == H5T_STR_SPACEPAD));
  }
  return texts;
}

/// A list of texts keeps them as UTF-8, one text its bytes.
void take_texts(std::vector<std::string> texts, Attribute& read) {
  if (texts.size() > 1) {
    for (std::string& text : texts) text = is_utf8(text) ? text : from_latin1(text);
    read = netcdf::to_attribute(read.name, TextList(std::move(texts)));
  } else {
    read.values.assign(bytes_of(texts.at(0)).begin(), bytes_of(texts.at(0)).end());
  }
}

/// Nothing for values that schemas do not support, e.g. of compound types.
std::optional<Attribute> read_attribute(hid_t attribute) {
  const Handle stored(H5Aget_type(attribute), "attribute");
  const Handle space(H5Aget_space(attribute), "attribute");
  const auto type = type_of(stored);
  if (!type) return std::nullopt;
  const auto n = static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space), "attribute"));
  const bool is_text = *type == Type::kChar;
  const std::size_t value_bytes = is_text ? H5Tget_size(stored) : static_cast<std::size_t>(size_bytes(*type));
  if (value_bytes > kMaxSidecarBytes || n > kMaxSidecarBytes / value_bytes) {
    throw Failure("an attribute has too many bytes");
  }
  Attribute read{name_of(attribute), *type, {}};
  if (n == 0) return read;
  if (is_text) {
    take_texts(read_texts(attribute, stored, n), read);
  } else {
    read.values.resize(n * value_bytes);
    checked(H5Aread(attribute, big_endian_type(*type), read.values.data()), "attribute");
  }
  return read;
}

/// "2 x 3"; empty if a list has this shape.
std::string shape_of(hid_t attribute) {
  const Handle space(H5Aget_space(attribute), "attribute");
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "attribute");
  if (rank < 2) return {};
  return fmt::format("{}", fmt::join(extents.begin(), extents.begin() + rank, " x "));
}

}  // namespace

hid_t stored_type(Type type) {
  switch (type) {
    case Type::kByte:
      return H5T_STD_I8LE;
    case Type::kChar:
      return H5T_C_S1;
    case Type::kShort:
      return H5T_STD_I16LE;
    case Type::kInt:
      return H5T_STD_I32LE;
    case Type::kFloat:
      return H5T_IEEE_F32LE;
    case Type::kDouble:
      return H5T_IEEE_F64LE;
    case Type::kUByte:
      return H5T_STD_U8LE;
    case Type::kUShort:
      return H5T_STD_U16LE;
    case Type::kUInt:
      return H5T_STD_U32LE;
    case Type::kInt64:
      return H5T_STD_I64LE;
    case Type::kUInt64:
      return H5T_STD_U64LE;
  }
  return H5I_INVALID_HID;
}

hid_t big_endian_type(Type type) {
  switch (type) {
    case Type::kByte:
      return H5T_STD_I8BE;
    case Type::kChar:
      return H5T_C_S1;
    case Type::kShort:
      return H5T_STD_I16BE;
    case Type::kInt:
      return H5T_STD_I32BE;
    case Type::kFloat:
      return H5T_IEEE_F32BE;
    case Type::kDouble:
      return H5T_IEEE_F64BE;
    case Type::kUByte:
      return H5T_STD_U8BE;
    case Type::kUShort:
      return H5T_STD_U16BE;
    case Type::kUInt:
      return H5T_STD_U32BE;
    case Type::kInt64:
      return H5T_STD_I64BE;
    case Type::kUInt64:
      return H5T_STD_U64BE;
  }
  return H5I_INVALID_HID;
}

std::optional<Type> type_of(hid_t type) {
  const std::size_t n_bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_STRING:
      return Type::kChar;
    case H5T_INTEGER:
      return integer_of(n_bytes, H5Tget_sign(type) != H5T_SGN_NONE);
    case H5T_FLOAT:
      if (n_bytes > 8) return std::nullopt;
      return n_bytes <= 4 ? Type::kFloat : Type::kDouble;
    case H5T_ENUM: {
      const Handle numbers(H5Tget_super(type), "enumeration");
      return type_of(numbers);
    }
    default:
      return std::nullopt;
  }
}

void write_attribute(hid_t object, const Attribute& attribute) {
  const char* name = attribute.name.c_str();
  if (!attribute.texts.empty()) return write_texts(object, name, attribute.texts);
  if (attribute.type == Type::kChar) return write_characters(object, name, attribute.values);
  const Handle space =
      list_of(attribute.values.size() / static_cast<std::size_t>(size_bytes(attribute.type)));
  write_values(object, name, stored_type(attribute.type), space, big_endian_type(attribute.type),
               attribute.values.data());
}

void write_text(hid_t object, const char* name, const std::string& text) {
  write_characters(object, name, std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

void write_int(hid_t object, const char* name, int value) {
  write_values(object, name, H5T_STD_I32LE, scalar(), H5T_NATIVE_INT, &value);
}

void write_ints(hid_t object, const char* name, const std::vector<int>& values) {
  write_values(object, name, H5T_STD_I32LE, list_of(values.size()), H5T_NATIVE_INT, values.data());
}

void overwrite_ints(hid_t object, const char* name, const std::vector<int>& values) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  checked(H5Awrite(attribute, H5T_NATIVE_INT, values.data()), name);
}

std::vector<Attribute> read_attributes(hid_t object, std::map<std::string, std::string>* notes) {
  const int count = checked(H5Aget_num_attrs(object), "attributes");
  std::vector<Attribute> attributes;
  std::map<std::string, std::string> found;
  for (int n = 0; n < count; ++n) {
    const Handle attribute(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, static_cast<hsize_t>(n),
                                          H5P_DEFAULT, H5P_DEFAULT),
                           "attribute");
    const std::string name = name_of(attribute);
    if (is_hidden(name)) continue;
    if (auto read = read_attribute(attribute)) {
      attributes.push_back(std::move(*read));
      const std::string shape = shape_of(attribute);
      if (!shape.empty()) found[name] = fmt::format("of shape {} becomes a list, row by row", shape);
    } else {
      found[name] = "is left out: expected numbers or texts";
    }
  }
  if (notes) *notes = std::move(found);
  return attributes;
}

std::optional<std::string> text_of(hid_t attribute) {
  const auto read = read_attribute(attribute);
  if (!read || read->type != Type::kChar) return std::nullopt;
  const std::string text(reinterpret_cast<const char*>(read->values.data()), read->values.size());
  return text.substr(0, text.find('\0'));
}

std::string text_attribute(hid_t object, const char* name) {
  if (checked(H5Aexists(object, name), name) == 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  return text_of(attribute).value_or("");
}

std::vector<int> read_ints(hid_t object, const char* name) {
  if (checked(H5Aexists(object, name), name) == 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  const Handle space(H5Aget_space(attribute), name);
  const Handle type(H5Aget_type(attribute), name);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  if (H5Tget_class(type) != H5T_INTEGER || n < 0 || n > H5S_MAX_RANK) return {};
  std::vector<int> values(static_cast<std::size_t>(n));
  checked(H5Aread(attribute, H5T_NATIVE_INT, values.data()), name);
  return values;
}

}  // namespace esker::hdf5
