// The Fortran procedures other than transfers.
#include "codes.h"
#include "fortran.h"
#include "fortran_operations.h"
#include "interface.h"
#include "operations.h"

using namespace esker::pnetcdf;

namespace {

/// A handle of MPI, as a result.
class InfoResult {
 public:
  explicit InfoResult(MPI_Fint* handle) : handle_(handle) {}
  InfoResult(const InfoResult&) = delete;
  InfoResult& operator=(const InfoResult&) = delete;
  ~InfoResult() { *handle_ = MPI_Info_c2f(info_); }
  operator MPI_Info*() { return &info_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Fint* handle_;
  MPI_Info info_ = MPI_INFO_NULL;
};

/// Fortran's names of errors begin with NF.
void give_name(int error, char* to, int length) {
  give_text(ncmpi_strerrno(error), to, length);
  if (length > 1 && to[0] == 'N' && to[1] == 'C') to[1] = 'F';
}

}  // namespace

// clang-format off
#define ESKER_PNETCDF_DEFINE_FORTRAN_AS(name, c_name, parameters, arguments) \
  int nfmpi_##name##_ parameters { \
    return guarded([&] { return ncmpi_##c_name arguments; }); \
  }
#define ESKER_PNETCDF_DEFINE_FORTRAN(name, parameters, arguments) \
  ESKER_PNETCDF_DEFINE_FORTRAN_AS(name, name, parameters, arguments)
// gfortran's name of a procedure of the module `pnetcdf`.
#define ESKER_PNETCDF_ALIAS_AS(name, old_name) \
  decltype(nfmpi_##old_name##_) __pnetcdf_MOD_nf90mpi_##name [[gnu::alias("nfmpi_" #old_name "_")]];
#define ESKER_PNETCDF_ALIAS(name) ESKER_PNETCDF_ALIAS_AS(name, name)
#define ESKER_PNETCDF_ALIAS_FILL(type) \
  ESKER_PNETCDF_ALIAS_AS(def_var_fill_##type, def_var_fill) \
  ESKER_PNETCDF_ALIAS_AS(inq_var_fill_##type, inq_var_fill)
#define ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(type, c_type, T) \
  int ncmpi_put_att_##c_type(int, int, const char*, int, MPI_Offset, const T*); \
  int ncmpi_get_att_##c_type(int, int, const char*, T*); \
  ESKER_PNETCDF_DEFINE_FORTRAN_AS(put_att_##type, put_att_##c_type, \
      (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, const MPI_Fint* xtype, const MPI_Offset* n, \
       const T* values, int length), \
      (*ncid, *varid - 1, Text(name, length), *xtype, *n, values)) \
  ESKER_PNETCDF_DEFINE_FORTRAN_AS(get_att_##type, get_att_##c_type, \
      (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, T* values, int length), \
      (*ncid, *varid - 1, Text(name, length), values))
// clang-format on

extern "C" {
ESKER_PNETCDF_FORTRAN(ESKER_PNETCDF_DEFINE_FORTRAN)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(int1, schar, signed char)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(int2, short, short)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(int, int, int)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(real, float, float)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(double, double, double)
ESKER_PNETCDF_FORTRAN_ATTRIBUTE_AS(int8, longlong, long long)

int ncmpi_put_att_text(int, int, const char*, MPI_Offset, const char*);
int ncmpi_get_att_text(int, int, const char*, char*);

int nfmpi_put_att_text_(const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, const MPI_Offset* n,
                        const char* values, int length, int /*length_of_values*/) {
  return guarded([&] { return ncmpi_put_att_text(*ncid, *varid - 1, Text(name, length), *n, values); });
}

int nfmpi_get_att_text_(const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, char* values,
                        int length, int /*length_of_values*/) {
  return guarded([&] { return ncmpi_get_att_text(*ncid, *varid - 1, Text(name, length), values); });
}

int nfmpi_issyserr_(const MPI_Fint* error) { return *error > 0 ? 1 : 0; }

int nfmpi_xstrerror_(const MPI_Fint* error, char* text, int length) {
  give_text(ncmpi_strerror(*error), text, length);
  return NC_NOERR;
}

int nfmpi_xstrerrno_(const MPI_Fint* error, char* text, int length) {
  give_text(ncmpi_strerrno(*error), text, length);
  return NC_NOERR;
}

int nfmpi_xinq_libvers_(char* text, int length) {
  give_text(ncmpi_inq_libvers(), text, length);
  return NC_NOERR;
}

// Functions of type character(80): the result and its length come first.
void nfmpi_strerror_(char* result, int length, const MPI_Fint* error) {
  give_text(ncmpi_strerror(*error), result, length);
}
void nfmpi_strerrno_(char* result, int length, const MPI_Fint* error) { give_name(*error, result, length); }
void nfmpi_inq_libvers_(char* result, int length) { give_text(ncmpi_inq_libvers(), result, length); }

ESKER_PNETCDF_FORTRAN90_ALIKE(ESKER_PNETCDF_ALIAS)
ESKER_PNETCDF_FORTRAN90_FILL(ESKER_PNETCDF_ALIAS_FILL)
}
