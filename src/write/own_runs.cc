#include "write/own_runs.h"

#include <algorithm>
#include <optional>

#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

constexpr std::byte kMine{1};

struct ByteSpan {
  Index begin = 0, end = 0;  ///< positions
};

/// Collects runs, in ascending order, and writes each once its end is known.
class RunWriter {
 public:
  RunWriter(const BufferContent& content, std::span<const std::byte> bytes, StepFiles& files)
      : content_(content), bytes_(bytes), files_(files) {}

  Status add(Index begin, Index end) {
    if (begin != end_) {
      ESKER_RETURN_IF_ERROR(flush());
      begin_ = begin;
    }
    end_ = end;
    return {};
  }

  Status flush() {
    if (begin_ == end_) return {};
    const auto run = bytes_.subspan(static_cast<std::size_t>(begin_ - content_.begin),
                                    static_cast<std::size_t>(end_ - begin_));
    return files_.write(begin_, run);
  }

 private:
  const BufferContent& content_;
  std::span<const std::byte> bytes_;
  StepFiles& files_;
  Index begin_ = 0, end_ = 0;  // positions
};

/// Sets the mask of the samples of a piece that a segment holds; the piece begins at `position`.
void set_mask(const Segment& segment, Index position, std::span<std::byte> mask) {
  const Index first_sample = (segment.position - position) / segment.sample_bytes;
  copy_samples(1, &kMine, SampleMap::strided(segment.indices, {}), mask.data() + first_sample,
               SampleMap::ordered(segment.indices, segment.order, 1));
}

Status add_masked(std::span<const std::byte> mask, Index position, Index sample_bytes, RunWriter& runs) {
  auto from = mask.begin();
  while ((from = std::find(from, mask.end(), kMine)) != mask.end()) {
    const auto to = std::find(from, mask.end(), std::byte{});
    ESKER_RETURN_IF_ERROR(runs.add(position + (from - mask.begin()) * sample_bytes,
                                   position + (to - mask.begin()) * sample_bytes));
    from = to;
  }
  return {};
}

/// A segment whose samples are contiguous in the file, as positions; nothing for another one.
std::optional<ByteSpan> contiguous_span(const Segment& segment) {
  if (segment.order.has_bits) return std::nullopt;
  Index samples = 1;
  for (int a = 0; a < segment.indices.rank; ++a) {
    if (segment.indices.extent(a) == 1) continue;
    if (static_cast<Index>(segment.order.axes[static_cast<std::size_t>(a)]) != samples) return std::nullopt;
    samples *= segment.indices.extent(a);
  }
  const Index begin = segment.position + segment.order.at(segment.indices.lo) * segment.sample_bytes;
  return ByteSpan{begin, begin + samples * segment.sample_bytes};
}

}  // namespace

Status write_own_runs(const PieceSpace& space, const Round& round, std::span<const std::byte> buffer,
                      std::span<std::byte> mask, StepFiles& files) {
  if (round.content.complete()) return files.write(round.content.begin, buffer);
  RunWriter runs(round.content, buffer, files);
  auto segment = round.local.segments.begin();
  const auto end_of_segments = round.local.segments.end();
  for (Index number = round.content.first_piece; number < round.content.last_piece; ++number) {
    const Piece piece = space.piece(number);
    const Index position = space.position_bytes(number);
    auto of_piece = segment;
    int n = 0;
    Index end = position;  // of the segments so far, if each is contiguous and follows the one before it
    for (; segment != end_of_segments && segment->position < position + piece.size_bytes; ++segment, ++n) {
      const auto span = contiguous_span(*segment);
      end = end >= 0 && span && span->begin >= end ? span->end : -1;
    }
    if (end >= 0) {
      for (; n > 0; --n, ++of_piece) {
        const ByteSpan span = *contiguous_span(*of_piece);
        ESKER_RETURN_IF_ERROR(runs.add(span.begin, span.end));
      }
      continue;
    }
    const auto flags = mask.first(static_cast<std::size_t>(piece.size_bytes / piece.sample_bytes));
    std::fill(flags.begin(), flags.end(), std::byte{});
    for (; n > 0; --n, ++of_piece) set_mask(*of_piece, position, flags);
    ESKER_RETURN_IF_ERROR(add_masked(flags, position, piece.sample_bytes, runs));
  }
  return runs.flush();
}

}  // namespace esker
