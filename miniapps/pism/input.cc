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

/// Rows of a variable of rank 2, columns `first` ... `first` + `count` - 1 of it.
class Rows {
 public:
  Rows(const File& file, const std::string& name, Index first, Index count)
      : file_(file), name_(name), id_(variable(file, name)), first_(first), row_(count) {
    require_metres(file, id_, name);
    nc_get_att_double(file.id(), id_, "_FillValue", &missing_);  // stays as it is where there is none
  }

  void read(Index y) {
    y_ = y;
    const std::size_t start[] = {static_cast<std::size_t>(y), static_cast<std::size_t>(first_)};
    const std::size_t count[] = {1, row_.size()};
    file_.check(nc_get_vara_double(file_.id(), id_, start, count, row_.data()), name_);
  }

  /// Value in column `x` of the file of the row that was read.
  [[nodiscard]] double at(Index x) const {
    constexpr double kLargest = 1e30;  // beyond it lie netCDF's default fill values
    const double value = row_[x - first_];
    if (std::abs(value) < kLargest && value != missing_) return value;
    throw std::runtime_error(file_.path() + ": " + name_ + " has no value at x " + std::to_string(x) +
                             ", y " + std::to_string(y_));
  }

  [[nodiscard]] double sum(const Stencil& x) const {
    double sum = x.weights[0] * at(x.first);
    for (std::size_t n = 1; n < x.weights.size(); ++n) {
      sum += x.weights[n] * at(x.first + static_cast<Index>(n));
    }
    return sum;
  }

 private:
  const File& file_;
  std::string name_;
  int id_;
  Index first_, y_ = 0;
  double missing_ = NC_FILL_DOUBLE;
  std::vector<double> row_;
};

}  // namespace

InputAxes read_axes(const std::string& path, Index coarsen) {
  const File file(path);
  const auto dims = plane(file, "thk");
  if (plane(file, "topg") != dims)
    throw std::runtime_error(path + ": topg and thk have different dimensions");
  return {axis(file, dims[1], coarsen), axis(file, dims[0], coarsen)};
}

void read_map(const std::string& path, const std::string& name, const Grid& grid, Sampling sampling,
              Array<double>& map) {
  const File file(path);
  const auto dims = plane(file, name);
  const auto along_x = resampling_stencils(axis(file, dims[1], 1), grid.x, grid.xs, grid.xm, sampling);
  const auto along_y = resampling_stencils(axis(file, dims[0], 1), grid.y, grid.ys, grid.ym, sampling);
  const Index first = along_x.front().first;
  const Index end = along_x.back().first + static_cast<Index>(along_x.back().weights.size());
  Rows rows(file, name, first, end - first);
  for (Index j = 0; j < grid.ym; ++j) {
    const Stencil& y = along_y[j];
    for (std::size_t n = 0; n < y.weights.size(); ++n) {
      rows.read(y.first + static_cast<Index>(n));
      for (Index i = 0; i < grid.xm; ++i) {
        const double part = y.weights[n] * rows.sum(along_x[i]);
        map(i, j) = n == 0 ? part : map(i, j) + part;
      }
    }
  }
}

}  // namespace pism
