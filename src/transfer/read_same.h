// SameReader: reads boxes that all ranks want. Each byte of the file is read by one rank, which broadcasts
// it.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "comm/comm.h"
#include "esker/types/status.hpp"
#include "store/store.h"
#include "transfer/file_array.h"

namespace esker {

class SameReader {
 public:
  /// For the boxes `mine`, which have `n_bytes` in the file. References must outlive it. Allocates what
  /// read() needs, at most 2 MiB and the lists of some parts; local.
  SameReader(const std::vector<FileArray>& arrays, std::span<const ArrayTarget> mine, const File& file,
             Index n_bytes);

  /// Collective, where all ranks have the same boxes of the same arrays in the same order, in any memory. One
  /// broadcast for each MiB. Samples after the end of the file are zero. Errors are those of all ranks; the
  /// memory is then undefined.
  Status read(Comm& comm);

  /// [position in `mine`] whether a value did not fit in the memory's type, and is the misfit instead.
  std::vector<bool> take_out_of_range() { return std::move(out_of_range_); }

 private:
  /// Where the next part begins: slabs of a box are counted.
  struct Cursor {
    std::size_t patch = 0;
    Index slab = 0;
  };
  struct Part {
    std::size_t patch;
    Box box;
    Index first_byte;  // in the buffer
  };
  Index next_chunk(Cursor& cursor);
  void load_own(Cursor cursor, int number);
  Status load();
  void place(const std::byte* bytes);
  [[nodiscard]] const FileArray& array_of(const ArrayTarget& target) const {
    return arrays_[static_cast<std::size_t>(target.array)];
  }

  const std::vector<FileArray>& arrays_;
  std::span<const ArrayTarget> mine_;
  const File& file_;
  Index num_chunks_;  // at least
  std::vector<Part> parts_;
  std::vector<std::byte> own_, received_;  // one chunk each, and a byte: whether its reader failed
  Status status_;
  std::vector<bool> out_of_range_;
};

}  // namespace esker
