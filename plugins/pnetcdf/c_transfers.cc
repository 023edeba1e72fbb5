// The C functions of all transfers, made from the list in operations.h.
#include "forms.h"

using namespace esker::pnetcdf;

// clang-format off
#define ESKER_PNETCDF_C_NOW_TYPED(verb, form, direction, type, T) \
  int ncmpi_##verb##_##form##_##type(int ncid, int varid, ESKER_PNETCDF_PLACE_##form \
                                     ESKER_PNETCDF_CONST_##direction T* values) { \
    return move_now(Direction::k##direction, false, ncid, {varid, ESKER_PNETCDF_MAKE_##form, values_of(values)}); \
  } \
  int ncmpi_##verb##_##form##_##type##_all(int ncid, int varid, ESKER_PNETCDF_PLACE_##form \
                                           ESKER_PNETCDF_CONST_##direction T* values) { \
    return move_now(Direction::k##direction, true, ncid, {varid, ESKER_PNETCDF_MAKE_##form, values_of(values)}); \
  }
#define ESKER_PNETCDF_C_NOW_FLEXIBLE(verb, form, direction, suffix, is_all) \
  int ncmpi_##verb##_##form##suffix(int ncid, int varid, ESKER_PNETCDF_PLACE_##form \
                                    ESKER_PNETCDF_CONST_##direction void* values, MPI_Offset n, \
                                    MPI_Datatype datatype) { \
    return move_now(Direction::k##direction, is_all, ncid, \
                    {varid, ESKER_PNETCDF_MAKE_##form, items_of(values, n, datatype)}); \
  }
#define ESKER_PNETCDF_C_Now(verb, form, direction) \
  ESKER_PNETCDF_C_TYPES(ESKER_PNETCDF_C_NOW_TYPED, verb, form, direction) \
  ESKER_PNETCDF_C_NOW_FLEXIBLE(verb, form, direction, , false) \
  ESKER_PNETCDF_C_NOW_FLEXIBLE(verb, form, direction, _all, true)

#define ESKER_PNETCDF_C_LATER_TYPED(verb, form, direction, type, T) \
  int ncmpi_##verb##_##form##_##type(int ncid, int varid, ESKER_PNETCDF_PLACE_##form \
                                     ESKER_PNETCDF_CONST_##direction T* values, int* request) { \
    return move_later(Direction::k##direction, ESKER_PNETCDF_COPY_##verb, ncid, \
                      {varid, ESKER_PNETCDF_MAKE_##form, values_of(values)}, request); \
  }
#define ESKER_PNETCDF_C_Later(verb, form, direction) \
  ESKER_PNETCDF_C_TYPES(ESKER_PNETCDF_C_LATER_TYPED, verb, form, direction) \
  int ncmpi_##verb##_##form(int ncid, int varid, ESKER_PNETCDF_PLACE_##form \
                            ESKER_PNETCDF_CONST_##direction void* values, MPI_Offset n, MPI_Datatype datatype, \
                            int* request) { \
    return move_later(Direction::k##direction, ESKER_PNETCDF_COPY_##verb, ncid, \
                      {varid, ESKER_PNETCDF_MAKE_##form, items_of(values, n, datatype)}, request); \
  }

#define ESKER_PNETCDF_C_MANY_TYPED_AS(verb, form, direction, type, suffix, is_all, T) \
  int ncmpi_##verb##_##form##_##type##suffix(int ncid, int num, int* varids, ESKER_PNETCDF_PLACES_##form \
                                             T* const* values) { \
    return move_many(Direction::k##direction, is_all, ncid, num, [=](int i) { \
      return Part{varids[i], ESKER_PNETCDF_MAKE_EACH_##form, values_of(values[i])}; \
    }); \
  }
#define ESKER_PNETCDF_C_MANY_TYPED(verb, form, direction, type, T) \
  ESKER_PNETCDF_C_MANY_TYPED_AS(verb, form, direction, type, , false, T) \
  ESKER_PNETCDF_C_MANY_TYPED_AS(verb, form, direction, type, _all, true, T)
#define ESKER_PNETCDF_C_MANY_FLEXIBLE(verb, form, direction, suffix, is_all) \
  int ncmpi_##verb##_##form##suffix(int ncid, int num, int* varids, ESKER_PNETCDF_PLACES_##form \
                                    void* const* values, const MPI_Offset* n, const MPI_Datatype* datatypes) { \
    return move_many(Direction::k##direction, is_all, ncid, num, [=](int i) { \
      return Part{varids[i], ESKER_PNETCDF_MAKE_EACH_##form, items_of(values[i], n[i], datatypes[i])}; \
    }); \
  }
#define ESKER_PNETCDF_C_Many(verb, form, direction) \
  ESKER_PNETCDF_C_TYPES(ESKER_PNETCDF_C_MANY_TYPED, verb, form, direction) \
  ESKER_PNETCDF_C_MANY_FLEXIBLE(verb, form, direction, , false) \
  ESKER_PNETCDF_C_MANY_FLEXIBLE(verb, form, direction, _all, true)

#define ESKER_PNETCDF_C_Never(verb, form, direction) \
  int ncmpi_##verb##_##form(int, int, MPI_Datatype, ESKER_PNETCDF_CONST_##direction void*, MPI_Offset, MPI_Datatype) { \
    return NC_ENOTSUPPORT; \
  } \
  int ncmpi_##verb##_##form##_all(int, int, MPI_Datatype, ESKER_PNETCDF_CONST_##direction void*, MPI_Offset, \
                                  MPI_Datatype) { \
    return NC_ENOTSUPPORT; \
  }

#define ESKER_PNETCDF_C(verb, form, direction, time) ESKER_PNETCDF_C_##time(verb, form, direction)
extern "C" {
ESKER_PNETCDF_TRANSFERS(ESKER_PNETCDF_C)
}
// clang-format on
