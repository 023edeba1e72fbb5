#include "netcdf_file.h"

#include <netcdf_par.h>

#include <stdexcept>

namespace bench {
namespace {

void check_netcdf(int status, const std::string& what) {
  if (status != NC_NOERR) throw std::runtime_error("netcdf: " + what + ": " + nc_strerror(status));
}

}  // namespace

NetcdfFile NetcdfFile::create(const std::string& path) {
  int number = -1, filled = 0;
  check_netcdf(nc_create(path.c_str(), NC_CLOBBER | NC_64BIT_DATA, &number), "create " + path);
  check_netcdf(nc_set_fill(number, NC_NOFILL, &filled), "leave out fill values");
  return {number, false};
}

NetcdfFile NetcdfFile::open(const std::string& path) {
  int number = -1;
  check_netcdf(nc_open(path.c_str(), NC_NOWRITE, &number), "open " + path);
  return {number, false};
}

NetcdfFile NetcdfFile::create(const std::string& path, MPI_Comm comm) {
  int number = -1;
  check_netcdf(nc_create_par(path.c_str(), NC_CLOBBER | NC_NETCDF4, comm, MPI_INFO_NULL, &number),
               "create " + path);
  return {number, true};
}

NetcdfFile NetcdfFile::open(const std::string& path, MPI_Comm comm) {
  int number = -1;
  check_netcdf(nc_open_par(path.c_str(), NC_NOWRITE, comm, MPI_INFO_NULL, &number), "open " + path);
  return {number, true};
}

int NetcdfFile::define(const Variable& variable) {
  const auto define_dim = [this](const std::string& name, Index extent) {
    int id = -1;
    check_netcdf(nc_def_dim(number_, name.c_str(), static_cast<std::size_t>(extent), &id),
                 "dimension " + name);
    return id;
  };
  const std::vector<int> shape = dimension_ids(variable, dims_, define_dim);
  int id = -1;
  check_netcdf(nc_def_var(number_, variable.name.c_str(), NC_DOUBLE, static_cast<int>(shape.size()),
                          shape.data(), &id),
               "define " + variable.name);
  if (!is_shared_) return id;
  check_netcdf(nc_def_var_fill(number_, id, NC_NOFILL, nullptr), "leave out fill values");
  access_together(id);
  return id;
}

void NetcdfFile::end_definitions() { check_netcdf(nc_enddef(number_), "end of definitions"); }

void NetcdfFile::end_definitions(std::size_t room_bytes) {
  constexpr std::size_t kAlignment = 4;  // of what follows the header: the format's own
  check_netcdf(nc__enddef(number_, room_bytes, kAlignment, 0, kAlignment), "end of definitions");
}

void NetcdfFile::redefine() { check_netcdf(nc_redef(number_), "enter define mode"); }

int NetcdfFile::find(const Variable& variable) const {
  int id = -1;
  check_netcdf(nc_inq_varid(number_, variable.name.c_str(), &id), "find " + variable.name);
  if (is_shared_) access_together(id);
  return id;
}

void NetcdfFile::put(int id, const Region& region, const double* samples) {
  check_netcdf(nc_put_vara_double(number_, id, region.starts<std::size_t>().data(),
                                  region.counts<std::size_t>().data(), samples),
               "write");
}

void NetcdfFile::get(int id, const Region& region, double* samples) const {
  const auto start = region.starts<std::size_t>(), count = region.counts<std::size_t>();
  const auto stride = region.strides<std::ptrdiff_t>();
  check_netcdf(region.is_strided()
                   ? nc_get_vars_double(number_, id, start.data(), count.data(), stride.data(), samples)
                   : nc_get_vara_double(number_, id, start.data(), count.data(), samples),
               "read");
}

void NetcdfFile::close() { check_netcdf(nc_close(number_), "close"); }

void NetcdfFile::access_together(int id) const {
  check_netcdf(nc_var_par_access(number_, id, NC_COLLECTIVE), "use collective access");
}

}  // namespace bench
