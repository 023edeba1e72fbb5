// BlockForm: what the bytes of a block mean, and which of its samples a query wants.
#pragma once

#include <cstddef>
#include <span>

#include "esker/in_block_order.hpp"
#include "esker/status.hpp"
#include "formats/idx/block_files.h"
#include "read/read_target.h"

namespace esker::idx {

/// Bytes [first, last) of a block.
struct ByteRange {
  Index first = 0, last = 0;

  [[nodiscard]] Index size() const { return last - first; }
};

/// Pure; any number of threads may use one.
class BlockForm {
 public:
  virtual ~BlockForm() = default;

  /// Of one sample as a block holds it.
  [[nodiscard]] virtual Index sample_bytes() const = 0;
  /// Of a block that is decoded.
  [[nodiscard]] virtual Index decoded_bytes() const = 0;
  /// Whether the samples are there only when the whole block has been decoded.
  [[nodiscard]] virtual bool is_encoded(const StoredBlock& stored) const = 0;
  /// kDataLoss if a block of this form cannot be what is stored.
  [[nodiscard]] virtual Status check(Index block, const StoredBlock& stored) const = 0;
  /// kDataLoss if the bytes are not those that were stored, as far as there is a checksum.
  [[nodiscard]] virtual Status check_bytes(Index block, const StoredBlock& stored,
                                           std::span<const std::byte> bytes) const = 0;
  /// To `samples`, of decoded_bytes().
  virtual Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                        std::span<std::byte> samples) const = 0;
  /// Whether it has samples of those that are wanted.
  [[nodiscard]] virtual bool holds_any(Index block, const ReadTarget& target) const = 0;
  /// Those bytes of a decoded block that hold what is wanted of it; empty if nothing is.
  [[nodiscard]] virtual ByteRange wanted_range(Index block, InBlockOrder order,
                                               const ReadTarget& target) const = 0;
  /// Places what is wanted. `samples` is where the block would begin; only wanted_range() of it is read.
  virtual void place(Index block, InBlockOrder order, const std::byte* samples,
                     const ReadTarget& target) const = 0;
  /// Sets each sample that is wanted to `sample`, of whatever size.
  virtual void fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const = 0;
};

}  // namespace esker::idx
