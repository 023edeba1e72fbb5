// Constants of PnetCDF's interface. None of its headers is needed to build this library; tests/pnetcdf
// compares them.
#pragma once

#include "error_table.h"

// clang-format off
#define ESKER_PNETCDF_CONSTANTS(X) \
  X(NC_NAT, 0) X(NC_BYTE, 1) X(NC_CHAR, 2) X(NC_SHORT, 3) X(NC_INT, 4) X(NC_FLOAT, 5) X(NC_DOUBLE, 6) \
  X(NC_UBYTE, 7) X(NC_USHORT, 8) X(NC_UINT, 9) X(NC_INT64, 10) X(NC_UINT64, 11) \
  X(NC_FILL, 0) X(NC_NOFILL, 0x100) \
  X(NC_NOWRITE, 0) X(NC_WRITE, 1) X(NC_CLOBBER, 0) X(NC_NOCLOBBER, 4) X(NC_DISKLESS, 8) X(NC_MMAP, 0x10) \
  X(NC_64BIT_DATA, 0x20) X(NC_CLASSIC_MODEL, 0x100) X(NC_64BIT_OFFSET, 0x200) X(NC_NETCDF4, 0x1000) \
  X(NC_FORMAT_UNKNOWN, -1) X(NC_FORMAT_CLASSIC, 1) X(NC_FORMAT_CDF2, 2) X(NC_FORMAT_NETCDF4, 3) \
  X(NC_FORMAT_NETCDF4_CLASSIC, 4) X(NC_FORMAT_CDF5, 5) \
  X(NC_UNLIMITED, 0) X(NC_GLOBAL, -1) X(NC_MAX_NAME, 256) X(NC_MAX_NFILES, 1024) \
  X(NC_REQ_NULL, -1) X(NC_REQ_ALL, -1) X(NC_GET_REQ_ALL, -2) X(NC_PUT_REQ_ALL, -3)
// clang-format on

namespace esker::pnetcdf {

#define ESKER_PNETCDF_DEFINE_ERROR(name, number, text) name = (number),
#define ESKER_PNETCDF_DEFINE(name, number) name = (number),
enum : int { ESKER_PNETCDF_ERRORS(ESKER_PNETCDF_DEFINE_ERROR) };
enum : int { ESKER_PNETCDF_CONSTANTS(ESKER_PNETCDF_DEFINE) };
#undef ESKER_PNETCDF_DEFINE_ERROR
#undef ESKER_PNETCDF_DEFINE

}  // namespace esker::pnetcdf
