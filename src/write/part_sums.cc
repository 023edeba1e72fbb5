#include "write/part_sums.h"

#include <algorithm>
#include <cstring>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "store/checksum.h"

namespace esker {

PartSums::PartSums(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan) {
  std::size_t count = 0;
  for (const Round& round : plan.rounds) {
    space.for_each_piece(round.content.first_piece, round.content.last_piece,
                         [&](int layout, const Piece& piece) {
                           if (layouts.sums_parts(layout)) count += static_cast<std::size_t>(piece.num_parts);
                         });
  }
  sums_.reserve(count);
}

void PartSums::add(const StepLayouts& layouts, const PieceSpace& space, const BufferContent& content,
                   std::span<const std::byte> buffer, const SegmentList* own) {
  static const SegmentList kNone;
  auto segment = (own ? *own : kNone).begin();
  const auto end = (own ? *own : kNone).end();
  const auto is_here = [&](Index position, Index bytes) {
    if (!own) return true;
    while (segment != end && segment->position < position) ++segment;
    return segment != end && segment->position == position && segment->bytes() == bytes;
  };
  space.for_each_piece(content.first_piece, content.last_piece, [&](int number, const Piece& piece) {
    if (!layouts.sums_parts(number)) return;
    const Layout& layout = *layouts.layouts[static_cast<std::size_t>(number)];
    const Index begin = space.first_position(number) + piece.position_bytes;
    for (int n = 0; n < piece.num_parts; ++n) {
      const PiecePart part = layout.part(piece, n);
      const Index position = begin + part.first_sample * piece.sample_bytes;
      const Index bytes = part.lattice.num_samples() * piece.sample_bytes;
      if (!is_here(position, bytes)) continue;  // parts ascend, as segments do
      const auto samples =
          buffer.subspan(static_cast<std::size_t>(position - content.begin), static_cast<std::size_t>(bytes));
      sums_.push_back({space.first_ordinal(number) + piece.ordinal, n, checksum(samples, 0)});
    }
  });
}

Result<std::vector<std::vector<std::uint64_t>>> PartSums::gather(Comm& comm, const PieceSpace& space) const {
  const OutgoingMessage message{0, std::as_bytes(std::span(sums_))};
  ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm, {&message, 1}));
  std::vector<std::vector<std::uint64_t>> of_layouts;
  ESKER_RETURN_IF_ERROR(all_do(comm, "commit", [&] {
    std::vector<Sum> all;
    for (const Delivery& from : received.deliveries) {
      const std::size_t known = all.size();
      all.resize(known + from.bytes.size() / sizeof(Sum));
      if (!from.bytes.empty()) std::memcpy(&all[known], from.bytes.data(), from.bytes.size());
    }
    std::ranges::sort(all, [](const Sum& a, const Sum& b) {
      return a.piece < b.piece || (a.piece == b.piece && a.part < b.part);
    });
    of_layouts.resize(static_cast<std::size_t>(space.num_layouts()));
    for (const Sum& sum : all) {
      of_layouts[static_cast<std::size_t>(space.layout_of(sum.piece))].push_back(sum.checksum);
    }
    return Status();
  }));
  return of_layouts;
}

}  // namespace esker
