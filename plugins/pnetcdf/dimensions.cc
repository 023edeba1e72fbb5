// Functions of dimensions.
#include <cstring>

#include "definition.h"
#include "interface.h"

using namespace esker::pnetcdf;

namespace {

int check_length(esker::cdf::Version version, MPI_Offset length) {
  const bool is_limited = version != esker::cdf::Version::kData64;
  return length < 0 || (is_limited && length > largest_size(version)) ? NC_EDIMSIZE : NC_NOERR;
}

int check_new_dim(const OpenFile& file, const char* name, MPI_Offset length) {
  if (!file.file->is_defining()) return NC_ENOTINDEFINE;
  if (const int code = check_new_name(name); code != NC_NOERR) return code;
  if (const int code = check_length(file.header().version, length); code != NC_NOERR) return code;
  if (length == NC_UNLIMITED && file.header().record_dim()) return NC_EUNLIMIT;
  return find_dim(file.header(), name) < 0 ? NC_NOERR : NC_ENAMEINUSE;
}

bool has_dim(const OpenFile& file, int id) {
  return id >= 0 && static_cast<std::size_t>(id) < file.header().dims.size();
}

int check_renamed_dim(const OpenFile& file, int id, const char* name) {
  if (!file.file->is_writable()) return NC_EPERM;
  if (const int code = check_new_name(name); code != NC_NOERR) return code;
  if (!has_dim(file, id)) return NC_EBADDIM;
  const int known = find_dim(file.header(), name);
  if (known >= 0 && known != id) return NC_ENAMEINUSE;
  const bool is_longer = std::strlen(name) > file.header().dims[static_cast<std::size_t>(id)].name.size();
  return is_longer && !file.file->is_defining() ? NC_ENOTINDEFINE : NC_NOERR;
}

}  // namespace

int ncmpi_def_dim(int ncid, const char* name, MPI_Offset len, int* id) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code = file.agreed(check_new_dim(file, name, len), {{text_of(name), NC_EMULTIDEFINE_DIM_NAME},
                                                                  compared(len, NC_EMULTIDEFINE_DIM_SIZE)});
    if (code != NC_NOERR) return code;
    auto& dims = file.file->definition().dims;
    dims.push_back({name, len});
    give(id, dims.size() - 1);
    return code;
  });
}

int ncmpi_inq_dimid(int ncid, const char* name, int* id) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (const int code = check_known_name(name); code != NC_NOERR) return code;
    const int found = find_dim(file.header(), name);
    if (found < 0) return NC_EBADDIM;
    give(id, found);
    return NC_NOERR;
  });
}

int ncmpi_inq_dim(int ncid, int dimid, char* name, MPI_Offset* len) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (!has_dim(file, dimid)) return NC_EBADDIM;
    const auto& dim = file.header().dims[static_cast<std::size_t>(dimid)];
    if (name != nullptr) std::strcpy(name, dim.name.c_str());
    give(len, dim.length == 0 ? file.header().num_records : dim.length);
    return NC_NOERR;
  });
}

int ncmpi_inq_dimname(int ncid, int dimid, char* name) { return ncmpi_inq_dim(ncid, dimid, name, nullptr); }

int ncmpi_inq_dimlen(int ncid, int dimid, MPI_Offset* len) {
  return ncmpi_inq_dim(ncid, dimid, nullptr, len);
}

int ncmpi_rename_dim(int ncid, int dimid, const char* name) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code =
        file.agreed(check_renamed_dim(file, dimid, name),
                    {{text_of(name), NC_EMULTIDEFINE_DIM_NAME}, compared(dimid, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    return change_header(file,
                         [&](auto& header) { header.dims[static_cast<std::size_t>(dimid)].name = name; });
  });
}
