// Functions of fill modes and fill values.
#include "formats/netcdf/model/fill.h"

#include <cstring>

#include "attributes.h"
#include "definition.h"
#include "interface.h"

using namespace esker::pnetcdf;

namespace {

constexpr const char* kFillValue = "_FillValue";

int check_fill_definition(const OpenFile& file, int id) {
  if (!file.file->is_defining()) return NC_ENOTINDEFINE;
  return file.check_variable(id);
}

int check_filled_record(const OpenFile& file, int id, MPI_Offset record) {
  if (!file.file->is_writable()) return NC_EPERM;
  if (file.file->is_defining()) return NC_EINDEFINE;
  if (const int code = file.check_variable(id); code != NC_NOERR) return code;
  if (!file.header().is_record(file.variable(id))) return NC_ENOTRECVAR;
  if (file.is_independent) return NC_EINDEP;
  if (record < 0) return NC_EINVAL;
  const bool fills = file.variable_fills[static_cast<std::size_t>(id)] != 0;
  return fills || find_attribute(file.variable(id).attributes, kFillValue) >= 0 ? NC_NOERR : NC_ENOTFILL;
}

}  // namespace

int ncmpi_set_fill(int ncid, int fillmode, int* old_mode) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (!file.file->is_writable()) return NC_EPERM;
    if (!file.file->is_defining()) return NC_ENOTINDEFINE;
    const int code = file.agreed(NC_NOERR, {compared(fillmode, NC_EMULTIDEFINE_FILL_MODE)});
    if (code != NC_NOERR) return code;
    if (fillmode != NC_FILL && fillmode != NC_NOFILL) return NC_EINVAL;
    give(old_mode, file.fills ? NC_FILL : NC_NOFILL);
    file.fills = fillmode == NC_FILL;
    file.variable_fills.assign(file.variable_fills.size(), file.fills ? 1 : 0);
    return NC_NOERR;
  });
}

int ncmpi_def_var_fill(int ncid, int varid, int no_fill, const void* fill_value) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    const int code =
        file.agreed(check_fill_definition(file, varid),
                    {compared(varid, NC_EMULTIDEFINE_FNC_ARGS), compared(no_fill, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    file.variable_fills[static_cast<std::size_t>(varid)] = no_fill == 0 ? 1 : 0;
    if (fill_value == nullptr || no_fill != 0) return NC_NOERR;
    return ncmpi_put_att(ncid, varid, kFillValue, static_cast<int>(file.variable(varid).type), 1, fill_value);
  });
}

int ncmpi_inq_var_fill(int ncid, int varid, int* no_fill, void* fill_value) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    if (const int code = file.check_variable(varid); code != NC_NOERR) return code;
    give(no_fill, file.variable_fills[static_cast<std::size_t>(varid)] == 0 ? 1 : 0);
    if (fill_value == nullptr) return NC_NOERR;
    const std::vector<std::byte> value = esker::netcdf::fill_in_memory(file.variable(varid));
    std::memcpy(fill_value, value.data(), value.size());
    return NC_NOERR;
  });
}

int ncmpi_fill_var_rec(int ncid, int varid, MPI_Offset recno) {
  return with_file(ncid, [&](OpenFile& file) {
    const int code =
        file.agreed(check_filled_record(file, varid, recno),
                    {compared(varid, NC_EMULTIDEFINE_FNC_ARGS), compared(recno, NC_EMULTIDEFINE_FNC_ARGS)});
    if (code != NC_NOERR) return code;
    const esker::Status filled = file.file->fill(varid, recno);
    if (!file.companion || !filled.ok()) return code_of(filled);
    file.companion->note(varid, recno);
    return code_of(file.told(file.companion->follow({})));
  });
}
