#include "inquiry.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/byte_order.h"
#include "conversion.h"
#include "formats/netcdf/model/fill.h"
#include "open_files.h"

namespace esker::netcdf_plugin {
namespace {

using netcdf::Attribute;
using netcdf::Header;
using netcdf::Variable;

template <class T>
void answer(T* place, T value) {
  if (place) *place = value;
}

void answer(char* place, const std::string& name) {
  if (place) std::strcpy(place, name.substr(0, NC_MAX_NAME).c_str());
}

const Variable* variable_of(const View& view, int number) {
  const std::vector<Variable>& all = view.header().variables;
  return number >= 0 && number < static_cast<int>(all.size()) ? &all[static_cast<std::size_t>(number)]
                                                              : nullptr;
}

/// Of a variable, or of the file (NC_GLOBAL); null: no such variable.
const std::vector<Attribute>* attributes_of(const View& view, int number) {
  if (number == NC_GLOBAL) return &view.header().attributes;
  const Variable* variable = variable_of(view, number);
  return variable ? &variable->attributes : nullptr;
}

nc_type type_of(const Attribute& attribute) {
  return attribute.texts.empty() ? static_cast<nc_type>(attribute.type) : NC_STRING;
}

std::size_t length_of(const Attribute& attribute) {
  return attribute.texts.empty()
             ? attribute.values.size() / static_cast<std::size_t>(netcdf::size_bytes(attribute.type))
             : attribute.texts.size();
}

/// The position of the first that has the name; -1: none.
template <class List>
int position_of(const List& list, const char* name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

/// Calls `action` with the attribute. NC_ENOTVAR, NC_ENOTATT.
template <class Action>
int with_attribute(const View& view, int variable, const char* name, const Action& action) {
  const std::vector<Attribute>* list = attributes_of(view, variable);
  if (!list) return NC_ENOTVAR;
  const int number = name ? position_of(*list, name) : -1;
  return number < 0 ? NC_ENOTATT : action((*list)[static_cast<std::size_t>(number)], number);
}

int number_all(std::size_t count, int* number, int* list) {
  answer(number, static_cast<int>(count));
  if (list) std::iota(list, list + count, 0);
  return NC_NOERR;
}

/// What nc_get_vara() and the like ask for, if it is in the variable. An absent count is 1, a stride, too.
int checked_slab(const View& view, const Variable& variable, const std::size_t* start,
                 const std::size_t* count, const std::ptrdiff_t* stride, Slab& slab) {
  for (std::size_t axis = 0; axis < variable.dims.size(); ++axis) {
    const auto length = static_cast<std::size_t>(view.length(variable.dims[axis]));
    const std::size_t first = start ? start[axis] : 0, n = count ? count[axis] : 1;
    const std::ptrdiff_t apart = stride ? stride[axis] : 1;
    if (apart < 1) return NC_ESTRIDE;
    if (first > length || (first == length && n > 0)) return NC_EINVALCOORDS;
    if (n > 0 && (n - 1) > (length - first - 1) / static_cast<std::size_t>(apart)) return NC_EEDGE;
    slab.start.push_back(static_cast<Index>(first));
    slab.count.push_back(static_cast<Index>(n));
    slab.stride.push_back(n > 1 ? static_cast<Index>(apart) : 1);
  }
  return NC_NOERR;
}

}  // namespace

int inq(const View& view, int* num_dims, int* num_variables, int* num_attributes, int* unlimited) {
  const Header& header = view.header();
  answer(num_dims, static_cast<int>(header.dims.size()));
  answer(num_variables, static_cast<int>(header.variables.size()));
  answer(num_attributes, static_cast<int>(header.attributes.size()));
  answer(unlimited, header.record_dim().value_or(-1));
  return NC_NOERR;
}

int inq_dimid(const View& view, const char* name, int* dim) {
  const int found = position_of(view.header().dims, name);
  answer(dim, found);
  return found < 0 ? NC_EBADDIM : NC_NOERR;
}

int inq_dim(const View& view, int dim, char* name, std::size_t* length) {
  const auto& dims = view.header().dims;
  if (dim < 0 || dim >= static_cast<int>(dims.size())) return NC_EBADDIM;
  answer(name, dims[static_cast<std::size_t>(dim)].name);
  answer(length, static_cast<std::size_t>(view.length(dim)));
  return NC_NOERR;
}

int inq_dimids(const View& view, int* num_dims, int* dims) {
  return number_all(view.header().dims.size(), num_dims, dims);
}

int inq_unlimdims(const View& view, int* num_dims, int* dims) {
  const auto record = view.header().record_dim();
  answer(num_dims, record ? 1 : 0);
  if (record) answer(dims, *record);
  return NC_NOERR;
}

int inq_varid(const View& view, const char* name, int* variable) {
  const int found = position_of(view.header().variables, name);
  answer(variable, found);
  return found < 0 ? NC_ENOTVAR : NC_NOERR;
}

int inq_varids(const View& view, int* num_variables, int* variables) {
  return number_all(view.header().variables.size(), num_variables, variables);
}

int inq_var(const View& view, int number, char* name, nc_type* type, int* num_dims, int* dims,
            int* num_attributes) {
  const Variable* variable = variable_of(view, number);
  if (!variable) return NC_ENOTVAR;
  answer(name, variable->name);
  answer(type, static_cast<nc_type>(variable->type));
  answer(num_dims, static_cast<int>(variable->dims.size()));
  if (dims) std::copy(variable->dims.begin(), variable->dims.end(), dims);
  answer(num_attributes, static_cast<int>(variable->attributes.size()));
  return NC_NOERR;
}

int inq_var_chunks(const View& view, int number, int* contiguous, std::size_t* chunks) {
  constexpr std::size_t kMaxChunkBytes = std::size_t{4} << 20;
  const Variable* variable = variable_of(view, number);
  if (!variable) return NC_ENOTVAR;
  const bool is_record = view.header().is_record(*variable);
  answer(contiguous, is_record ? NC_CHUNKED : NC_CONTIGUOUS);
  if (!is_record || !chunks) return NC_NOERR;
  auto n_bytes = static_cast<std::size_t>(netcdf::size_bytes(variable->type));
  for (std::size_t axis = variable->dims.size(); axis-- > 0;) {
    const auto length = static_cast<std::size_t>(view.length(variable->dims[axis]));
    chunks[axis] = axis == 0 ? 1 : std::clamp<std::size_t>(kMaxChunkBytes / n_bytes, 1, length);
    n_bytes *= chunks[axis];
  }
  return NC_NOERR;
}

int inq_var_fill(const View& view, int number, void* value) {
  const Variable* variable = variable_of(view, number);
  if (!variable) return NC_ENOTVAR;
  std::vector<std::byte> fill = netcdf::fill_value(*variable);
  swap_bytes(fill, static_cast<int>(fill.size()));
  if (value) std::copy(fill.begin(), fill.end(), static_cast<std::byte*>(value));
  return NC_NOERR;
}

int inq_att(const View& view, int variable, const char* name, nc_type* type, std::size_t* length) {
  return with_attribute(view, variable, name, [&](const Attribute& attribute, int) {
    answer(type, type_of(attribute));
    answer(length, length_of(attribute));
    return NC_NOERR;
  });
}

int inq_attid(const View& view, int variable, const char* name, int* number) {
  return with_attribute(view, variable, name, [&](const Attribute&, int position) {
    answer(number, position);
    return NC_NOERR;
  });
}

int inq_attname(const View& view, int variable, int number, char* name) {
  const std::vector<Attribute>* list = attributes_of(view, variable);
  if (!list) return NC_ENOTVAR;
  if (number < 0 || number >= static_cast<int>(list->size())) return NC_ENOTATT;
  answer(name, (*list)[static_cast<std::size_t>(number)].name);
  return NC_NOERR;
}

int get_att(const View& view, int variable, const char* name, void* value, nc_type type) {
  return with_attribute(view, variable, name, [&](const Attribute& attribute, int) {
    if (type_of(attribute) == NC_STRING) {  // nc_free_string() frees them
      if (type != NC_STRING && type != NC_NAT) return NC_ECHAR;
      auto* texts = static_cast<char**>(value);
      for (const std::string& text : attribute.texts) *texts++ = ::strdup(text.c_str());
      return NC_NOERR;
    }
    std::vector<std::byte> bytes = attribute.values;
    swap_bytes(bytes, static_cast<int>(netcdf::size_bytes(attribute.type)));
    const nc_type as = type == NC_NAT ? type_of(attribute) : type;
    return convert(attribute.type, bytes.data(), length_of(attribute), as, value);
  });
}

int inq_type(nc_type type, char* name, std::size_t* n_bytes) {
  struct Atomic {
    const char* name;
    std::size_t n_bytes;
  };
  static constexpr std::array<Atomic, NC_STRING + 1> kTypes{{{"", 0},
                                                             {"byte", 1},
                                                             {"char", 1},
                                                             {"short", 2},
                                                             {"int", 4},
                                                             {"float", 4},
                                                             {"double", 8},
                                                             {"ubyte", 1},
                                                             {"ushort", 2},
                                                             {"uint", 4},
                                                             {"int64", 8},
                                                             {"uint64", 8},
                                                             {"string", sizeof(char*)}}};
  if (type < NC_BYTE || type > NC_STRING) return NC_EBADTYPE;
  answer(name, kTypes[static_cast<std::size_t>(type)].name);
  answer(n_bytes, kTypes[static_cast<std::size_t>(type)].n_bytes);
  return NC_NOERR;
}

int get(const View& view, int number, const std::size_t* start, const std::size_t* count,
        const std::ptrdiff_t* stride, const std::ptrdiff_t* map, void* values, nc_type type) {
  const Variable* variable = variable_of(view, number);
  if (!variable) return NC_ENOTVAR;
  Slab slab;
  if (const int code = checked_slab(view, *variable, start, count, stride, slab)) return code;
  const nc_type as = type == NC_NAT ? static_cast<nc_type>(variable->type) : type;
  const auto num_values = static_cast<std::size_t>(slab.num_values());
  if (num_values == 0) return NC_NOERR;
  if (!map && as == static_cast<nc_type>(variable->type)) {
    return reported(view.read(number, slab, static_cast<std::byte*>(values)));
  }
  std::vector<std::byte> stored(num_values * static_cast<std::size_t>(netcdf::size_bytes(variable->type)));
  if (const int code = reported(view.read(number, slab, stored.data()))) return code;
  if (!map) return convert(variable->type, stored.data(), num_values, as, values);
  std::size_t value_bytes = 0;
  if (const int code = inq_type(as, nullptr, &value_bytes)) return code;
  std::vector<std::byte> converted(num_values * value_bytes);
  const int code = convert(variable->type, stored.data(), num_values, as, converted.data());
  if (code != NC_NOERR && code != NC_ERANGE) return code;
  scatter(converted.data(), slab.count, map, static_cast<Index>(value_bytes),
          static_cast<std::byte*>(values));
  return code;
}

}  // namespace esker::netcdf_plugin
