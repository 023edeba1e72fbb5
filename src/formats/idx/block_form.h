// BlockForm: interprets the bytes of a block, and finds the samples in it that a query requests.
#pragma once

#include <cstddef>
#include <span>

#include "esker/types/in_block_order.hpp"
#include "esker/types/status.hpp"
#include "formats/idx/block_files.h"
#include "read/read_target.h"

namespace esker::idx {

/// Bytes [first, last) of a block.
struct ByteRange {
  Index first = 0, last = 0;

  [[nodiscard]] Index size() const { return last - first; }
};

/// Pure; thread-safe.
class BlockForm {
 public:
  virtual ~BlockForm() = default;

  /// Size of one sample in a block.
  [[nodiscard]] virtual Index sample_bytes() const = 0;
  /// Size of a decoded block.
  [[nodiscard]] virtual Index decoded_bytes() const = 0;
  /// Whether the complete block must be decoded before any sample can be read.
  [[nodiscard]] virtual bool is_encoded(const StoredBlock& stored) const = 0;
  /// kDataLoss if the stored bytes cannot be a block of this form.
  [[nodiscard]] virtual Status check(Index block, const StoredBlock& stored) const = 0;
  /// The bytes of the stored block that decode() needs, from its first byte on.
  [[nodiscard]] virtual ByteRange encoded_range(const StoredBlock& stored) const {
    return {0, stored.size_bytes};
  }
  /// kDataLoss if the bytes do not match their checksum, if there is one.
  [[nodiscard]] virtual Status check_bytes(Index block, const StoredBlock& stored,
                                           std::span<const std::byte> bytes) const = 0;
  /// Decodes the bytes of encoded_range() to `samples`, which has decoded_bytes().
  virtual Status decode(Index block, const StoredBlock& stored, std::span<const std::byte> bytes,
                        std::span<std::byte> samples) const = 0;
  /// Whether it has any requested samples.
  [[nodiscard]] virtual bool holds_any(Index block, const ReadTarget& target) const = 0;
  /// The byte range of a decoded block that holds the requested samples; empty if there are none.
  [[nodiscard]] virtual ByteRange wanted_range(Index block, InBlockOrder order,
                                               const ReadTarget& target) const = 0;
  /// Copies the requested samples. `samples` is the address of the block; only its wanted_range() is read.
  virtual void place(Index block, InBlockOrder order, const std::byte* samples,
                     const ReadTarget& target) const = 0;
  /// Sets each requested sample to `sample`, of any size.
  virtual void fill(Index block, std::span<const std::byte> sample, const ReadTarget& target) const = 0;
};

}  // namespace esker::idx
