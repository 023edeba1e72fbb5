// The MPI implementation of PutSource: a derived datatype.
#pragma once

#include <mpi.h>

#include <span>

#include "comm/remote_memory.h"

namespace esker {

class MpiPutSource final : public PutSource {
 public:
  /// May throw.
  explicit MpiPutSource(std::span<const SpreadBytes> parts);
  ~MpiPutSource() override;

  /// A committed datatype. One element of it covers all parts.
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int size_bytes() const { return size_bytes_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int size_bytes_ = 0;
};

}  // namespace esker
