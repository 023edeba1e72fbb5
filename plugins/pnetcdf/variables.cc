// Functions of variables, other than transfers.
#include <cstring>
#include <span>

#include "definition.h"
#include "elements.h"
#include "interface.h"

using namespace esker::pnetcdf;

namespace {

int check_dims(const esker::cdf::Header& header, int n, const int* dims) {
  if (n > 0 && dims == nullptr) return NC_EINVAL;
  for (int i = 0; i < n; ++i) {
    if (dims[i] < 0 || static_cast<std::size_t>(dims[i]) >= header.dims.size()) return NC_EBADDIM;
  }
  for (int i = 1; i < n; ++i) {
    if (header.dims[static_cast<std::size_t>(dims[i])].length == 0) return NC_EUNLIMPOS;
  }
  return NC_NOERR;
}

int check_new_variable(const OpenFile& file, const char* name, int type, int n_dims, const int* dims) {
  if (!file.file->is_defining()) return NC_ENOTINDEFINE;
  if (const int code = check_new_name(name); code != NC_NOERR) return code;
  if (const int code = check_type(file.header().version, type); code != NC_NOERR) return code;
  if (n_dims < 0) return NC_EINVAL;
  if (find_variable(file.header(), name) >= 0) return NC_ENAMEINUSE;
  return check_dims(file.header(), n_dims, dims);
}

int check_renamed_variable(const OpenFile& file, int id, const char* name) {
  if (!file.file->is_writable()) return NC_EPERM;
  if (const int code = file.check_variable(id); code != NC_NOERR) return code;
  if (const int code = check_new_name(name); code != NC_NOERR) return code;
  if (find_variable(file.header(), name) >= 0) return NC_ENAMEINUSE;
  const bool is_longer = std::strlen(name) > file.variable(id).name.size();
  return is_longer && !file.file->is_defining() ? NC_ENOTINDEFINE : NC_NOERR;
}

std::string bytes_of(int n, const int* dims) {
  if (n <= 0 || dims == nullptr) return "";
  return {reinterpret_cast<const char*>(dims), static_cast<std::size_t>(n) * sizeof(int)};
}

/// What all questions about one variable begin with.
template <class Use>
int ask(int ncid, int varid, const Use& use) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (const int code = file.check_variable(varid); code != NC_NOERR) return code;
    use(file.variable(varid));
    return NC_NOERR;
  });
}

}  // namespace

int ncmpi_def_var(int ncid, const char* name, int xtype, int ndims, const int* dimids, int* varid) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code = file.agreed(check_new_variable(file, name, xtype, ndims, dimids),
                                 {{text_of(name), NC_EMULTIDEFINE_VAR_NAME},
                                  compared(xtype, NC_EMULTIDEFINE_VAR_TYPE),
                                  compared(ndims, NC_EMULTIDEFINE_VAR_NDIMS),
                                  {bytes_of(ndims, dimids), NC_EMULTIDEFINE_VAR_DIMIDS}});
    if (code != NC_NOERR) return code;
    esker::cdf::Variable variable;
    variable.name = name;
    variable.type = static_cast<Type>(xtype);
    if (ndims > 0) variable.dims.assign(dimids, dimids + ndims);
    auto& variables = file.file->definition().variables;
    variables.push_back(std::move(variable));
    file.variable_fills.push_back(file.fills ? 1 : 0);
    give(varid, variables.size() - 1);
    return code;
  });
}

int ncmpi_inq_varid(int ncid, const char* name, int* varid) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (const int code = check_known_name(name); code != NC_NOERR) return code;
    const int found = find_variable(file.header(), name);
    if (found < 0) return NC_ENOTVAR;
    give(varid, found);
    return NC_NOERR;
  });
}

int ncmpi_inq_var(int ncid, int varid, char* name, int* xtype, int* ndims, int* dimids, int* natts) {
  if (varid == NC_GLOBAL && name == nullptr && xtype == nullptr && ndims == nullptr && dimids == nullptr) {
    return ncmpi_inq_natts(ncid, natts);
  }
  return ask(ncid, varid, [&](const auto& variable) {
    if (name != nullptr) std::strcpy(name, variable.name.c_str());
    give(xtype, static_cast<int>(variable.type));
    give(ndims, variable.dims.size());
    if (dimids != nullptr) std::copy(variable.dims.begin(), variable.dims.end(), dimids);
    give(natts, variable.attributes.size());
  });
}

int ncmpi_inq_varname(int ncid, int varid, char* name) {
  return ask(ncid, varid, [&](const auto& variable) {
    if (name != nullptr) std::strcpy(name, variable.name.c_str());
  });
}

int ncmpi_inq_vartype(int ncid, int varid, int* xtype) {
  return ask(ncid, varid, [&](const auto& variable) { give(xtype, static_cast<int>(variable.type)); });
}

int ncmpi_inq_varndims(int ncid, int varid, int* ndims) {
  return ask(ncid, varid, [&](const auto& variable) { give(ndims, variable.dims.size()); });
}

int ncmpi_inq_vardimid(int ncid, int varid, int* dimids) {
  return ask(ncid, varid, [&](const auto& variable) {
    if (dimids != nullptr) std::copy(variable.dims.begin(), variable.dims.end(), dimids);
  });
}

int ncmpi_inq_varnatts(int ncid, int varid, int* natts) {
  return ncmpi_inq_var(ncid, varid, nullptr, nullptr, nullptr, nullptr, natts);
}

int ncmpi_inq_varoffset(int ncid, int varid, MPI_Offset* offset) {
  return ask(ncid, varid, [&](const auto& variable) { give(offset, variable.begin); });
}

int ncmpi_rename_var(int ncid, int varid, const char* name) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code =
        file.agreed(check_renamed_variable(file, varid, name),
                    {{text_of(name), NC_EMULTIDEFINE_VAR_NAME}, compared(varid, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    return change_header(
        file, [&](auto& header) { header.variables[static_cast<std::size_t>(varid)].name = name; });
  });
}
