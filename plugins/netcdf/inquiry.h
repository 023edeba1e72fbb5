// What netCDF's functions answer about a view: dimensions, variables, attributes, values.
//
// Arguments and codes are those of the functions of netCDF's table with the same names. Pointers for answers
// may be null.
#pragma once

#include <netcdf.h>

#include <cstddef>

#include "view.h"

namespace esker::netcdf_plugin {

int inq(const View& view, int* num_dims, int* num_variables, int* num_attributes, int* unlimited);
int inq_dimid(const View& view, const char* name, int* dim);
int inq_dim(const View& view, int dim, char* name, std::size_t* length);
int inq_dimids(const View& view, int* num_dims, int* dims);
int inq_unlimdims(const View& view, int* num_dims, int* dims);
int inq_varid(const View& view, const char* name, int* variable);
int inq_varids(const View& view, int* num_variables, int* variables);
int inq_var(const View& view, int variable, char* name, nc_type* type, int* num_dims, int* dims,
            int* num_attributes);
/// Variables with records are said to be in chunks of one record of at most 4 MiB, because programs copy
/// that to files; others are contiguous.
int inq_var_chunks(const View& view, int variable, int* contiguous, std::size_t* chunks);
int inq_var_fill(const View& view, int variable, void* value);

int inq_att(const View& view, int variable, const char* name, nc_type* type, std::size_t* length);
int inq_attid(const View& view, int variable, const char* name, int* number);
int inq_attname(const View& view, int variable, int number, char* name);
int get_att(const View& view, int variable, const char* name, void* value, nc_type type);

int inq_type(nc_type type, char* name, std::size_t* n_bytes);

/// `stride` and `map` may be null, as in nc_get_vara() and nc_get_vars().
int get(const View& view, int variable, const std::size_t* start, const std::size_t* count,
        const std::ptrdiff_t* stride, const std::ptrdiff_t* map, void* values, nc_type type);

}  // namespace esker::netcdf_plugin
