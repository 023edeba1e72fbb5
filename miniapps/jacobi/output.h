// Output: the field as an Esker dataset, put from the GPU and read back to it.
#pragma once

#include <mpi.h>

#include <array>
#include <string>

#include "esker/types/options.hpp"
#include "esker/writer.hpp"
#include "jacobi/sweep_cell.h"

namespace jacobi {

class Output {
 public:
  /// Collective; throws AgreedError.
  Output(const std::string& path, MPI_Comm comm, const Slab& slab, const esker::Options& options);
  /// Collective: writes a step. `own`: this rank's own planes, in memory of a GPU or of the host. Throws
  /// AgreedError; the dataset then keeps its earlier steps.
  void write(long long sweep, const double* own);
  /// Collective.
  void close();
  [[nodiscard]] const esker::Writer& writer() const { return writer_; }

 private:
  Slab slab_;
  esker::Writer writer_;
  esker::FieldId temperature_;
};

/// The cells of a dataset along x, y, z. Collective; throws AgreedError.
std::array<long long, 3> cells_of(MPI_Comm comm, const std::string& path);

/// Reads the last step of a dataset to this rank's own planes, in memory of a GPU or of the host. The number
/// of its sweep. Collective; throws AgreedError.
long long read_last(MPI_Comm comm, const std::string& path, const Slab& slab, double* own);

}  // namespace jacobi
