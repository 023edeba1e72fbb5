#include <algorithm>

#include "plan/plan.h"

namespace esker {
namespace {

/// All segments of this rank, in canonical order.
SegmentList find_own(const PieceSpace& space, const std::vector<FieldPatches>& fields, int rank,
                     SegmentCollector& collector) {
  SegmentList own;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const int layout = fields[f].layout;
    const std::vector<Box> boxes = fields[f].holders->boxes_of(rank);
    for (std::size_t p = 0; p < boxes.size(); ++p) {
      const auto add = [&](const Piece& piece, const PiecePart& part, const Box& indices) {
        const Index position = space.first_position(layout) + piece.position_bytes;
        collector.add(own,
                      make_segment(piece, part, position, static_cast<int>(f), static_cast<int>(p), indices));
      };
      space.layout(layout).for_each_segment(fields[f].field, boxes[p], add);
      if (collector.is_full()) collector.flush();
    }
    collector.flush();
  }
  own.sort();
  return own;
}

}  // namespace

Plan make_one_phase_plan(const PieceSpace& space, const Ownership& ownership,
                         const std::vector<FieldPatches>& fields, int rank, Index buffer_bytes) {
  Plan plan;
  const int aggregator = ownership.aggregator_of_rank(rank);
  if (aggregator >= 0) plan.owned = ownership.runs(aggregator);
  SegmentCollector collector;
  const SegmentList own = find_own(space, fields, rank, collector);
  plan.pool = collector.complete();
  for (const SegmentList::Run& run : own.runs()) {
    const Index number = space.first_piece_from(run.position + 1) - 1;
    const Index end = space.position_bytes(number + 1);
    const BufferContent* last = plan.rounds.empty() ? nullptr : &plan.rounds.back().content;
    const bool is_same_piece = last && number == last->last_piece - 1;
    const bool follows = last && number == last->last_piece && end - last->begin <= buffer_bytes;
    if (!is_same_piece && !follows) {
      plan.rounds.emplace_back();
      plan.rounds.back().content.begin = space.position_bytes(number);
      plan.rounds.back().content.first_piece = number;
    }
    Round& round = plan.rounds.back();
    round.content.last_piece = number + 1;
    round.content.end = end;
    round.local.segments.add(run, plan.pool);
    plan.mask_bytes = std::max(plan.mask_bytes, space.piece(number).size_bytes / run.sample_bytes);
  }
  for (Round& round : plan.rounds) {
    for (const Segment& segment : round.local.segments) round.local.bytes += segment.bytes();
    const bool complete = round.local.bytes == round.content.size_bytes();
    if (!complete) round.content.padded.push_back({0, round.content.size_bytes(), -1});
    plan.buffer_bytes = std::max(plan.buffer_bytes, round.content.size_bytes());
  }
  return plan;
}

}  // namespace esker
