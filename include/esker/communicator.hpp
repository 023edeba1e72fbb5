// Communicator: the group of ranks that writes a dataset together, without naming MPI.
#pragma once

#include <memory>

#include "esker/export.h"

namespace esker {

class Comm;  // internal

/// A shared handle. `serial()` is a group of one; esker/mpi.hpp makes one from an MPI communicator.
class ESKER_API Communicator {
 public:
  static Communicator serial();
  explicit Communicator(std::shared_ptr<Comm> comm) : comm_(std::move(comm)) {}

  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const;
  [[nodiscard]] const std::shared_ptr<Comm>& get() const { return comm_; }

 private:
  std::shared_ptr<Comm> comm_;
};

}  // namespace esker
