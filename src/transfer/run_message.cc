#include "transfer/run_message.h"

#include "base/byte_order.h"
#include "transfer/convert_row.h"

namespace esker {
namespace {

/// Copies samples to dense big-endian ones.
template <class Word>
void copy_swapped(const FileRun& run, std::byte* target) {
  for (Index i = 0; i < run.count; ++i) {
    Word word;
    std::memcpy(&word, run.values + i * run.stride_bytes, sizeof word);
    word = reversed(word);
    std::memcpy(target + i * static_cast<Index>(sizeof word), &word, sizeof word);
  }
}

void copy_run(const FileRun& run, Index sample_bytes, std::byte* target) {
  if (sample_bytes == 1 && run.stride_bytes == 1) {
    std::memcpy(target, run.values, static_cast<std::size_t>(run.count));
  } else if (sample_bytes == 1) {
    copy_swapped<std::uint8_t>(run, target);
  } else if (sample_bytes == 2) {
    copy_swapped<std::uint16_t>(run, target);
  } else if (sample_bytes == 4) {
    copy_swapped<std::uint32_t>(run, target);
  } else {
    copy_swapped<std::uint64_t>(run, target);
  }
}

}  // namespace

bool RunWriter::append(const ArrayBoxes& boxes, const FileRun& run) {
  const Index bytes = run.count * size_bytes(boxes.type);
  begin_run(static_cast<std::uint32_t>(run.begin - begin_), static_cast<std::uint32_t>(bytes));
  std::byte* const target = next_;
  next_ += bytes;
  if (boxes.type == boxes.memory_type) {
    copy_run(run, size_bytes(boxes.type), target);
    return true;
  }
  const bool all_fit =
      convert_row(boxes.memory_type, run.values, run.stride_bytes, boxes.type, boxes.fill, target, run.count);
  swap_bytes({target, static_cast<std::size_t>(bytes)}, static_cast<int>(size_bytes(boxes.type)));
  return all_fit;
}

/// Joins a run to the last head if it can.
void RunWriter::begin_run(std::uint32_t begin, std::uint32_t bytes) {
  const std::uint32_t distance = begin - head_.begin;  // if it is not before
  const bool follows = head_at_ != nullptr && begin >= head_.begin;
  if (follows && head_.count == 1 && distance == head_.bytes) {
    head_.bytes += bytes;
  } else if (follows && bytes == head_.bytes && head_.count == 1 && distance > bytes) {
    head_.count = 2;
    head_.distance = distance;
  } else if (follows && bytes == head_.bytes && head_.count > 1 &&
             distance == std::uint64_t{head_.count} * head_.distance) {
    ++head_.count;
  } else {
    head_ = {begin, bytes, 1, 0};
    head_at_ = next_;
    next_ += sizeof head_;
  }
  std::memcpy(head_at_, &head_, sizeof head_);
}

}  // namespace esker
