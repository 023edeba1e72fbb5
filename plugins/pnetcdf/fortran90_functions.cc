// The Fortran 90 procedures other than transfers that have other arguments than those of Fortran 77
// (fortran_functions.cc has the rest): arrays of assumed shape, and arguments that a program may leave out,
// which are null.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "codes.h"
#include "fortran.h"
#include "fortran_array.h"
#include "interface.h"
#include "open_file.h"

using namespace esker::pnetcdf;

// clang-format off
#define ESKER_PNETCDF_F90_ATTRIBUTES(X) \
  X(onebyteint, schar, signed char, NC_BYTE) X(twobyteint, short, short, NC_SHORT) X(fourbyteint, int, int, NC_INT) \
  X(eightbyteint, longlong, long long, NC_INT64) X(fourbytereal, float, float, NC_FLOAT) \
  X(eightbytereal, double, double, NC_DOUBLE)

#define ESKER_PNETCDF_F90_ATTRIBUTE(name, c_name, T, xtype) \
  int ncmpi_put_att_##c_name(int, int, const char*, int, MPI_Offset, const T*); \
  int ncmpi_get_att_##c_name(int, int, const char*, T*); \
  int __pnetcdf_MOD_nf90mpi_put_att_##name(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att, \
                                           const FortranArray* values, int length) { \
    return guarded([&] { \
      const Section section(*values, 1, type_of<T>()); \
      DenseValues dense(section, false); \
      return ncmpi_put_att_##c_name(*ncid, *varid - 1, Text(att, length), xtype, \
                                    section.n_values(), reinterpret_cast<const T*>(dense.first())); \
    }); \
  } \
  int __pnetcdf_MOD_nf90mpi_put_att_one_##name(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att, \
                                               const T* value, int length) { \
    return guarded([&] { \
      return ncmpi_put_att_##c_name(*ncid, *varid - 1, Text(att, length), xtype, 1, value); \
    }); \
  } \
  int __pnetcdf_MOD_nf90mpi_get_att_##name(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att, \
                                           const FortranArray* values, int length) { \
    return get_attribute<T>(ncmpi_get_att_##c_name, *ncid, *varid - 1, att, length, \
                            Section(*values, 1, type_of<T>())); \
  } \
  int __pnetcdf_MOD_nf90mpi_get_att_one_##name(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att, \
                                               T* value, int length) { \
    return get_attribute<T>(ncmpi_get_att_##c_name, *ncid, *varid - 1, att, length, \
                            Section(value, type_of<T>())); \
  }
// clang-format on

namespace {

/// Gives the values of an attribute, as many as there is room for.
template <class T>
int get_attribute(int (*get)(int, int, const char*, T*), int ncid, int varid, const char* name,
                  int name_length, const Section& section) {
  return guarded([&] {
    const Text att(name, name_length);
    MPI_Offset n = 0;
    int code = ncmpi_inq_attlen(ncid, varid, att, &n);
    if (code != NC_NOERR) return code;
    std::vector<T> all(static_cast<std::size_t>(n));
    code = get(ncid, varid, att, all.data());
    if (code != NC_NOERR && code != NC_ERANGE) return code;
    DenseValues values(section, true);
    std::memcpy(values.first(), all.data(),
                sizeof(T) * static_cast<std::size_t>(std::min<esker::Index>(n, section.n_values())));
    return code;
  });
}

/// A number of a dimension or attribute, which counts from 1 in Fortran, if the program wants it.
void give_number(MPI_Fint* to, int number) { give(to, number >= 0 ? number + 1 : number); }

Section integers(const FortranArray& array) { return {array, 1, type_of<MPI_Fint>()}; }

/// A call with lists of requests and statuses.
int finish_requests(int (*finish)(int, int, int*, int*), int ncid, int n, const FortranArray& requests,
                    const FortranArray& statuses) {
  return guarded([&] {
    DenseValues numbers(integers(requests), false);
    DenseValues results(integers(statuses), true);
    return finish(ncid, n, RequestCopy(reinterpret_cast<const MPI_Fint*>(numbers.first()), n),
                  reinterpret_cast<MPI_Fint*>(results.first()));
  });
}

}  // namespace

extern "C" {
ESKER_PNETCDF_F90_ATTRIBUTES(ESKER_PNETCDF_F90_ATTRIBUTE)

int ncmpi_put_att_text(int, int, const char*, MPI_Offset, const char*);
int ncmpi_get_att_text(int, int, const char*, char*);

int __pnetcdf_MOD_nf90mpi_put_att_text(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att,
                                       const char* value, int length, std::size_t value_length) {
  return guarded([&] {
    const Text text(value, static_cast<int>(value_length));
    return ncmpi_put_att_text(*ncid, *varid - 1, Text(att, length), text.size(), text);
  });
}

int __pnetcdf_MOD_nf90mpi_get_att_text(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att,
                                       char* value, int length, std::size_t value_length) {
  std::memset(value, ' ', value_length);
  return get_attribute<char>(ncmpi_get_att_text, *ncid, *varid - 1, att, length,
                             Section(value, value_length));
}

int __pnetcdf_MOD_nf90mpi_inquire_attribute(const MPI_Fint* ncid, const MPI_Fint* varid, const char* att,
                                            MPI_Fint* xtype, MPI_Offset* len, MPI_Fint* attnum, int length) {
  return guarded([&] {
    const Text name(att, length);
    int number = -1;
    if (ncmpi_inq_attid(*ncid, *varid - 1, name, &number) == NC_NOERR) give_number(attnum, number);
    return ncmpi_inq_att(*ncid, *varid - 1, name, xtype, len);
  });
}

int __pnetcdf_MOD_nf90mpi_enddef(const MPI_Fint* ncid, const MPI_Offset* h_minfree, const MPI_Offset* v_align,
                                 const MPI_Offset* v_minfree, const MPI_Offset* r_align) {
  const auto or_else = [](const MPI_Offset* number, MPI_Offset other) {
    return number == nullptr ? other : *number;
  };
  if (h_minfree == nullptr && v_align == nullptr && v_minfree == nullptr && r_align == nullptr)
    return ncmpi_enddef(*ncid);
  return ncmpi__enddef(*ncid, or_else(h_minfree, 0), or_else(v_align, 4), or_else(v_minfree, 0),
                       or_else(r_align, 4));
}

int __pnetcdf_MOD_nf90mpi_inquire(const MPI_Fint* ncid, MPI_Fint* n_dims, MPI_Fint* n_vars, MPI_Fint* n_atts,
                                  MPI_Fint* unlimited, MPI_Fint* format) {
  int dim = 0;
  const int code = ncmpi_inq(*ncid, n_dims, n_vars, n_atts, &dim);
  if (code == NC_NOERR) give_number(unlimited, dim);
  return format == nullptr ? code : ncmpi_inq_format(*ncid, format);
}

int __pnetcdf_MOD_nf90mpi_inquire_dimension(const MPI_Fint* ncid, const MPI_Fint* dimid, char* name,
                                            MPI_Offset* len, int name_length) {
  if (name == nullptr) return ncmpi_inq_dimlen(*ncid, *dimid - 1, len);
  return guarded([&] { return ncmpi_inq_dim(*ncid, *dimid - 1, TextResult(name, name_length), len); });
}

int __pnetcdf_MOD_nf90mpi_inquire_variable(const MPI_Fint* ncid, const MPI_Fint* varid, char* name,
                                           MPI_Fint* xtype, MPI_Fint* n_dims, const FortranArray* dimids,
                                           MPI_Fint* n_atts, int name_length) {
  return guarded([&]() -> int {
    int n = 0;
    int code = ncmpi_inq_varndims(*ncid, *varid - 1, &n);
    if (code != NC_NOERR) return code;
    code = ncmpi_inq_var(*ncid, *varid - 1, nullptr, xtype, n_dims, nullptr, n_atts);
    if (code != NC_NOERR) return code;
    if (name != nullptr) ncmpi_inq_varname(*ncid, *varid - 1, TextResult(name, name_length));
    if (dimids == nullptr) return NC_NOERR;
    if (integers(*dimids).n_values() < n) return NC_EINVAL;
    DenseValues dims(integers(*dimids), true);
    DimensionsResult result(*ncid, *varid - 1, reinterpret_cast<MPI_Fint*>(dims.first()));
    return ncmpi_inq_vardimid(*ncid, *varid - 1, result);
  });
}

int __pnetcdf_MOD_nf90mpi_inq_files_opened(MPI_Fint* n_files, const FortranArray* ncids) {
  return guarded([&] {
    int code = ncmpi_inq_files_opened(n_files, nullptr);
    if (code != NC_NOERR) return code;
    std::vector<int> all(static_cast<std::size_t>(*n_files));
    code = ncmpi_inq_files_opened(n_files, all.data());
    DenseValues values(integers(*ncids), true);
    const auto n = static_cast<std::size_t>(integers(*ncids).n_values());
    std::memcpy(values.first(), all.data(), sizeof(int) * std::min(n, all.size()));
    return code;
  });
}

int __pnetcdf_MOD_nf90mpi_def_var_manydims(const MPI_Fint* ncid, const char* name, const MPI_Fint* xtype,
                                           const FortranArray* dimids, MPI_Fint* varid, int length) {
  return guarded([&] {
    DenseValues dims(integers(*dimids), false);
    const int n = static_cast<int>(integers(*dimids).n_values());
    return ncmpi_def_var(*ncid, Text(name, length), *xtype, n,
                         Dimensions(reinterpret_cast<const MPI_Fint*>(dims.first()), n), NumberResult(varid));
  });
}

int __pnetcdf_MOD_nf90mpi_def_var_onedim(const MPI_Fint* ncid, const char* name, const MPI_Fint* xtype,
                                         const MPI_Fint* dimid, MPI_Fint* varid, int length) {
  return guarded([&] {
    return ncmpi_def_var(*ncid, Text(name, length), *xtype, 1, Dimensions(dimid, 1), NumberResult(varid));
  });
}

int __pnetcdf_MOD_nf90mpi_def_var_scalar(const MPI_Fint* ncid, const char* name, const MPI_Fint* xtype,
                                         MPI_Fint* varid, int length) {
  return guarded(
      [&] { return ncmpi_def_var(*ncid, Text(name, length), *xtype, 0, nullptr, NumberResult(varid)); });
}

int __pnetcdf_MOD_nf90mpi_wait(const MPI_Fint* ncid, const MPI_Fint* n, const FortranArray* requests,
                               const FortranArray* statuses) {
  return finish_requests(ncmpi_wait, *ncid, *n, *requests, *statuses);
}

int __pnetcdf_MOD_nf90mpi_wait_all(const MPI_Fint* ncid, const MPI_Fint* n, const FortranArray* requests,
                                   const FortranArray* statuses) {
  return finish_requests(ncmpi_wait_all, *ncid, *n, *requests, *statuses);
}

int __pnetcdf_MOD_nf90mpi_cancel(const MPI_Fint* ncid, const MPI_Fint* n, const FortranArray* requests,
                                 const FortranArray* statuses) {
  return finish_requests(ncmpi_cancel, *ncid, *n, *requests, *statuses);
}

/// Its names of errors begin with NF90. The result and its length come first.
void __pnetcdf_MOD_nf90mpi_strerrno(char* result, int length, const MPI_Fint* error) {
  std::string name = ncmpi_strerrno(*error);
  if (name.starts_with("NC_")) name.replace(0, 2, "NF90");
  give_text(name, result, length);
}
}
