// Overlay: the future contents of a file, held in memory on top of the existing file.
//
// Change: the byte ranges and the length that differ. A change can be applied to a file and undone.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "esker/types/status.hpp"
#include "store/store.h"

namespace esker::hdf5 {

struct Change {
  std::map<Index, std::vector<std::byte>> ranges;  ///< by offset; without overlaps
  Index file_bytes = 0;                            ///< length of the file after the change
};

/// Writes the ranges, and extends the file to at least its new length.
Status apply(File& file, const Change& change);

/// The inverse of `change`: the bytes that the file has where it writes. `file_bytes`: the length before it.
Result<Change> inverse_of(const Change& change, const File& file, Index file_bytes);

class Overlay {
 public:
  /// On top of the first `file_bytes` of `file`, which must outlive this object; nullptr: on top of nothing.
  Overlay(const File* file, Index file_bytes)
      : file_(file), file_bytes_(file_bytes), end_bytes_(file_bytes) {}

  /// Bytes that were never written read as zeros.
  Status read(std::span<std::byte> bytes, Index offset) const;
  void write(std::span<const std::byte> bytes, Index offset);

  /// Length of the future file.
  [[nodiscard]] Index end_bytes() const { return end_bytes_; }
  void set_end_bytes(Index bytes) { end_bytes_ = bytes; }
  /// All writes so far.
  [[nodiscard]] Change change() const { return {ranges_, end_bytes_}; }

 private:
  using Ranges = std::map<Index, std::vector<std::byte>>;

  const File* file_;
  Index file_bytes_, end_bytes_;
  Ranges ranges_;
};

}  // namespace esker::hdf5
