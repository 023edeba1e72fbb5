#include "write/own_runs.h"

#include <optional>

#include "base/macros.h"
#include "plan/sample_mask.h"

namespace esker {
namespace {

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
    SampleMask mine(mask.first(static_cast<std::size_t>(piece.size_bytes / piece.sample_bytes)));
    for (; n > 0; --n, ++of_piece) {
      mine.hold(of_piece->indices, of_piece->order, (of_piece->position - position) / of_piece->sample_bytes);
    }
    ESKER_RETURN_IF_ERROR(mine.for_each_run([&](Index first, Index last) {
      return runs.add(position + first * piece.sample_bytes, position + last * piece.sample_bytes);
    }));
  }
  return runs.flush();
}

}  // namespace esker
