// PeerCase: what the cases have in common that write through another library.
//
// All do what posix does, and the same is timed: each step has a file of its own, which is created, defined,
// written and closed within write_step(), and opened, read and closed within read_step(). Samples are
// float64, stored row-major as (z,y,x) or (y,x); components are one more dimension, the slowest, as in
// S3D-IO's files: (component, z,y,x). Nothing is synced to the disk. The libraries get no hints, but
// ROMIO_HINTS and PNETCDF_HINTS have their meaning.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "case.h"

namespace bench {

/// One field in the file and the part of it that this rank holds; dimensions slowest first.
struct Variable {
  std::string name;
  std::vector<std::string> dims;
  std::vector<Index> shape;         ///< of the whole
  std::vector<Index> start, count;  ///< of this rank's part
  bool is_dense = false;            ///< the rank's memory has the file's order, and no gaps
};

Variable variable_of(const Workload& workload, const FieldMemory& field);

/// One file per step, which rank 0 answers for.
class PeerCase : public Case {
 public:
  PeerCase(MPI_Comm comm, std::string name, const std::string& directory, const Workload& workload);

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] Index stored_bytes() const override;
  void remove() override;

 protected:
  [[nodiscard]] std::string path(Index step) const;
  /// The same, of a file that is about to be written.
  [[nodiscard]] std::string new_path(Index step);
  /// The samples of field number f in the file's order, in their own memory or in a buffer.
  const double* in_file_order(const FieldMemory& field, std::size_t f);
  /// Where field number f is to be read to, and what brings it from there to `samples`.
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

/// PnetCDF, format CDF-5, collective. `blocking`: one collective call per field, else all are posted and then
/// waited for together.
std::unique_ptr<Case> pnetcdf_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                   bool blocking);
/// "1.12.3"
std::string pnetcdf_version();

enum class Hdf5Layout { kContiguous, kChunked };
/// HDF5, collective. Chunked: a chunk is a rank's block with all components (with a chunk per component it
/// takes twice as long); to be had where has_equal_blocks().
std::unique_ptr<Case> hdf5_case(MPI_Comm comm, const std::string& directory, const Workload& workload,
                                Hdf5Layout layout);
/// "1.10.8"
std::string hdf5_version();
/// Whether the ranks' parts of each field have the same extents. Collective.
bool has_equal_blocks(MPI_Comm comm, const Workload& workload);

}  // namespace bench
