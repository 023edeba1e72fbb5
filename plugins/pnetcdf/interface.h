// The functions of PnetCDF's C interface, other than transfers (operations.h) and typed attributes
// (attributes.cc).
//
// They return 0 or an error of error_table.h. Numbers of files, dimensions, variables and attributes count
// from 0. Pointers for results may be null. The interface is PnetCDF's: its manual says what a function does.
#pragma once

#include <mpi.h>

extern "C" {
const char* ncmpi_strerror(int err);
const char* ncmpi_strerrno(int err);
int ncmpi_create(MPI_Comm comm, const char* path, int cmode, MPI_Info info, int* ncid);
int ncmpi_open(MPI_Comm comm, const char* path, int omode, MPI_Info info, int* ncid);
int ncmpi_inq_file_info(int ncid, MPI_Info* info_used);
int ncmpi_get_file_info(int ncid, MPI_Info* info_used);
int ncmpi_delete(const char* filename, MPI_Info info);
int ncmpi_enddef(int ncid);
int ncmpi__enddef(int ncid, MPI_Offset h_minfree, MPI_Offset v_align, MPI_Offset v_minfree,
                  MPI_Offset r_align);
int ncmpi_redef(int ncid);
int ncmpi_set_default_format(int format, int* old_format);
int ncmpi_inq_default_format(int* format);
int ncmpi_sync(int ncid);
int ncmpi_flush(int ncid);
int ncmpi_sync_numrecs(int ncid);
int ncmpi_abort(int ncid);
int ncmpi_begin_indep_data(int ncid);
int ncmpi_end_indep_data(int ncid);
int ncmpi_close(int ncid);
int ncmpi_set_fill(int ncid, int fillmode, int* old_mode);
int ncmpi_def_var_fill(int ncid, int varid, int no_fill, const void* fill_value);
int ncmpi_fill_var_rec(int ncid, int varid, MPI_Offset recno);
int ncmpi_def_dim(int ncid, const char* name, MPI_Offset len, int* id);
int ncmpi_def_var(int ncid, const char* name, int xtype, int ndims, const int* dimids, int* varid);
int ncmpi_rename_dim(int ncid, int dimid, const char* name);
int ncmpi_rename_var(int ncid, int varid, const char* name);
const char* ncmpi_inq_libvers(void);
int ncmpi_inq(int ncid, int* ndims, int* nvars, int* ngatts, int* unlimdimid);
int ncmpi_inq_format(int ncid, int* format);
int ncmpi_inq_file_format(const char* filename, int* format);
int ncmpi_inq_version(int ncid, int* NC_mode);
int ncmpi_inq_striping(int ncid, int* striping_size, int* striping_count);
int ncmpi_inq_ndims(int ncid, int* ndims);
int ncmpi_inq_nvars(int ncid, int* nvars);
int ncmpi_inq_num_rec_vars(int ncid, int* nvars);
int ncmpi_inq_num_fix_vars(int ncid, int* nvars);
int ncmpi_inq_natts(int ncid, int* ngatts);
int ncmpi_inq_unlimdim(int ncid, int* unlimdimid);
int ncmpi_inq_dimid(int ncid, const char* name, int* id);
int ncmpi_inq_dim(int ncid, int dimid, char* name, MPI_Offset* len);
int ncmpi_inq_dimname(int ncid, int dimid, char* name);
int ncmpi_inq_dimlen(int ncid, int dimid, MPI_Offset* len);
int ncmpi_inq_var(int ncid, int varid, char* name, int* xtype, int* ndims, int* dimids, int* natts);
int ncmpi_inq_varid(int ncid, const char* name, int* varid);
int ncmpi_inq_varname(int ncid, int varid, char* name);
int ncmpi_inq_vartype(int ncid, int varid, int* xtype);
int ncmpi_inq_varndims(int ncid, int varid, int* ndims);
int ncmpi_inq_vardimid(int ncid, int varid, int* dimids);
int ncmpi_inq_varnatts(int ncid, int varid, int* natts);
int ncmpi_inq_varoffset(int ncid, int varid, MPI_Offset* offset);
int ncmpi_inq_put_size(int ncid, MPI_Offset* size);
int ncmpi_inq_get_size(int ncid, MPI_Offset* size);
int ncmpi_inq_header_size(int ncid, MPI_Offset* size);
int ncmpi_inq_header_extent(int ncid, MPI_Offset* extent);
int ncmpi_inq_malloc_size(MPI_Offset* size);
int ncmpi_inq_malloc_max_size(MPI_Offset* size);
int ncmpi_inq_malloc_list(void);
int ncmpi_inq_files_opened(int* num, int* ncids);
int ncmpi_inq_recsize(int ncid, MPI_Offset* recsize);
int ncmpi_inq_var_fill(int ncid, int varid, int* no_fill, void* fill_value);
int ncmpi_inq_path(int ncid, int* pathlen, char* path);
int ncmpi_inq_att(int ncid, int varid, const char* name, int* xtype, MPI_Offset* len);
int ncmpi_inq_attid(int ncid, int varid, const char* name, int* id);
int ncmpi_inq_atttype(int ncid, int varid, const char* name, int* xtype);
int ncmpi_inq_attlen(int ncid, int varid, const char* name, MPI_Offset* len);
int ncmpi_inq_attname(int ncid, int varid, int attnum, char* name);
int ncmpi_copy_att(int ncid_in, int varid_in, const char* name, int ncid_out, int varid_out);
int ncmpi_rename_att(int ncid, int varid, const char* name, const char* newname);
int ncmpi_del_att(int ncid, int varid, const char* name);
int ncmpi_put_att(int ncid, int varid, const char* name, int xtype, MPI_Offset nelems, const void* value);
int ncmpi_get_att(int ncid, int varid, const char* name, void* value);
int ncmpi_wait(int ncid, int count, int* requests, int* statuses);
int ncmpi_wait_all(int ncid, int count, int* requests, int* statuses);
int ncmpi_cancel(int ncid, int num, int* reqs, int* statuses);
int ncmpi_buffer_attach(int ncid, MPI_Offset bufsize);
int ncmpi_buffer_detach(int ncid);
int ncmpi_inq_buffer_usage(int ncid, MPI_Offset* usage);
int ncmpi_inq_buffer_size(int ncid, MPI_Offset* buf_size);
int ncmpi_inq_nreqs(int ncid, int* nreqs);
}
