// netCDF on parallel HDF5: contiguous variables of NetCDF-4 files, written and read collectively.
#include "netcdf_file.h"

namespace bench {
namespace {

class Netcdf4Case final : public PeerCase {
 public:
  Netcdf4Case(MPI_Comm comm, const std::string& directory, const Workload& workload)
      : PeerCase(comm, "netcdf4", directory, workload) {}

  void write_step(const Workload& workload, Index step) override {
    NetcdfFile file = NetcdfFile::create(new_path(step), comm());
    std::vector<int> ids;
    for (const Variable& v : variables()) ids.push_back(file.define(v));
    file.end_definitions();
    for (std::size_t f = 0; f < ids.size(); ++f) {
      file.put(ids[f], variables()[f].part, in_file_order(workload.fields[f], f));
    }
    file.close();
  }

  [[nodiscard]] bool reads_levels() const override { return true; }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    NetcdfFile file = NetcdfFile::open(path(step), comm());
    for (std::size_t f = 0; f < samples.size(); ++f) {
      const Variable v = variable_of(workload, workload.fields[f]);
      file.get(file.find(v), v.part, target(samples, f));
      to_memory(workload.fields[f], samples, f);
    }
    file.close();
  }
};

}  // namespace

std::unique_ptr<Case> netcdf4_case(MPI_Comm comm, const std::string& directory, const Workload& workload) {
  return std::make_unique<Netcdf4Case>(comm, directory, workload);
}

std::string netcdf_version() {
  const std::string version = nc_inq_libvers();  // "4.9.0 of Aug ..."
  return version.substr(0, version.find(' '));
}

}  // namespace bench
