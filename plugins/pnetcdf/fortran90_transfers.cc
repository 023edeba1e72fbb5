// The Fortran 90 procedures of all transfers: those of PnetCDF's module, under the names that gfortran gives
// them.
#include "constants.h"
#include "forms.h"
#include "fortran90.h"

using namespace esker::pnetcdf;

// clang-format off
// A row is X(verb, suffix, direction, all, time): as in operations.h; `all`: collective.
#define ESKER_PNETCDF_F90_NOW(X) \
  X(put, , In, false, Now) X(put, _all, In, true, Now) X(get, , Out, false, Now) X(get, _all, Out, true, Now)
#define ESKER_PNETCDF_F90_LATER(X) \
  X(iput, , In, false, Later) X(iget, , Out, false, Later) X(bput, , In, false, Later)
// As in operations.h, with the names of the module. Text has the length as one more argument.
#define ESKER_PNETCDF_F90_NUMBERS(Y, ...) \
  Y(__VA_ARGS__, onebyteint, Type::kByte) Y(__VA_ARGS__, twobyteint, Type::kShort) \
  Y(__VA_ARGS__, fourbyteint, Type::kInt) Y(__VA_ARGS__, eightbyteint, Type::kInt64) \
  Y(__VA_ARGS__, fourbytereal, Type::kFloat) Y(__VA_ARGS__, eightbytereal, Type::kDouble)
// Axes of an array.
#define ESKER_PNETCDF_F90_RANKS(Z, ...) \
  Z(__VA_ARGS__, 1) Z(__VA_ARGS__, 2) Z(__VA_ARGS__, 3) Z(__VA_ARGS__, 4) Z(__VA_ARGS__, 5) Z(__VA_ARGS__, 6) \
  Z(__VA_ARGS__, 7)

#define ESKER_PNETCDF_F90_REQUEST_Now
#define ESKER_PNETCDF_F90_REQUEST_Later MPI_Fint* request,
#define ESKER_PNETCDF_F90_CALL_Now(verb, direction, all) {*ncid, *varid - 1, Direction::k##direction, all}
#define ESKER_PNETCDF_F90_CALL_Later(verb, direction, all) \
  {*ncid, *varid - 1, Direction::k##direction, false, ESKER_PNETCDF_COPY_##verb, request}

#define ESKER_PNETCDF_F90_VALUE(verb, suffix, direction, all, time, name, memory) \
  int __pnetcdf_MOD_nf90mpi_##verb##_var_##name##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const void* value, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start, const MPI_Offset* n, const MPI_Fint* datatype) { \
    return move_value(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(value, memory), start, 1, \
                      {n, datatype}); \
  } \
  int __pnetcdf_MOD_nf90mpi_##verb##_varn_##name##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const void* value, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start) { \
    return move_value(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(value, memory), start, 2); \
  }
#define ESKER_PNETCDF_F90_ARRAY(verb, suffix, direction, all, time, name, memory, rank) \
  int __pnetcdf_MOD_nf90mpi_##verb##_var_##rank##d_##name##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const FortranArray* values, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start, const FortranArray* count, const FortranArray* stride, const FortranArray* map, \
      const MPI_Offset* n, const MPI_Fint* datatype) { \
    return move_array(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(*values, rank, memory), \
                      {start, count, stride, map}, {n, datatype}); \
  } \
  int __pnetcdf_MOD_nf90mpi_##verb##_varn_##rank##d_##name##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const FortranArray* values, ESKER_PNETCDF_F90_REQUEST_##time \
      const MPI_Fint* num, const FortranArray* start, const FortranArray* count) { \
    return move_boxes(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(*values, rank, memory), \
                      *num, start, count); \
  }
#define ESKER_PNETCDF_F90_TEXT(verb, suffix, direction, all, time) \
  int __pnetcdf_MOD_nf90mpi_##verb##_var_text##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const char* text, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start, const FortranArray* count, const FortranArray* stride, const FortranArray* map, \
      std::size_t length) { \
    return move_array(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(text, length), \
                      {start, count, stride, map}); \
  } \
  int __pnetcdf_MOD_nf90mpi_##verb##_varn_text##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const char* text, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start, std::size_t /*length*/) { \
    return move_value(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(text, Type::kChar), start, 2); \
  }
#define ESKER_PNETCDF_F90_TEXTS(verb, suffix, direction, all, time, rank) \
  int __pnetcdf_MOD_nf90mpi_##verb##_var_##rank##d_text##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const FortranArray* texts, ESKER_PNETCDF_F90_REQUEST_##time \
      const FortranArray* start, const FortranArray* count, const FortranArray* stride, const FortranArray* map, \
      std::size_t length) { \
    return move_array(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(*texts, rank, length), \
                      {start, count, stride, map}); \
  } \
  int __pnetcdf_MOD_nf90mpi_##verb##_varn_##rank##d_text##suffix( \
      const MPI_Fint* ncid, const MPI_Fint* varid, const FortranArray* texts, ESKER_PNETCDF_F90_REQUEST_##time \
      const MPI_Fint* num, const FortranArray* start, const FortranArray* count, std::size_t length) { \
    return move_boxes(ESKER_PNETCDF_F90_CALL_##time(verb, direction, all), Section(*texts, rank, length), *num, \
                      start, count); \
  }
#define ESKER_PNETCDF_F90_ARRAYS(...) ESKER_PNETCDF_F90_RANKS(ESKER_PNETCDF_F90_ARRAY, __VA_ARGS__)
#define ESKER_PNETCDF_F90_MOVE(...) \
  ESKER_PNETCDF_F90_NUMBERS(ESKER_PNETCDF_F90_VALUE, __VA_ARGS__) \
  ESKER_PNETCDF_F90_NUMBERS(ESKER_PNETCDF_F90_ARRAYS, __VA_ARGS__) \
  ESKER_PNETCDF_F90_TEXT(__VA_ARGS__) \
  ESKER_PNETCDF_F90_RANKS(ESKER_PNETCDF_F90_TEXTS, __VA_ARGS__)

// vard is not offered, whatever the arguments.
#define ESKER_PNETCDF_F90_NEVER(verb, suffix, name) \
  int __pnetcdf_MOD_nf90mpi_##verb##_vard_##name##suffix() { return NC_ENOTSUPPORT; }
#define ESKER_PNETCDF_F90_NEVER_ARRAY(verb, suffix, name, memory, rank) \
  ESKER_PNETCDF_F90_NEVER(verb, suffix, rank##d_##name)
#define ESKER_PNETCDF_F90_NEVER_TYPE(verb, suffix, name, memory) \
  ESKER_PNETCDF_F90_NEVER(verb, suffix, name) \
  ESKER_PNETCDF_F90_RANKS(ESKER_PNETCDF_F90_NEVER_ARRAY, verb, suffix, name, memory)
#define ESKER_PNETCDF_F90_VARD(verb, suffix, direction, all, time) \
  ESKER_PNETCDF_F90_NUMBERS(ESKER_PNETCDF_F90_NEVER_TYPE, verb, suffix) \
  ESKER_PNETCDF_F90_NEVER_TYPE(verb, suffix, text, )

extern "C" {
ESKER_PNETCDF_F90_NOW(ESKER_PNETCDF_F90_MOVE)
ESKER_PNETCDF_F90_LATER(ESKER_PNETCDF_F90_MOVE)
ESKER_PNETCDF_F90_NOW(ESKER_PNETCDF_F90_VARD)
}
// clang-format on
