// Messages of runs: what a rank brings of a range of a file. Runs of equal length and distance, such as the
// rows of a box, need one head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "transfer/array_boxes.h"

namespace esker {

/// Equal runs. In a message their bytes follow, as the file has them.
struct RunHead {
  std::uint32_t begin = 0;  ///< of the first one, from the begin of the range
  std::uint32_t bytes = 0;  ///< of each
  std::uint32_t count = 0;
  std::uint32_t distance = 0;  ///< between their first bytes
};

/// Writes a message to memory of the caller: at most sizeof(RunHead) bytes for each run, and its samples.
class RunWriter {
 public:
  RunWriter() = default;
  /// For samples of the range that begins at `range_begin`.
  RunWriter(std::byte* memory, Index range_begin) : memory_(memory), next_(memory), begin_(range_begin) {}

  /// Appends a run of `boxes`, whose samples begin in the range. False if some do not fit in the type of the
  /// file; then they are the fill value.
  bool append(const ArrayBoxes& boxes, const FileRun& run);
  [[nodiscard]] std::span<const std::byte> message() const {
    return {memory_, static_cast<std::size_t>(next_ - memory_)};
  }

 private:
  void begin_run(std::uint32_t begin, std::uint32_t bytes);

  std::byte* memory_ = nullptr;
  std::byte* next_ = nullptr;
  Index begin_ = 0;
  RunHead head_;  // the last one, also at:
  std::byte* head_at_ = nullptr;
};

/// Calls visit(head, bytes of its runs) in the order of writing.
template <class Visit>
void for_each_head(std::span<const std::byte> message, const Visit& visit) {
  while (!message.empty()) {
    RunHead head;
    std::memcpy(&head, message.data(), sizeof head);
    const std::size_t bytes = std::size_t{head.bytes} * head.count;
    visit(head, message.data() + sizeof head);
    message = message.subspan(sizeof head + bytes);
  }
}

}  // namespace esker
