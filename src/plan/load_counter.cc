#include "plan/load_counter.h"

#include <algorithm>

namespace esker {

LoadCounter::LoadCounter(const PieceSpace& space, int n_ranks, int ranks_per_node)
    : space_(space), ends_of_files_(space.ends_of_files()) {
  loads_.ranks_per_node = ranks_per_node;
  loads_.nodes.resize(static_cast<std::size_t>((n_ranks - 1) / ranks_per_node + 1));
  compared_by_relay_.resize(static_cast<std::size_t>(n_ranks));
  compared_by_aggregator_.resize(static_cast<std::size_t>(n_ranks));
}

bool LoadCounter::add_message(StageLoad NodeLoad::*stage, int source, int target, Index bytes) {
  const auto from = static_cast<std::size_t>(source / loads_.ranks_per_node);
  const auto to = static_cast<std::size_t>(target / loads_.ranks_per_node);
  StageLoad& sender = loads_.nodes[from].*stage;
  StageLoad& receiver = loads_.nodes[to].*stage;
  if (from == to) {
    sender.bytes_inside += bytes;
    return false;
  }
  ++sender.messages_out;
  sender.bytes_out += bytes;
  ++receiver.messages_in;
  receiver.bytes_in += bytes;
  return true;
}

void LoadCounter::add_receives(StageLoad NodeLoad::*stage, int rank, Index n_messages) {
  auto& by_rank = stage == &NodeLoad::to_relays ? compared_by_relay_ : compared_by_aggregator_;
  Index& compared = by_rank[static_cast<std::size_t>(rank)];
  compared += n_messages * n_messages / 4;
  Index& most = (loads_.nodes[static_cast<std::size_t>(rank / loads_.ranks_per_node)].*stage).compared;
  most = std::max(most, compared);
}

Index LoadCounter::file_of(Index position) const {
  return std::ranges::upper_bound(ends_of_files_, position) - ends_of_files_.begin();
}

void LoadCounter::add_written(int rank, Index round, const Ownership::Pieces& pieces) {
  const Index end = space_.position_bytes(pieces.last);
  for (Index begin = space_.position_bytes(pieces.first); begin < end;) {
    const Layout::FileSpan span = space_.file_at(begin);
    const Index last = std::min(end, span.end);
    loads_.extents.push_back(
        {file_of(begin), span.data_offset_bytes + begin - span.begin, last - begin, rank, round});
    begin = last;
  }
}

void LoadCounter::add_own(int rank, const Segment& segment) {
  const Index piece = space_.first_piece_from(segment.position + 1) - 1;
  const bool follows = !loads_.extents.empty() && loads_.extents.back().rank == rank && piece == own_piece_;
  if (!follows) {
    own_piece_ = piece;
    const Index begin = space_.position_bytes(piece);
    const Layout::FileSpan span = space_.file_at(begin);
    loads_.extents.push_back({file_of(begin), span.data_offset_bytes + begin - span.begin, 0, rank, 0, 0});
  }
  WrittenExtent& extent = loads_.extents.back();
  extent.size_bytes += segment.bytes();
  extent.writes += num_runs(segment.order, segment.indices);
}

void number_shared_files(const PieceSpace& space, const StepLayouts& layouts, PlanLoads& loads) {
  std::vector<Index> numbers;
  Index begin = 0, number = -1;
  int last_shared = -1;
  for (const Index end : space.ends_of_files()) {
    const int layout = space.layout_at(begin);
    const int shared = layouts.shares_files(layout) ? layouts.shared_file(layout) : -1;
    if (shared < 0 || shared != last_shared) ++number;
    last_shared = shared;
    numbers.push_back(number);
    begin = end;
  }
  for (WrittenExtent& extent : loads.extents) extent.file = numbers[static_cast<std::size_t>(extent.file)];
}

}  // namespace esker
