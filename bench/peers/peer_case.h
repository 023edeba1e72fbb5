// PeerCase: the base class of the cases that write through another library.
//
// All do what posix does, and the same is timed: each step has a separate file, which is created, defined,
// written and closed within write_step(), and opened, read and closed within read_step(). Samples are
// float64, stored row-major as (z,y,x) or (y,x); components are one more dimension, the slowest, as in
// S3D-IO's files: (component, z,y,x). Nothing is synced to the disk. No hints are set; ROMIO_HINTS and
// PNETCDF_HINTS apply as usual.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "case.h"

namespace bench {

/// Part of a variable; dimensions slowest first, as netCDF and HDF5 list them.
struct Region {
  std::vector<Index> start, count, stride;
  /// Converts to the unsigned or longer types that a library takes.
  template <class T>
  [[nodiscard]] std::vector<T> starts() const {
    return {start.begin(), start.end()};
  }
  template <class T>
  [[nodiscard]] std::vector<T> counts() const {
    return {count.begin(), count.end()};
  }
  template <class T>
  [[nodiscard]] std::vector<T> strides() const {
    return {stride.begin(), stride.end()};
  }
  [[nodiscard]] bool is_strided() const;
};

/// `box` of a field with all components, in samples of the field's level.
Region region_of(const FieldMemory& field, const Box& box);

/// One field in the file and the part of it that this rank holds; dimensions slowest first.
struct Variable {
  std::string name;
  std::vector<std::string> dims;
  std::vector<Index> shape;  ///< of the variable
  Region part;               ///< this rank's
  bool is_dense = false;     ///< the rank's memory has the file's order, and no gaps
};

Variable variable_of(const Workload& workload, const FieldMemory& field);

/// IDs of a variable's dimensions. `define(name, extent)` defines those that are not in `known`.
std::vector<int> dimension_ids(const Variable& variable, std::map<std::string, int>& known,
                               const std::function<int(const std::string&, Index)>& define);

/// One file per step; rank 0 accounts for its bytes.
class PeerCase : public Case {
 public:
  PeerCase(MPI_Comm comm, std::string name, const std::string& directory, const Workload& workload);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Index stored_bytes() const override;
  void remove() override;

 protected:
  [[nodiscard]] std::string path(Index step) const;
  /// The same for a file that is about to be written.
  [[nodiscard]] std::string new_path(Index step);
  /// The samples of field number f in the file's order, in their own memory or in a buffer.
  const double* in_file_order(const FieldMemory& field, std::size_t f);
  /// The memory to read field number f to, and the copy from there to `samples`.
  double* target(Samples& samples, std::size_t f);
  void to_memory(const FieldMemory& field, Samples& samples, std::size_t f) const;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

 private:
  double* buffer_of(std::size_t size, std::size_t f);

  MPI_Comm comm_;
  int rank_ = 0;
  std::string name_, directory_;
  std::vector<Variable> variables_;
  Samples buffers_;  // of fields that are transposed; kept, as a simulation would
  Index steps_ = 0;
};

/// MPI-IO without a format, collective: one call per field.
std::unique_ptr<Case> mpi_io_case(MPI_Comm comm, const std::string& directory, const Workload& workload);

/// PnetCDF, collective: one call per field, or non-blocking calls for all fields and one wait.
enum class PnetcdfStyle { kCdf5, kCdf5Nonblocking, kCdf2 };
std::unique_ptr<Case> pnetcdf_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                   PnetcdfStyle style);
/// "1.12.3"
std::string pnetcdf_version();

enum class Hdf5Layout { kContiguous, kChunked, kDeflated };
/// HDF5, collective. Chunked: a chunk is a rank's part with all components (one chunk per component takes
/// twice as long); needs regular_extents(). Deflated: such chunks with the filters shuffle and deflate,
/// level 6.
std::unique_ptr<Case> hdf5_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                Hdf5Layout layout);
/// "1.10.8"
std::string hdf5_version();

/// netCDF on parallel HDF5: NetCDF-4 files, contiguous, collective.
std::unique_ptr<Case> netcdf4_case(MPI_Comm comm, const std::string& directory, const Workload& workload);

/// Serial netCDF on rank 0, CDF-5: rank 0 gathers all ranks' parts of a field, and scatters them to read.
/// Definitions: all before the first data; or each variable just before its data, as some programs do, so
/// that the header grows and all data after it move; or the same with room for the header to grow.
enum class GatherStyle { kDefineOnce, kRedefine, kRedefinePadded };
std::unique_ptr<Case> netcdf_gather_case(MPI_Comm comm, const std::string& directory,
                                         const Workload& workload, GatherStyle style);
/// "4.9.0"
std::string netcdf_version();

}  // namespace bench
