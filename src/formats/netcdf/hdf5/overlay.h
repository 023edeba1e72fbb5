// Overlay: a file as it is to become, in memory, over the file that is there.
//
// Change: what is to be different - byte ranges and the length. It can be applied to a file, and taken back.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "esker/box.hpp"
#include "esker/status.hpp"
#include "store/store.h"

namespace esker::hdf5 {

struct Change {
  std::map<Index, std::vector<std::byte>> ranges;  ///< by offset; they do not overlap
  Index file_bytes = 0;                            ///< of the file after it
};

/// Writes the ranges, and makes the file at least so long.
Status apply(File& file, const Change& change);

/// The change that takes `change` back: what stands in the file where it writes. `file_bytes`: without it.
Result<Change> inverse_of(const Change& change, const File& file, Index file_bytes);

class Overlay {
 public:
  /// Over the first `file_bytes` of `file`, which outlives this; nullptr: over nothing.
  Overlay(const File* file, Index file_bytes)
      : file_(file), file_bytes_(file_bytes), end_bytes_(file_bytes) {}

  /// What nobody wrote reads as zeros.
  Status read(std::span<std::byte> bytes, Index offset) const;
  void write(std::span<const std::byte> bytes, Index offset);

  /// Of the file as it is to become.
  [[nodiscard]] Index end_bytes() const { return end_bytes_; }
  void set_end_bytes(Index bytes) { end_bytes_ = bytes; }
  /// All that was written.
  [[nodiscard]] Change change() const { return {ranges_, end_bytes_}; }

 private:
  using Ranges = std::map<Index, std::vector<std::byte>>;

  const File* file_;
  Index file_bytes_, end_bytes_;
  Ranges ranges_;
};

}  // namespace esker::hdf5
