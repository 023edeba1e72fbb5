// RunStore: stores what ranks bring of a range of a file, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/scratch.h"
#include "comm/deliver.h"
#include "esker/types/status.hpp"
#include "store/store.h"
#include "transfer/array_boxes.h"

namespace esker {

class RunStore {
 public:
  /// For ranges of at most this size. May throw; local.
  explicit RunStore(Index range_bytes);

  /// Writes the runs of messages that RunWriters for `range` made; later ones overwrite earlier ones. Small
  /// holes in an array, if at least half of what they separate is brought, are read, and written with the
  /// runs around them: no other rank may write to them at the same time. May throw; local.
  Status store(File& file, const FileRange& range, const EndOfArray& end_of_array,
               std::span<const Delivery> messages);

 private:
  /// Bytes of the buffer that are written at once.
  struct Part {
    Index begin, end;
    Index held;  // bytes in it
    [[nodiscard]] bool has_holes() const { return held < end - begin; }
  };
  void mark(std::uint32_t begin, std::uint32_t bytes);
  void mark_all(std::span<const std::byte> message);
  void copy_all(std::span<const std::byte> message);
  void find_parts(const FileRange& range, const EndOfArray& end_of_array, Index cheap_gap_bytes);
  [[nodiscard]] Index next_byte(Index from, bool is_held, Index end) const;

  Scratch memory_;
  std::span<std::byte> buffer_;
  std::vector<std::uint64_t> held_;  // a bit for each byte of the buffer
  std::vector<Part> parts_;
};

}  // namespace esker
