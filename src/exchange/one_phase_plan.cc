#include <algorithm>
#include <tuple>

#include "exchange/plan.h"

namespace esker {
namespace {

/// A segment and the piece that it is of.
struct OwnSegment {
  Index piece = 0;  ///< number in the space
  Index num_samples_of_piece = 0;
  Segment segment;
};

std::vector<OwnSegment> find_own(const PieceSpace& space, const std::vector<FieldPatches>& fields, int rank) {
  std::vector<OwnSegment> own;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const int layout = fields[f].layout;
    const std::vector<Box> boxes = fields[f].holders->boxes_of(rank);
    for (std::size_t p = 0; p < boxes.size(); ++p) {
      const auto add = [&](const Piece& piece, const PiecePart& part, const Box& indices) {
        const Index position = space.first_position(layout) + piece.position_bytes;
        own.push_back(
            {space.first_ordinal(layout) + piece.ordinal, piece.size_bytes / piece.sample_bytes,
             make_segment(piece, part, position, static_cast<int>(f), static_cast<int>(p), indices)});
      };
      space.layout(layout).for_each_segment(fields[f].field, boxes[p], add);
    }
  }
  std::sort(own.begin(), own.end(), [](const OwnSegment& a, const OwnSegment& b) {
    return std::tie(a.segment.position, a.segment.patch) < std::tie(b.segment.position, b.segment.patch);
  });
  return own;
}

}  // namespace

Plan make_one_phase_plan(const PieceSpace& space, const Ownership& ownership,
                         const std::vector<FieldPatches>& fields, int rank, Index window_bytes) {
  Plan plan;
  const int aggregator = ownership.aggregator_of_rank(rank);
  if (aggregator >= 0) plan.owned = ownership.runs(aggregator);
  for (OwnSegment& own : find_own(space, fields, rank)) {
    const Index end = space.position_bytes(own.piece + 1);
    const Window* last = plan.rounds.empty() ? nullptr : &plan.rounds.back().window;
    const bool is_same_piece = last && own.piece == last->last_piece - 1;
    const bool follows = last && own.piece == last->last_piece && end - last->begin <= window_bytes;
    if (!is_same_piece && !follows) {
      plan.rounds.emplace_back();
      plan.rounds.back().window.begin = space.position_bytes(own.piece);
      plan.rounds.back().window.first_piece = own.piece;
    }
    Round& round = plan.rounds.back();
    round.window.last_piece = own.piece + 1;
    round.window.end = end;
    round.local.bytes += own.segment.bytes();
    round.local.segments.push_back(std::move(own.segment));
    plan.mark_bytes = std::max(plan.mark_bytes, own.num_samples_of_piece);
  }
  for (Round& round : plan.rounds) {
    const bool complete = round.local.bytes == round.window.size_bytes();
    if (!complete) round.window.padded.push_back({0, round.window.size_bytes()});
    plan.window_bytes = std::max(plan.window_bytes, round.window.size_bytes());
  }
  return plan;
}

}  // namespace esker
