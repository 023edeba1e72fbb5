// PnetCDF: CDF-5 files through its flexible interface, which takes memory as an MPI datatype describes it.
#include <pnetcdf.h>

#include <map>
#include <stdexcept>

#include "peer_case.h"

namespace bench {
namespace {

void check(int status, const std::string& what) {
  if (status != NC_NOERR) throw std::runtime_error("pnetcdf: " + what + ": " + ncmpi_strerror(status));
}

/// The samples of a field in the order of the file, from where they stand in memory.
class MemoryType {
 public:
  MemoryType(const FieldMemory& field, const Variable& variable)
      : num_values_(variable.is_dense ? field.num_samples() : field.num_samples() > 0) {
    if (variable.is_dense) return;
    MPI_Type_dup(MPI_DOUBLE, &type_);
    for (int a = 0; a < field.box.rank; ++a) repeat(field.box.extent(a), field.strides[a]);
    if (field.components > 1) repeat(field.components, field.component_stride);
    MPI_Type_commit(&type_);
    is_derived_ = true;
  }
  MemoryType(MemoryType&& other) noexcept
      : type_(other.type_), num_values_(other.num_values_), is_derived_(other.is_derived_) {
    other.is_derived_ = false;
  }
  MemoryType(const MemoryType&) = delete;
  MemoryType& operator=(const MemoryType&) = delete;
  ~MemoryType() {
    if (is_derived_) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  /// How many of type() there are.
  [[nodiscard]] MPI_Offset num_values() const { return num_values_; }

 private:
  /// `count` of what type_ is, `stride` samples apart.
  void repeat(Index count, Index stride) {
    MPI_Datatype inner = type_;
    MPI_Type_create_hvector(static_cast<int>(count), 1, stride * MPI_Aint{sizeof(double)}, inner, &type_);
    MPI_Type_free(&inner);
  }

  MPI_Datatype type_ = MPI_DOUBLE;
  MPI_Offset num_values_;
  bool is_derived_ = false;
};

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
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      types_.emplace_back(workload.fields[f], variables()[f]);
      regions_.emplace_back(variables()[f]);
    }
  }

  void write_step(const Workload& workload, Index step) override {
    int file = -1;
    check(ncmpi_create(comm(), new_path(step).c_str(), NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file),
          "create");
    const std::vector<int> ids = define(file);
    for (std::size_t f = 0; f < ids.size(); ++f) put(file, ids[f], f, workload.fields[f].samples.data());
    finish(file);
  }

  void read_step(const Workload&, Index step, Samples& samples) override {
    int file = -1;
    check(ncmpi_open(comm(), path(step).c_str(), NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    for (std::size_t f = 0; f < samples.size(); ++f) {
      int id = -1;
      check(ncmpi_inq_varid(file, variables()[f].name.c_str(), &id), "find " + variables()[f].name);
      get(file, id, f, samples[f].data());
    }
    finish(file);
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
    const Region& at = regions_[f];
    const MemoryType& memory = types_[f];
    const int status = blocking_ ? ncmpi_put_vara_all(file, id, at.start.data(), at.count.data(), samples,
                                                      memory.num_values(), memory.type())
                                 : ncmpi_iput_vara(file, id, at.start.data(), at.count.data(), samples,
                                                   memory.num_values(), memory.type(), nullptr);
    check(status, "write " + variables()[f].name);
  }

  void get(int file, int id, std::size_t f, double* samples) {
    const Region& at = regions_[f];
    const MemoryType& memory = types_[f];
    const int status = blocking_ ? ncmpi_get_vara_all(file, id, at.start.data(), at.count.data(), samples,
                                                      memory.num_values(), memory.type())
                                 : ncmpi_iget_vara(file, id, at.start.data(), at.count.data(), samples,
                                                   memory.num_values(), memory.type(), nullptr);
    check(status, "read " + variables()[f].name);
  }

  void finish(int file) {
    if (!blocking_) check(ncmpi_wait_all(file, NC_REQ_ALL, nullptr, nullptr), "wait");
    check(ncmpi_close(file), "close");
  }

  bool blocking_;
  std::vector<MemoryType> types_;
  std::vector<Region> regions_;
};

}  // namespace

std::unique_ptr<Case> pnetcdf_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                   bool blocking) {
  return std::make_unique<PnetcdfCase>(comm, directory, workload, blocking);
}

std::string pnetcdf_version() { return PNETCDF_VERSION; }

}  // namespace bench
