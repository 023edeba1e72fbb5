// Functions that put and get values of attributes, one of each per type.
#include <cstring>
#include <limits>

#include "attributes.h"
#include "base/byte_order.h"
#include "definition.h"
#include "elements.h"
#include "formats/netcdf/model/fill.h"
#include "interface.h"
#include "operations.h"

using namespace esker::pnetcdf;

namespace {

struct Values {
  const void* values;
  MPI_Offset n;
  Type type;  ///< in memory
};

int check_types(const OpenFile& file, int stored, Type memory) {
  if (const int code = check_type(file.header().version, stored); code != NC_NOERR) return code;
  return are_alike(static_cast<Type>(stored), memory) ? NC_NOERR : NC_ECHAR;
}

/// A fill value is one value of the type of its variable, which has no values yet.
int check_fill(const OpenFile& file, int varid, const char* name, int stored, MPI_Offset n) {
  if (varid == NC_GLOBAL || std::strcmp(name, "_FillValue") != 0) return NC_NOERR;
  if (stored != static_cast<int>(file.variable(varid).type)) return NC_EBADTYPE;
  if (n != 1) return NC_EINVAL;
  return static_cast<std::size_t>(varid) < file.n_old_variables ? NC_ELATEFILL : NC_NOERR;
}

int check_put(const OpenFile& file, int varid, const char* name, int stored, const Values& values) {
  if (!file.file->is_writable()) return NC_EPERM;
  const auto* list = attributes_of(file, varid);
  if (list == nullptr) return NC_ENOTVAR;
  if (const int code = check_new_name(name); code != NC_NOERR) return code;
  if (const int code = check_types(file, stored, values.type); code != NC_NOERR) return code;
  if (values.n < 0 || (values.n > 0 && values.values == nullptr)) return NC_EINVAL;
  const bool is_small = file.header().version != esker::cdf::Version::kData64;
  if (is_small && values.n > std::numeric_limits<int>::max()) return NC_EINVAL;
  const esker::Index size = esker::netcdf::size_bytes(static_cast<Type>(stored));
  if (values.n > std::numeric_limits<int>::max() / size) return NC_EMAX_REQ;
  if (const int code = check_fill(file, varid, name, stored, values.n); code != NC_NOERR) return code;
  return check_attribute_room(file, *list, name, static_cast<std::size_t>(values.n * size));
}

std::string bytes_of(const Values& values) {
  const bool is_valid =
      values.values != nullptr && values.n > 0 && values.type >= Type::kByte && values.type <= Type::kUInt64;
  if (!is_valid) return "";
  const auto bytes = static_cast<std::size_t>(values.n * esker::netcdf::size_bytes(values.type));
  return {static_cast<const char*>(values.values), bytes};
}

int put(int ncid, int varid, const char* name, int stored, const Values& values) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    const int code = file.agreed(check_put(file, varid, name, stored, values),
                                 {{text_of(name), NC_EMULTIDEFINE_ATTR_NAME},
                                  compared(varid, NC_EMULTIDEFINE_FNC_ARGS),
                                  compared(stored, NC_EMULTIDEFINE_ATTR_TYPE),
                                  compared(values.n, NC_EMULTIDEFINE_ATTR_LEN),
                                  {bytes_of(values), NC_EMULTIDEFINE_ATTR_VAL}});
    if (code != NC_NOERR) return code;
    const Type type = static_cast<Type>(stored);
    const esker::Index size = esker::netcdf::size_bytes(type);
    esker::cdf::Attribute attribute{name, type,
                                    std::vector<std::byte>(static_cast<std::size_t>(values.n * size))};
    const Type memory = memory_type_for(values.type, type, file.header().version);
    const bool fits = convert(memory, values.values, values.n, type, esker::netcdf::fill_in_memory(type),
                              attribute.values.data());
    esker::swap_bytes(attribute.values, static_cast<int>(size));
    const int changed =
        change_header(file, [&](auto& header) { set_attribute(attributes_of(header, varid), attribute); });
    return changed != NC_NOERR || fits ? changed : static_cast<int>(NC_ERANGE);
  });
}

/// `type` null: that of the attribute.
int get(int ncid, int varid, const char* name, const Type* type, void* values) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    const auto* list = attributes_of(file, varid);
    if (list == nullptr) return NC_ENOTVAR;
    if (const int code = check_known_name(name); code != NC_NOERR) return code;
    const int found = find_attribute(*list, name);
    if (found < 0) return NC_ENOTATT;
    const auto& attribute = (*list)[static_cast<std::size_t>(found)];
    if (attribute.values.empty()) return NC_NOERR;
    const Type to = type == nullptr ? attribute.type : *type;
    if (!are_alike(attribute.type, to)) return NC_ECHAR;
    if (values == nullptr) return NC_EINVAL;
    const esker::Index size = esker::netcdf::size_bytes(attribute.type);
    const esker::Index n = static_cast<esker::Index>(attribute.values.size()) / size;
    std::vector<std::byte> native = attribute.values;
    esker::swap_bytes(native, static_cast<int>(size));
    const Type memory = memory_type_for(to, attribute.type, file.header().version);
    const bool fits =
        convert(attribute.type, native.data(), n, memory, esker::netcdf::fill_in_memory(memory), values);
    return fits ? NC_NOERR : NC_ERANGE;
  });
}

template <class T>
int get_typed(int ncid, int varid, const char* name, T* values) {
  const Type type = type_of<T>();
  return get(ncid, varid, name, &type, values);
}

}  // namespace

#define ESKER_PNETCDF_PUT_ATTRIBUTE(_, name, T)                                                 \
  int ncmpi_put_att_##name(int ncid, int varid, const char* attribute, int xtype, MPI_Offset n, \
                           const T* values) {                                                   \
    return put(ncid, varid, attribute, xtype, {values, n, type_of<T>()});                       \
  }
#define ESKER_PNETCDF_GET_ATTRIBUTE(_, name, T)                                     \
  int ncmpi_get_att_##name(int ncid, int varid, const char* attribute, T* values) { \
    return get_typed(ncid, varid, attribute, values);                               \
  }

extern "C" {
ESKER_PNETCDF_C_NUMBERS(ESKER_PNETCDF_PUT_ATTRIBUTE, put)
ESKER_PNETCDF_C_TYPES(ESKER_PNETCDF_GET_ATTRIBUTE, get)

int ncmpi_put_att_text(int ncid, int varid, const char* name, MPI_Offset n, const char* values) {
  return put(ncid, varid, name, NC_CHAR, {values, n, Type::kChar});
}
}

int ncmpi_put_att(int ncid, int varid, const char* name, int xtype, MPI_Offset nelems, const void* value) {
  return put(ncid, varid, name, xtype, {value, nelems, static_cast<Type>(xtype)});
}

int ncmpi_get_att(int ncid, int varid, const char* name, void* value) {
  return get(ncid, varid, name, nullptr, value);
}
