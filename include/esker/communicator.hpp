// Communicator: the group of ranks that writes or reads a dataset together. This header does not need MPI.
#pragma once

#include <memory>

#include "esker/types/export.h"

namespace esker {

class Comm;  // internal

/// A shared handle. `serial()` is a group of one; esker/mpi.hpp makes one from an MPI communicator.
class ESKER_API Communicator {
 public:
  static Communicator serial();  ///< a group of one
  explicit Communicator(std::shared_ptr<Comm> comm) : comm_(std::move(comm)) {}

  [[nodiscard]] int rank() const;  ///< the caller's rank, 0 ... size() - 1
  [[nodiscard]] int size() const;  ///< number of ranks
  /// For internal use.
  [[nodiscard]] const std::shared_ptr<Comm>& get() const { return comm_; }

 private:
  std::shared_ptr<Comm> comm_;
};

}  // namespace esker
