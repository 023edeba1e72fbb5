// MPI-IO: one plain file, its fields one after the other in row-major order, written and read collectively.
#include <stdexcept>
#include <utility>

#include "peer_case.h"

namespace bench {
namespace {

void check_mpi(int status, const std::string& what) {
  if (status != MPI_SUCCESS) throw std::runtime_error("MPI-IO: " + what);
}

/// Datatype of the samples of a region within its variable.
class RegionType {
 public:
  RegionType(const Region& region, const std::vector<Index>& shape) {
    MPI_Type_dup(MPI_DOUBLE, &type_);
    Index sample_bytes = sizeof(double);  // from one to the next along a dimension
    for (std::size_t d = shape.size(); d-- > 0; sample_bytes *= shape[d]) {
      MPI_Datatype inner = type_;
      MPI_Type_create_hvector(static_cast<int>(region.count[d]), 1,
                              static_cast<MPI_Aint>(region.stride[d] * sample_bytes), inner, &type_);
      MPI_Type_free(&inner);
      first_bytes_ += region.start[d] * sample_bytes;
    }
    MPI_Datatype whole = type_;  // from the first sample of the variable
    const int length = 1;
    const auto place = static_cast<MPI_Aint>(first_bytes_);
    MPI_Type_create_hindexed(1, &length, &place, whole, &type_);
    MPI_Type_free(&whole);
    MPI_Type_commit(&type_);
  }
  RegionType(const RegionType&) = delete;
  RegionType& operator=(const RegionType&) = delete;
  ~RegionType() { MPI_Type_free(&type_); }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Index first_bytes_ = 0;
};

/// An MPI file; closed on destruction, which is collective.
class File {
 public:
  File(MPI_Comm comm, const std::string& path, int mode) {
    check_mpi(MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file_), "open " + path);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { MPI_File_close(&file_); }

  /// Sets the file view to the region of `v`, which begins at `offset_bytes`. Returns its number of samples.
  int view(const Variable& v, Index offset_bytes) {
    Index count = 1;
    for (const Index n : v.part.count) count *= n;
    const RegionType type(v.part, v.shape);
    check_mpi(MPI_File_set_view(file_, offset_bytes, MPI_DOUBLE, count > 0 ? MPI_Datatype(type) : MPI_DOUBLE,
                                "native", MPI_INFO_NULL),
              "set the file view for " + v.name);
    return static_cast<int>(count);
  }
  operator MPI_File() const { return file_; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

Index bytes_of(const Variable& v) {
  Index bytes = sizeof(double);
  for (const Index n : v.shape) bytes *= n;
  return bytes;
}

class MpiIoCase final : public PeerCase {
 public:
  MpiIoCase(MPI_Comm comm, const std::string& directory, const Workload& workload)
      : PeerCase(comm, "mpi_io", directory, workload) {}

  void write_step(const Workload& workload, Index step) override {
    File file(comm(), new_path(step), MPI_MODE_CREATE | MPI_MODE_WRONLY);
    Index offset = 0;
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const Variable& v = variables()[f];
      const double* samples = in_file_order(workload.fields[f], f);
      const int count = file.view(v, offset);
      check_mpi(MPI_File_write_all(file, samples, count, MPI_DOUBLE, MPI_STATUS_IGNORE), "write " + v.name);
      offset += bytes_of(v);
    }
  }

  [[nodiscard]] bool reads_levels() const override { return true; }
  void read_step(const Workload& workload, Index step, Samples& samples) override {
    File file(comm(), path(step), MPI_MODE_RDONLY);
    Index offset = 0;
    for (std::size_t f = 0; f < workload.fields.size(); ++f) {
      const Variable v = variable_of(workload, workload.fields[f]);
      const int count = file.view(v, offset);
      check_mpi(MPI_File_read_all(file, target(samples, f), count, MPI_DOUBLE, MPI_STATUS_IGNORE),
                "read " + v.name);
      to_memory(workload.fields[f], samples, f);
      offset += bytes_of(v);
    }
  }
};

}  // namespace

std::unique_ptr<Case> mpi_io_case(MPI_Comm comm, const std::string& directory, const Workload& workload) {
  return std::make_unique<MpiIoCase>(comm, directory, workload);
}

}  // namespace bench
