// The Fortran procedures other than transfers and typed attributes: name, arguments in Fortran, arguments of
// the C function (fortran.h says what the classes do).
#pragma once

// clang-format off
#define ESKER_PNETCDF_FORTRAN(X) \
  X(create, (const MPI_Fint* comm, const char* path, const MPI_Fint* cmode, const MPI_Fint* info, MPI_Fint* ncid, \
       int path_length), \
     (MPI_Comm_f2c(*comm), Text(path, path_length), *cmode, MPI_Info_f2c(*info), ncid)) \
  X(open, (const MPI_Fint* comm, const char* path, const MPI_Fint* omode, const MPI_Fint* info, MPI_Fint* ncid, \
       int path_length), \
     (MPI_Comm_f2c(*comm), Text(path, path_length), *omode, MPI_Info_f2c(*info), ncid)) \
  X(inq_file_info, (const MPI_Fint* ncid, MPI_Fint* info_used), (*ncid, InfoResult(info_used))) \
  X(get_file_info, (const MPI_Fint* ncid, MPI_Fint* info_used), (*ncid, InfoResult(info_used))) \
  X(delete, (const char* filename, const MPI_Fint* info, int filename_length), \
     (Text(filename, filename_length), MPI_Info_f2c(*info))) \
  X(enddef, (const MPI_Fint* ncid), (*ncid)) \
  X(_enddef, (const MPI_Fint* ncid, const MPI_Offset* h_minfree, const MPI_Offset* v_align, \
       const MPI_Offset* v_minfree, const MPI_Offset* r_align), \
     (*ncid, *h_minfree, *v_align, *v_minfree, *r_align)) \
  X(redef, (const MPI_Fint* ncid), (*ncid)) \
  X(set_default_format, (const MPI_Fint* format, MPI_Fint* old_format), (*format, old_format)) \
  X(inq_default_format, (MPI_Fint* format), (format)) \
  X(sync, (const MPI_Fint* ncid), (*ncid)) \
  X(flush, (const MPI_Fint* ncid), (*ncid)) \
  X(sync_numrecs, (const MPI_Fint* ncid), (*ncid)) \
  X(abort, (const MPI_Fint* ncid), (*ncid)) \
  X(begin_indep_data, (const MPI_Fint* ncid), (*ncid)) \
  X(end_indep_data, (const MPI_Fint* ncid), (*ncid)) \
  X(close, (const MPI_Fint* ncid), (*ncid)) \
  X(set_fill, (const MPI_Fint* ncid, const MPI_Fint* fillmode, MPI_Fint* old_mode), (*ncid, *fillmode, old_mode)) \
  X(def_var_fill, (const MPI_Fint* ncid, const MPI_Fint* varid, const MPI_Fint* no_fill, const void* fill_value), \
     (*ncid, *varid - 1, *no_fill, fill_value)) \
  X(fill_var_rec, (const MPI_Fint* ncid, const MPI_Fint* varid, const MPI_Offset* recno), \
     (*ncid, *varid - 1, *recno - 1)) \
  X(def_dim, (const MPI_Fint* ncid, const char* name, const MPI_Offset* len, MPI_Fint* id, int name_length), \
     (*ncid, Text(name, name_length), *len, NumberResult(id))) \
  X(def_var, (const MPI_Fint* ncid, const char* name, const MPI_Fint* xtype, const MPI_Fint* ndims, \
       const MPI_Fint* dimids, MPI_Fint* varid, int name_length), \
     (*ncid, Text(name, name_length), *xtype, *ndims, Dimensions(dimids, *ndims), NumberResult(varid))) \
  X(rename_dim, (const MPI_Fint* ncid, const MPI_Fint* dimid, const char* name, int name_length), \
     (*ncid, *dimid - 1, Text(name, name_length))) \
  X(rename_var, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length))) \
  X(inq, (const MPI_Fint* ncid, MPI_Fint* ndims, MPI_Fint* nvars, MPI_Fint* ngatts, MPI_Fint* unlimdimid), \
     (*ncid, ndims, nvars, ngatts, NumberResult(unlimdimid))) \
  X(inq_format, (const MPI_Fint* ncid, MPI_Fint* format), (*ncid, format)) \
  X(inq_file_format, (const char* filename, MPI_Fint* format, int filename_length), \
     (Text(filename, filename_length), format)) \
  X(inq_version, (const MPI_Fint* ncid, MPI_Fint* NC_mode), (*ncid, NC_mode)) \
  X(inq_striping, (const MPI_Fint* ncid, MPI_Fint* striping_size, MPI_Fint* striping_count), \
     (*ncid, striping_size, striping_count)) \
  X(inq_ndims, (const MPI_Fint* ncid, MPI_Fint* ndims), (*ncid, ndims)) \
  X(inq_nvars, (const MPI_Fint* ncid, MPI_Fint* nvars), (*ncid, nvars)) \
  X(inq_num_rec_vars, (const MPI_Fint* ncid, MPI_Fint* nvars), (*ncid, nvars)) \
  X(inq_num_fix_vars, (const MPI_Fint* ncid, MPI_Fint* nvars), (*ncid, nvars)) \
  X(inq_natts, (const MPI_Fint* ncid, MPI_Fint* ngatts), (*ncid, ngatts)) \
  X(inq_unlimdim, (const MPI_Fint* ncid, MPI_Fint* unlimdimid), (*ncid, NumberResult(unlimdimid))) \
  X(inq_dimid, (const MPI_Fint* ncid, const char* name, MPI_Fint* id, int name_length), \
     (*ncid, Text(name, name_length), NumberResult(id))) \
  X(inq_dim, (const MPI_Fint* ncid, const MPI_Fint* dimid, char* name, MPI_Offset* len, int name_length), \
     (*ncid, *dimid - 1, TextResult(name, name_length), len)) \
  X(inq_dimname, (const MPI_Fint* ncid, const MPI_Fint* dimid, char* name, int name_length), \
     (*ncid, *dimid - 1, TextResult(name, name_length))) \
  X(inq_dimlen, (const MPI_Fint* ncid, const MPI_Fint* dimid, MPI_Offset* len), (*ncid, *dimid - 1, len)) \
  X(inq_var, (const MPI_Fint* ncid, const MPI_Fint* varid, char* name, MPI_Fint* xtype, MPI_Fint* ndims, \
       MPI_Fint* dimids, MPI_Fint* natts, int name_length), \
     (*ncid, *varid - 1, TextResult(name, name_length), xtype, ndims, DimensionsResult(*ncid, *varid - 1, \
       dimids), natts)) \
  X(inq_varid, (const MPI_Fint* ncid, const char* name, MPI_Fint* varid, int name_length), \
     (*ncid, Text(name, name_length), NumberResult(varid))) \
  X(inq_varname, (const MPI_Fint* ncid, const MPI_Fint* varid, char* name, int name_length), \
     (*ncid, *varid - 1, TextResult(name, name_length))) \
  X(inq_vartype, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Fint* xtype), (*ncid, *varid - 1, xtype)) \
  X(inq_varndims, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Fint* ndims), (*ncid, *varid - 1, ndims)) \
  X(inq_vardimid, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Fint* dimids), \
     (*ncid, *varid - 1, DimensionsResult(*ncid, *varid - 1, dimids))) \
  X(inq_varnatts, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Fint* natts), (*ncid, *varid - 1, natts)) \
  X(inq_varoffset, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Offset* offset), (*ncid, *varid - 1, offset)) \
  X(inq_put_size, (const MPI_Fint* ncid, MPI_Offset* size), (*ncid, size)) \
  X(inq_get_size, (const MPI_Fint* ncid, MPI_Offset* size), (*ncid, size)) \
  X(inq_header_size, (const MPI_Fint* ncid, MPI_Offset* size), (*ncid, size)) \
  X(inq_header_extent, (const MPI_Fint* ncid, MPI_Offset* extent), (*ncid, extent)) \
  X(inq_malloc_size, (MPI_Offset* size), (size)) \
  X(inq_malloc_max_size, (MPI_Offset* size), (size)) \
  X(inq_malloc_list, (), ()) \
  X(inq_files_opened, (MPI_Fint* num, MPI_Fint* ncids), (num, ncids)) \
  X(inq_recsize, (const MPI_Fint* ncid, MPI_Offset* recsize), (*ncid, recsize)) \
  X(inq_var_fill, (const MPI_Fint* ncid, const MPI_Fint* varid, MPI_Fint* no_fill, void* fill_value), \
     (*ncid, *varid - 1, no_fill, fill_value)) \
  X(inq_path, (const MPI_Fint* ncid, MPI_Fint* pathlen, char* path, int path_length), \
     (*ncid, pathlen, TextResult(path, path_length))) \
  X(inq_att, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, MPI_Fint* xtype, MPI_Offset* len, \
       int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), xtype, len)) \
  X(inq_attid, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, MPI_Fint* id, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), NumberResult(id))) \
  X(inq_atttype, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, MPI_Fint* xtype, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), xtype)) \
  X(inq_attlen, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, MPI_Offset* len, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), len)) \
  X(inq_attname, (const MPI_Fint* ncid, const MPI_Fint* varid, const MPI_Fint* attnum, char* name, int name_length), \
     (*ncid, *varid - 1, *attnum - 1, TextResult(name, name_length))) \
  X(copy_att, (const MPI_Fint* ncid_in, const MPI_Fint* varid_in, const char* name, const MPI_Fint* ncid_out, \
       const MPI_Fint* varid_out, int name_length), \
     (*ncid_in, *varid_in - 1, Text(name, name_length), *ncid_out, *varid_out - 1)) \
  X(rename_att, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, const char* newname, \
       int name_length, int newname_length), \
     (*ncid, *varid - 1, Text(name, name_length), Text(newname, newname_length))) \
  X(del_att, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length))) \
  X(put_att, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, const MPI_Fint* xtype, \
       const MPI_Offset* nelems, const void* value, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), *xtype, *nelems, value)) \
  X(get_att, (const MPI_Fint* ncid, const MPI_Fint* varid, const char* name, void* value, int name_length), \
     (*ncid, *varid - 1, Text(name, name_length), value)) \
  X(wait, (const MPI_Fint* ncid, const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses), \
     (*ncid, *count, RequestCopy(requests, *count), statuses)) \
  X(wait_all, (const MPI_Fint* ncid, const MPI_Fint* count, MPI_Fint* requests, MPI_Fint* statuses), \
     (*ncid, *count, RequestCopy(requests, *count), statuses)) \
  X(cancel, (const MPI_Fint* ncid, const MPI_Fint* num, MPI_Fint* reqs, MPI_Fint* statuses), \
     (*ncid, *num, RequestCopy(reqs, *num), statuses)) \
  X(buffer_attach, (const MPI_Fint* ncid, const MPI_Offset* bufsize), (*ncid, *bufsize)) \
  X(buffer_detach, (const MPI_Fint* ncid), (*ncid)) \
  X(inq_buffer_usage, (const MPI_Fint* ncid, MPI_Offset* usage), (*ncid, usage)) \
  X(inq_buffer_size, (const MPI_Fint* ncid, MPI_Offset* buf_size), (*ncid, buf_size)) \
  X(inq_nreqs, (const MPI_Fint* ncid, MPI_Fint* nreqs), (*ncid, nreqs))

// Those that have the same arguments in Fortran 90.
#define ESKER_PNETCDF_FORTRAN90_ALIKE(X) \
  X(abort) X(begin_indep_data) X(buffer_attach) X(buffer_detach) X(close) X(copy_att) X(create) X(def_dim) X(del_att) \
  X(delete) X(end_indep_data) X(fill_var_rec) X(flush) X(get_file_info) X(inq_attname) X(inq_buffer_size) \
  X(inq_buffer_usage) X(inq_default_format) X(inq_dimid) X(inq_file_info) X(inq_get_size) X(inq_header_extent) \
  X(inq_header_size) X(inq_libvers) X(inq_malloc_list) X(inq_malloc_max_size) X(inq_malloc_size) X(inq_nreqs) \
  X(inq_num_fix_vars) X(inq_num_rec_vars) X(inq_path) X(inq_put_size) X(inq_recsize) X(inq_striping) X(inq_varid) \
  X(inq_varoffset) X(issyserr) X(open) X(redef) X(rename_att) X(rename_dim) X(rename_var) X(set_default_format) \
  X(set_fill) X(strerror) X(sync) X(sync_numrecs)
// Those of fill values have one name per type there.
#define ESKER_PNETCDF_FORTRAN90_FILL(X) \
  X(text) X(onebyteint) X(twobyteint) X(fourbyteint) X(eightbyteint) X(fourbytereal) X(eightbytereal)
// clang-format on
