// Macros by which c_transfers.cc and fortran_transfers.cc write the functions of the list in operations.h:
// the arguments of a form in C, the place they name, and the type of the caller's memory.
#pragma once

#include "operations.h"
#include "transfer.h"

// clang-format off
#define ESKER_PNETCDF_PLACE_var
#define ESKER_PNETCDF_PLACE_var1 const MPI_Offset* start,
#define ESKER_PNETCDF_PLACE_vara const MPI_Offset* start, const MPI_Offset* count,
#define ESKER_PNETCDF_PLACE_vars const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* stride,
#define ESKER_PNETCDF_PLACE_varm \
  const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* stride, const MPI_Offset* imap,
#define ESKER_PNETCDF_PLACE_varn int num, MPI_Offset* const* starts, MPI_Offset* const* counts,

#define ESKER_PNETCDF_PLACES_var
#define ESKER_PNETCDF_PLACES_var1 MPI_Offset* const* starts,
#define ESKER_PNETCDF_PLACES_vara MPI_Offset* const* starts, MPI_Offset* const* counts,
#define ESKER_PNETCDF_PLACES_vars MPI_Offset* const* starts, MPI_Offset* const* counts, MPI_Offset* const* strides,
#define ESKER_PNETCDF_PLACES_varm \
  MPI_Offset* const* starts, MPI_Offset* const* counts, MPI_Offset* const* strides, MPI_Offset* const* imaps,

#define ESKER_PNETCDF_MAKE_var whole()
#define ESKER_PNETCDF_MAKE_var1 one(start)
#define ESKER_PNETCDF_MAKE_vara box(start, count)
#define ESKER_PNETCDF_MAKE_vars box(start, count, stride)
#define ESKER_PNETCDF_MAKE_varm mapped(start, count, stride, imap)
#define ESKER_PNETCDF_MAKE_varn boxes(num, starts, counts)

#define ESKER_PNETCDF_MAKE_EACH_var whole()
#define ESKER_PNETCDF_MAKE_EACH_var1 one(starts[i])
#define ESKER_PNETCDF_MAKE_EACH_vara box(starts[i], counts[i])
#define ESKER_PNETCDF_MAKE_EACH_vars box(starts[i], counts[i], each(strides, i))
#define ESKER_PNETCDF_MAKE_EACH_varm mapped(starts[i], counts[i], each(strides, i), each(imaps, i))

#define ESKER_PNETCDF_CONST_In const
#define ESKER_PNETCDF_CONST_Out

#define ESKER_PNETCDF_COPY_iput Copy::kNo
#define ESKER_PNETCDF_COPY_iget Copy::kNo
#define ESKER_PNETCDF_COPY_bput Copy::kToAttachedBuffer
// clang-format on

namespace esker::pnetcdf {

inline Place whole() { return {}; }
inline Place one(const MPI_Offset* start) { return {Place::Form::kOne, start}; }
inline Place box(const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* step = nullptr) {
  return {step == nullptr ? Place::Form::kBox : Place::Form::kStrides, start, count, step};
}
inline Place mapped(const MPI_Offset* start, const MPI_Offset* count, const MPI_Offset* step,
                    const MPI_Offset* map) {
  return map == nullptr ? box(start, count, step) : Place{Place::Form::kMap, start, count, step, map};
}
inline Place boxes(int n, MPI_Offset* const* starts, MPI_Offset* const* counts) {
  return {Place::Form::kBoxes, nullptr, nullptr, nullptr, nullptr, n, starts, counts};
}
inline const MPI_Offset* each(MPI_Offset* const* lists, int i) {
  return lists == nullptr ? nullptr : lists[i];
}

/// Values of a type of C. What is put is not changed.
template <class T>
Memory values_of(const T* values) {
  return {const_cast<T*>(values), false, type_of<T>(), 0, MPI_DATATYPE_NULL};
}
inline Memory items_of(const void* values, MPI_Offset n, MPI_Datatype datatype) {
  return {const_cast<void*>(values), true, Type::kByte, n, datatype};
}

}  // namespace esker::pnetcdf
