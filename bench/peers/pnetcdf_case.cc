// PnetCDF: CDF-5 or CDF-2 files, written and read by blocking or by non-blocking collective calls.
#include <pnetcdf.h>

#include <map>
#include <stdexcept>

#include "peer_case.h"

namespace bench {
namespace {

void check_pnetcdf(int status, const std::string& what) {
  if (status != NC_NOERR) throw std::runtime_error("pnetcdf: " + what + ": " + ncmpi_strerror(status));
}

const char* name_of(PnetcdfStyle style) {
  switch (style) {
    case PnetcdfStyle::kCdf5:
      return "pnetcdf";
    case PnetcdfStyle::kCdf5Nonblocking:
      return "pnetcdf_nonblocking";
    case PnetcdfStyle::kCdf2:
      return "pnetcdf_cdf2";
  }
  return "";
}

class PnetcdfCase final : public PeerCase {
 public:
  PnetcdfCase(MPI_Comm comm, const std::string& directory, const Workload& workload, PnetcdfStyle style)
      : PeerCase(comm, name_of(style), directory, workload),
        blocking_(style != PnetcdfStyle::kCdf5Nonblocking),
        format_(style == PnetcdfStyle::kCdf2 ? NC_64BIT_OFFSET : NC_64BIT_DATA) {
    for (const Variable& v : variables()) places_.emplace_back(v.part);
  }

  void write_step(const Workload& workload, Index step) override {
    int file = -1;
    check_pnetcdf(ncmpi_create(comm(), new_path(step).c_str(), NC_CLOBBER | format_, MPI_INFO_NULL, &file),
                  "create");
    const std::vector<int> ids = define(file);
    for (std::size_t f = 0; f < ids.size(); ++f) put(file, ids[f], f, in_file_order(workload.fields[f], f));
    finish(file);
  }

  [[nodiscard]] bool reads_levels() const override { return true; }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    int file = -1;
    check_pnetcdf(ncmpi_open(comm(), path(step).c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    for (std::size_t f = 0; f < samples.size(); ++f) {
      int id = -1;
      check_pnetcdf(ncmpi_inq_varid(file, variables()[f].name.c_str(), &id), "find " + variables()[f].name);
      get(file, id, variable_of(workload, workload.fields[f]), target(samples, f));
    }
    finish(file);
    for (std::size_t f = 0; f < samples.size(); ++f) to_memory(workload.fields[f], samples, f);
  }

 private:
  std::vector<int> define(int file) {
    std::map<std::string, int> dims;
    const auto define_dim = [file](const std::string& name, Index extent) {
      int id = -1;
      check_pnetcdf(ncmpi_def_dim(file, name.c_str(), extent, &id), "dimension " + name);
      return id;
    };
    std::vector<int> ids;
    for (const Variable& v : variables()) {
      const std::vector<int> shape = dimension_ids(v, dims, define_dim);
      const int n_dims = static_cast<int>(shape.size());
      check_pnetcdf(
          ncmpi_def_var(file, v.name.c_str(), NC_DOUBLE, n_dims, shape.data(), &ids.emplace_back(-1)),
          "define " + v.name);
    }
    check_pnetcdf(ncmpi_enddef(file), "end of definitions");
    return ids;
  }

  void put(int file, int id, std::size_t f, const double* samples) {
    const MPI_Offset* start = places_[f].start.data();
    const MPI_Offset* count = places_[f].count.data();
    const int status = blocking_ ? ncmpi_put_vara_double_all(file, id, start, count, samples)
                                 : ncmpi_iput_vara_double(file, id, start, count, samples, nullptr);
    check_pnetcdf(status, "write " + variables()[f].name);
  }

  void get(int file, int id, const Variable& v, double* samples) {
    const Place place(v.part);
    const MPI_Offset* start = place.start.data();
    const MPI_Offset* count = place.count.data();
    const MPI_Offset* stride = v.part.is_strided() ? place.stride.data() : nullptr;
    const int status = blocking_ ? ncmpi_get_vars_double_all(file, id, start, count, stride, samples)
                                 : ncmpi_iget_vars_double(file, id, start, count, stride, samples, nullptr);
    check_pnetcdf(status, "read " + v.name);
  }

  void finish(int file) {
    if (!blocking_) check_pnetcdf(ncmpi_wait_all(file, NC_REQ_ALL, nullptr, nullptr), "wait");
    check_pnetcdf(ncmpi_close(file), "close");
  }

  /// Start and count of a variable's part, in PnetCDF's types.
  struct Place {
    explicit Place(const Region& part)
        : start(part.starts<MPI_Offset>()),
          count(part.counts<MPI_Offset>()),
          stride(part.strides<MPI_Offset>()) {}
    std::vector<MPI_Offset> start, count, stride;
  };

  bool blocking_;
  int format_;
  std::vector<Place> places_;
};

}  // namespace

std::unique_ptr<Case> pnetcdf_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                   PnetcdfStyle style) {
  return std::make_unique<PnetcdfCase>(comm, directory, workload, style);
}

std::string pnetcdf_version() { return PNETCDF_VERSION; }

}  // namespace bench
