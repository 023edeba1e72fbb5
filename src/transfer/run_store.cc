#include "transfer/run_store.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checked.h"
#include "base/macros.h"
#include "store/read_present.h"
#include "transfer/run_message.h"

namespace esker {
namespace {

constexpr Index kWordBits = 64;
constexpr Index kMostSampleBytes = 8;  // the last sample of a range may extend past its end

Index held_words(Index range_bytes) { return div_up(range_bytes + kMostSampleBytes, kWordBits); }

}  // namespace

RunStore::RunStore(Index range_bytes)
    : buffer_(memory_.get(range_bytes + kMostSampleBytes)),
      held_(static_cast<std::size_t>(held_words(range_bytes))) {}

void RunStore::mark(std::uint32_t begin, std::uint32_t bytes) {
  std::uint64_t* word = &held_[begin / kWordBits];
  auto first = static_cast<std::uint32_t>(begin % kWordBits);
  while (bytes > 0) {
    const std::uint32_t n = std::min<std::uint32_t>(bytes, kWordBits - first);
    *word++ |= (~std::uint64_t{0} >> (kWordBits - n)) << first;
    bytes -= n;
    first = 0;
  }
}

void RunStore::mark_all(std::span<const std::byte> message) {
  for_each_head(message, [&](const RunHead& head, const std::byte*) {
    for (std::uint32_t i = 0; i < head.count; ++i) mark(head.begin + i * head.distance, head.bytes);
  });
}

void RunStore::copy_all(std::span<const std::byte> message) {
  for_each_head(message, [&](const RunHead& head, const std::byte* bytes) {
    for (std::uint32_t i = 0; i < head.count; ++i, bytes += head.bytes) {
      std::memcpy(buffer_.data() + head.begin + i * head.distance, bytes, head.bytes);
    }
  });
}

/// The first byte from `from` on that is held, or is not; `end` if there is none.
Index RunStore::next_byte(Index from, bool is_held, Index end) const {
  const std::uint64_t flip = is_held ? 0 : ~std::uint64_t{0};
  while (from < end) {
    const std::uint64_t rest =
        (held_[static_cast<std::size_t>(from / kWordBits)] ^ flip) >> (from % kWordBits);
    if (rest != 0) return std::min<Index>(end, from + std::countr_zero(rest));
    from = (from / kWordBits + 1) * kWordBits;
  }
  return end;
}

void RunStore::find_parts(const FileRange& range, const EndOfArray& end_of_array, Index cheap_gap_bytes) {
  parts_.clear();
  const Index end = range.size() + kMostSampleBytes;
  for (Index begin = next_byte(0, true, end); begin < end;) {
    const Index run_end = next_byte(begin, false, end), bytes = run_end - begin;
    const auto joins = [&](const Part& part) {
      return begin - part.end <= cheap_gap_bytes && 2 * (part.held + bytes) >= run_end - part.begin &&
             range.begin + begin < end_of_array(range.begin + part.end - 1);
    };
    if (!parts_.empty() && joins(parts_.back())) {
      parts_.back().end = run_end;
      parts_.back().held += bytes;
    } else {
      parts_.push_back({begin, run_end, bytes});
    }
    begin = next_byte(run_end, true, end);
  }
}

Status RunStore::store(File& file, const FileRange& range, const EndOfArray& end_of_array,
                       std::span<const Delivery> messages) {
  std::fill_n(held_.begin(), held_words(range.size()), 0);
  for (const Delivery& each : messages) mark_all(each.bytes);
  find_parts(range, end_of_array, file.cheap_gap_bytes());
  const auto bytes_of = [&](const Part& part) {
    return std::span(buffer_.data() + part.begin, static_cast<std::size_t>(part.end - part.begin));
  };
  for (const Part& part : parts_) {
    if (part.has_holes()) ESKER_RETURN_IF_ERROR(read_present(file, bytes_of(part), range.begin + part.begin));
  }
  for (const Delivery& each : messages) copy_all(each.bytes);
  for (const Part& part : parts_) {
    ESKER_RETURN_IF_ERROR(file.write_at(bytes_of(part), range.begin + part.begin));
  }
  return {};
}

}  // namespace esker
