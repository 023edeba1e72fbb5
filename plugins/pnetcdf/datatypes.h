// Memory that an MPI datatype describes: its values as a dense list, and back.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "elements.h"

namespace esker::pnetcdf {

/// What a datatype consists of.
struct Elements {
  Type type = Type::kByte;
  bool is_byte = false;     ///< MPI_BYTE: bytes of the type of the variable
  bool is_dense = true;     ///< values follow one another in memory in their order
  bool has_values = false;  ///< there are some
  bool is_named = false;    ///< one of MPI's own datatypes
  Index per_item = 0;       ///< values in one item of the datatype
};

/// NC_EMULTITYPES: of several types. NC_EUNSPTETYPE: of a type that files do not have.
int decode(MPI_Datatype datatype, Elements& elements);

/// A part of an array in memory; lists have an entry per dimension, slowest first.
struct Subarray {
  Index first_byte = 0;  ///< of the part
  std::vector<Index> count, stride_bytes;
};

/// What MPI_Type_create_subarray made of a type that MPI has; nothing for other datatypes. May throw.
std::optional<Subarray> subarray_of(MPI_Datatype datatype);

/// `n` items as a dense list. May throw.
std::vector<std::byte> pack(const void* values, Index n, MPI_Datatype datatype);

/// Where a dense list that was read goes. Owns a duplicate of the datatype.
class UnpackLater {
 public:
  UnpackLater() = default;
  /// Holds the present values, so that a map of memory may leave some as they are.
  UnpackLater(void* values, Index n, MPI_Datatype datatype);
  UnpackLater(UnpackLater&& other) noexcept;
  UnpackLater& operator=(UnpackLater&& other) noexcept;
  ~UnpackLater();

  [[nodiscard]] bool is_needed() const { return values_ != nullptr; }
  [[nodiscard]] std::byte* dense() { return dense_.data(); }
  [[nodiscard]] Index dense_bytes() const { return static_cast<Index>(dense_.size()); }
  void unpack();

 private:
  void* values_ = nullptr;
  Index n_ = 0;
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  std::vector<std::byte> dense_;
};

}  // namespace esker::pnetcdf
