// The Fortran procedures of all transfers, made from the list in operations.h.
#include "forms.h"
#include "fortran.h"
#include "interface.h"

using namespace esker::pnetcdf;

// clang-format off
// As in C, but for varn.
#define ESKER_PNETCDF_F_PLACE_var ESKER_PNETCDF_PLACE_var
#define ESKER_PNETCDF_F_PLACE_var1 ESKER_PNETCDF_PLACE_var1
#define ESKER_PNETCDF_F_PLACE_vara ESKER_PNETCDF_PLACE_vara
#define ESKER_PNETCDF_F_PLACE_vars ESKER_PNETCDF_PLACE_vars
#define ESKER_PNETCDF_F_PLACE_varm ESKER_PNETCDF_PLACE_varm
#define ESKER_PNETCDF_F_PLACE_varn const MPI_Fint* num, const MPI_Offset* starts, const MPI_Offset* counts,

#define ESKER_PNETCDF_LIST(list, first) Indices(*ncid, *varid - 1, list, first)
#define ESKER_PNETCDF_LISTS(lists, first) IndexLists(*ncid, *varid - 1, *num, lists, first)
#define ESKER_PNETCDF_F_MAKE_var whole()
#define ESKER_PNETCDF_F_MAKE_var1 one(ESKER_PNETCDF_LIST(start, 1))
#define ESKER_PNETCDF_F_MAKE_vara box(ESKER_PNETCDF_LIST(start, 1), ESKER_PNETCDF_LIST(count, 0))
#define ESKER_PNETCDF_F_MAKE_vars \
  box(ESKER_PNETCDF_LIST(start, 1), ESKER_PNETCDF_LIST(count, 0), ESKER_PNETCDF_LIST(stride, 0))
#define ESKER_PNETCDF_F_MAKE_varm \
  mapped(ESKER_PNETCDF_LIST(start, 1), ESKER_PNETCDF_LIST(count, 0), ESKER_PNETCDF_LIST(stride, 0), \
         ESKER_PNETCDF_LIST(imap, 0))
#define ESKER_PNETCDF_F_MAKE_varn boxes(*num, ESKER_PNETCDF_LISTS(starts, 1), ESKER_PNETCDF_LISTS(counts, 0))

// `end` is the length of a text in memory, which is not needed.
#define ESKER_PNETCDF_F_NOW_AS(verb, form, direction, name, is_all, T, end) \
  int nfmpi_##verb##_##form##name(const MPI_Fint* ncid, const MPI_Fint* varid, ESKER_PNETCDF_F_PLACE_##form \
                                  ESKER_PNETCDF_CONST_##direction T* values end) { \
    return guarded([&] { \
      return move_now(Direction::k##direction, is_all, *ncid, \
                      {*varid - 1, ESKER_PNETCDF_F_MAKE_##form, values_of(values)}); \
    }); \
  }
#define ESKER_PNETCDF_COMMA_LENGTH , int
#define ESKER_PNETCDF_F_NOW_NUMBERS(verb, form, direction, type, T) \
  ESKER_PNETCDF_F_NOW_AS(verb, form, direction, _##type##_, false, T, ) \
  ESKER_PNETCDF_F_NOW_AS(verb, form, direction, _##type##_all_, true, T, )
#define ESKER_PNETCDF_F_NOW_FLEXIBLE(verb, form, direction, suffix, is_all) \
  int nfmpi_##verb##_##form##suffix(const MPI_Fint* ncid, const MPI_Fint* varid, ESKER_PNETCDF_F_PLACE_##form \
                                    ESKER_PNETCDF_CONST_##direction void* values, const MPI_Offset* n, \
                                    const MPI_Fint* datatype) { \
    return guarded([&] { \
      return move_now(Direction::k##direction, is_all, *ncid, \
                      {*varid - 1, ESKER_PNETCDF_F_MAKE_##form, items_of(values, *n, MPI_Type_f2c(*datatype))}); \
    }); \
  }
#define ESKER_PNETCDF_F_Now(verb, form, direction) \
  ESKER_PNETCDF_FORTRAN_NUMBERS(ESKER_PNETCDF_F_NOW_NUMBERS, verb, form, direction) \
  ESKER_PNETCDF_F_NOW_AS(verb, form, direction, _text_, false, char, ESKER_PNETCDF_COMMA_LENGTH) \
  ESKER_PNETCDF_F_NOW_AS(verb, form, direction, _text_all_, true, char, ESKER_PNETCDF_COMMA_LENGTH) \
  ESKER_PNETCDF_F_NOW_FLEXIBLE(verb, form, direction, _, false) \
  ESKER_PNETCDF_F_NOW_FLEXIBLE(verb, form, direction, _all_, true)

#define ESKER_PNETCDF_F_LATER_AS(verb, form, direction, type, T, end) \
  int nfmpi_##verb##_##form##_##type##_(const MPI_Fint* ncid, const MPI_Fint* varid, ESKER_PNETCDF_F_PLACE_##form \
                                        ESKER_PNETCDF_CONST_##direction T* values, MPI_Fint* request end) { \
    return guarded([&] { \
      return move_later(Direction::k##direction, ESKER_PNETCDF_COPY_##verb, *ncid, \
                        {*varid - 1, ESKER_PNETCDF_F_MAKE_##form, values_of(values)}, request); \
    }); \
  }
#define ESKER_PNETCDF_F_LATER_NUMBERS(verb, form, direction, type, T) \
  ESKER_PNETCDF_F_LATER_AS(verb, form, direction, type, T, )
#define ESKER_PNETCDF_F_Later(verb, form, direction) \
  ESKER_PNETCDF_FORTRAN_NUMBERS(ESKER_PNETCDF_F_LATER_NUMBERS, verb, form, direction) \
  ESKER_PNETCDF_F_LATER_AS(verb, form, direction, text, char, ESKER_PNETCDF_COMMA_LENGTH) \
  int nfmpi_##verb##_##form##_(const MPI_Fint* ncid, const MPI_Fint* varid, ESKER_PNETCDF_F_PLACE_##form \
                               ESKER_PNETCDF_CONST_##direction void* values, const MPI_Offset* n, \
                               const MPI_Fint* datatype, MPI_Fint* request) { \
    return guarded([&] { \
      return move_later(Direction::k##direction, ESKER_PNETCDF_COPY_##verb, *ncid, \
                        {*varid - 1, ESKER_PNETCDF_F_MAKE_##form, items_of(values, *n, MPI_Type_f2c(*datatype))}, \
                        request); \
    }); \
  }

#define ESKER_PNETCDF_F_Many(verb, form, direction)
#define ESKER_PNETCDF_F_Never(verb, form, direction) \
  int nfmpi_##verb##_##form##_(const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, \
                               ESKER_PNETCDF_CONST_##direction void*, const MPI_Offset*, const MPI_Fint*) { \
    return NC_ENOTSUPPORT; \
  } \
  int nfmpi_##verb##_##form##_all_(const MPI_Fint*, const MPI_Fint*, const MPI_Fint*, \
                                   ESKER_PNETCDF_CONST_##direction void*, const MPI_Offset*, const MPI_Fint*) { \
    return NC_ENOTSUPPORT; \
  }

#define ESKER_PNETCDF_F(verb, form, direction, time) ESKER_PNETCDF_F_##time(verb, form, direction)
extern "C" {
ESKER_PNETCDF_TRANSFERS(ESKER_PNETCDF_F)
}
// clang-format on
