// PnetCDF: CDF-5 files, written and read by blocking or by non-blocking collective calls.
#include <pnetcdf.h>

#include <map>
#include <stdexcept>

#include "peer_case.h"

namespace bench {
namespace {

void check(int status, const std::string& what) {
  if (status != NC_NOERR) throw std::runtime_error("pnetcdf: " + what + ": " + ncmpi_strerror(status));
}

/// Where a variable's part lies, as PnetCDF takes it.
struct Region {
  explicit Region(const Variable& v)
      : start(v.start.begin(), v.start.end()), count(v.count.begin(), v.count.end()) {}
  std::vector<MPI_Offset> start, count;
};

class PnetcdfCase final : public PeerCase {
 public:
  PnetcdfCase(MPI_Comm comm, const std::string& directory, const Workload& workload, bool blocking)
      : PeerCase(comm, blocking ? "pnetcdf" : "pnetcdf_nonblocking", directory, workload),
        blocking_(blocking) {
    for (const Variable& v : variables()) regions_.emplace_back(v);
  }

  void write_step(const Workload& workload, Index step) override {
    int file = -1;
    check(ncmpi_create(comm(), new_path(step).c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file),
          "create");
    const std::vector<int> ids = define(file);
    for (std::size_t f = 0; f < ids.size(); ++f) put(file, ids[f], f, in_file_order(workload.fields[f], f));
    finish(file);
  }

  void read_step(const Workload& workload, Index step, Samples& samples) override {
    int file = -1;
    check(ncmpi_open(comm(), path(step).c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    for (std::size_t f = 0; f < samples.size(); ++f) {
      int id = -1;
      check(ncmpi_inq_varid(file, variables()[f].name.c_str(), &id), "find " + variables()[f].name);
      get(file, id, f, target(samples, f));
    }
    finish(file);
    for (std::size_t f = 0; f < samples.size(); ++f) to_memory(workload.fields[f], samples, f);
  }

 private:
  std::vector<int> define(int file) {
    std::map<std::string, int> dims;
    std::vector<int> ids;
    for (const Variable& v : variables()) {
      std::vector<int> shape;
      for (std::size_t d = 0; d < v.dims.size(); ++d) {
        const auto [found, is_new] = dims.try_emplace(v.dims[d], -1);
        if (is_new) check(ncmpi_def_dim(file, v.dims[d].c_str(), v.shape[d], &found->second), "dimension");
        shape.push_back(found->second);
      }
      const int n_dims = static_cast<int>(shape.size());
      check(ncmpi_def_var(file, v.name.c_str(), NC_DOUBLE, n_dims, shape.data(), &ids.emplace_back(-1)),
            "define " + v.name);
    }
    check(ncmpi_enddef(file), "end of definitions");
    return ids;
  }

  void put(int file, int id, std::size_t f, const double* samples) {
    const MPI_Offset* start = regions_[f].start.data();
    const MPI_Offset* count = regions_[f].count.data();
    const int status = blocking_ ? ncmpi_put_vara_double_all(file, id, start, count, samples)
                                 : ncmpi_iput_vara_double(file, id, start, count, samples, nullptr);
    check(status, "write " + variables()[f].name);
  }

  void get(int file, int id, std::size_t f, double* samples) {
    const MPI_Offset* start = regions_[f].start.data();
    const MPI_Offset* count = regions_[f].count.data();
    const int status = blocking_ ? ncmpi_get_vara_double_all(file, id, start, count, samples)
                                 : ncmpi_iget_vara_double(file, id, start, count, samples, nullptr);
    check(status, "read " + variables()[f].name);
  }

  void finish(int file) {
    if (!blocking_) check(ncmpi_wait_all(file, NC_REQ_ALL, nullptr, nullptr), "wait");
    check(ncmpi_close(file), "close");
  }

  bool blocking_;
  std::vector<Region> regions_;
};

}  // namespace

std::unique_ptr<Case> pnetcdf_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                   bool blocking) {
  return std::make_unique<PnetcdfCase>(comm, directory, workload, blocking);
}

std::string pnetcdf_version() { return PNETCDF_VERSION; }

}  // namespace bench
