#include "input.h"

#include <netcdf.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace pism {
namespace {

/// An open netCDF file, closed on the way out.
class File {
 public:
  explicit File(const std::string& path) : path_(path) {
    check(nc_open(path.c_str(), NC_NOWRITE, &id_), "open");
  }
  ~File() { nc_close(id_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void check(int status, const std::string& what) const {
    if (status != NC_NOERR) throw std::runtime_error(path_ + ": " + what + ": " + nc_strerror(status));
  }
  [[nodiscard]] int id() const { return id_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int id_ = -1;
};

int variable(const File& file, const std::string& name) {
  int id = -1;
  file.check(nc_inq_varid(file.id(), name.c_str(), &id), "variable " + name);
  return id;
}

/// Dimensions (y, x) of a variable of rank 2.
std::array<int, 2> plane(const File& file, const std::string& name) {
  int rank = 0;
  std::array<int, 2> dims{};
  const int id = variable(file, name);
  file.check(nc_inq_varndims(file.id(), id, &rank), name);
  if (rank != 2)
    throw std::runtime_error(file.path() + ": variable " + name + " must have dimensions (y, x)");
  file.check(nc_inq_vardimid(file.id(), id, dims.data()), name);
  return dims;
}

/// An error unless the variable's units, where it has them, are metres.
void require_metres(const File& file, int id, const std::string& name) {
  std::size_t length = 0;
  if (nc_inq_attlen(file.id(), id, "units", &length) != NC_NOERR) return;
  std::string units(length, ' ');
  file.check(nc_get_att_text(file.id(), id, "units", units.data()), name + ":units");
  while (!units.empty() && units.back() == '\0') units.pop_back();
  if (units != "m")
    throw std::runtime_error(file.path() + ": units of " + name + " are '" + units + "', expected 'm'");
}

/// Every `coarsen`-th value of the coordinate variable of dimension `dim`.
std::vector<double> axis(const File& file, int dim, Index coarsen) {
  std::array<char, NC_MAX_NAME + 1> name{};
  std::size_t length = 0;
  file.check(nc_inq_dim(file.id(), dim, name.data(), &length), "dimension");
  const int id = variable(file, name.data());
  require_metres(file, id, name.data());
  const std::size_t start = 0, count = (length + coarsen - 1) / coarsen;
  const std::ptrdiff_t stride = coarsen;
  std::vector<double> values(count);
  file.check(nc_get_vars_double(file.id(), id, &start, &count, &stride, values.data()), name.data());
  return values;
}

}  // namespace

InputAxes read_axes(const std::string& path, Index coarsen) {
  const File file(path);
  const auto dims = plane(file, "thk");
  if (plane(file, "topg") != dims)
    throw std::runtime_error(path + ": topg and thk have different dimensions");
  return {axis(file, dims[1], coarsen), axis(file, dims[0], coarsen)};
}

void read_map(const std::string& path, const std::string& name, Index coarsen, const Grid& grid,
              Array<double>& map) {
  const File file(path);
  const int id = variable(file, name);
  require_metres(file, id, name);
  constexpr double kLargest = 1e30;  // beyond it lie netCDF's default fill values
  double missing = NC_FILL_DOUBLE;
  nc_get_att_double(file.id(), id, "_FillValue", &missing);  // stays as it is where there is none
  const std::size_t columns = grid.xm;
  const std::ptrdiff_t stride[] = {coarsen, coarsen};
  for (Index j = 0; j < grid.ym; ++j) {
    const std::size_t start[] = {static_cast<std::size_t>((grid.ys + j) * coarsen),
                                 static_cast<std::size_t>(grid.xs * coarsen)};
    const std::size_t count[] = {1, columns};
    file.check(nc_get_vars_double(file.id(), id, start, count, stride, map.column(0, j)), name);
    for (Index i = 0; i < grid.xm; ++i) {
      if (std::abs(map(i, j)) < kLargest && map(i, j) != missing) continue;
      throw std::runtime_error(path + ": " + name + " has no value at x " +
                               std::to_string(start[1] + i * coarsen) + ", y " + std::to_string(start[0]));
    }
  }
}

}  // namespace pism
