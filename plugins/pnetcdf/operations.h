// The transfers of PnetCDF's interface: one list, from which macros make its C functions (c_transfers.cc) and
// its Fortran procedures (fortran_transfers.cc).
#pragma once

// clang-format off
// A row is X(verb, form, direction, time):
//   verb       put, get; iput, iget, bput: pending until wait; mput, mget: several variables, not in Fortran
//   form       which values: var all, var1 one, vara a box, vars with strides, varm also with a map of memory,
//              varn several boxes, vard an MPI datatype
//   direction  In: the caller's values are read; Out: they are written
//   time       Now: moved by the call; in C each row is a function per type of ESKER_PNETCDF_C_TYPES and a flexible one
//              (a number of values of an MPI datatype), each alone and with _all (collective). Later: pending, with a
//              number of the request. Many: as Now, with lists of variables. Never: flexible only, and not offered.
#define ESKER_PNETCDF_TRANSFERS(X) \
  X(put, var, In, Now) X(put, var1, In, Now) X(put, vara, In, Now) X(put, vars, In, Now) X(put, varm, In, Now) \
  X(put, varn, In, Now) X(put, vard, In, Never) \
  X(get, var, Out, Now) X(get, var1, Out, Now) X(get, vara, Out, Now) X(get, vars, Out, Now) X(get, varm, Out, Now) \
  X(get, varn, Out, Now) X(get, vard, Out, Never) \
  X(iput, var, In, Later) X(iput, var1, In, Later) X(iput, vara, In, Later) X(iput, vars, In, Later) \
  X(iput, varm, In, Later) X(iput, varn, In, Later) \
  X(iget, var, Out, Later) X(iget, var1, Out, Later) X(iget, vara, Out, Later) X(iget, vars, Out, Later) \
  X(iget, varm, Out, Later) X(iget, varn, Out, Later) \
  X(bput, var, In, Later) X(bput, var1, In, Later) X(bput, vara, In, Later) X(bput, vars, In, Later) \
  X(bput, varm, In, Later) X(bput, varn, In, Later) \
  X(mput, var, In, Many) X(mput, var1, In, Many) X(mput, vara, In, Many) X(mput, vars, In, Many) \
  X(mput, varm, In, Many) \
  X(mget, var, Out, Many) X(mget, var1, Out, Many) X(mget, vara, Out, Many) X(mget, vars, Out, Many) \
  X(mget, varm, Out, Many)

// Types of values in memory: Y(..., name in the interface, C type). The other arguments are passed through.
#define ESKER_PNETCDF_C_TYPES(Y, ...) Y(__VA_ARGS__, text, char) ESKER_PNETCDF_C_NUMBERS(Y, __VA_ARGS__)
#define ESKER_PNETCDF_C_NUMBERS(Y, ...) \
  Y(__VA_ARGS__, schar, signed char) Y(__VA_ARGS__, uchar, unsigned char) \
  Y(__VA_ARGS__, short, short) Y(__VA_ARGS__, ushort, unsigned short) Y(__VA_ARGS__, int, int) \
  Y(__VA_ARGS__, uint, unsigned int) Y(__VA_ARGS__, long, long) Y(__VA_ARGS__, float, float) \
  Y(__VA_ARGS__, double, double) Y(__VA_ARGS__, longlong, long long) Y(__VA_ARGS__, ulonglong, unsigned long long)
// Those of Fortran, without text, whose procedures have the length as one more argument.
#define ESKER_PNETCDF_FORTRAN_NUMBERS(Y, ...) \
  Y(__VA_ARGS__, int1, signed char) Y(__VA_ARGS__, int2, short) Y(__VA_ARGS__, int, int) \
  Y(__VA_ARGS__, real, float) Y(__VA_ARGS__, double, double) Y(__VA_ARGS__, int8, long long)
// clang-format on
