#include "plan/load_counter.h"

#include <algorithm>

namespace esker {

LoadCounter::LoadCounter(const PieceSpace& space, int n_ranks, int ranks_per_node)
    : space_(space), ends_of_files_(space.ends_of_files()) {
  loads_.ranks_per_node = ranks_per_node;
  loads_.nodes.resize(static_cast<std::size_t>((n_ranks - 1) / ranks_per_node + 1));
}

void LoadCounter::add_message(StageLoad NodeLoad::*stage, int source, int target, Index bytes) {
  const auto from = static_cast<std::size_t>(source / loads_.ranks_per_node);
  const auto to = static_cast<std::size_t>(target / loads_.ranks_per_node);
  StageLoad& sender = loads_.nodes[from].*stage;
  StageLoad& receiver = loads_.nodes[to].*stage;
  if (from == to) {
    sender.bytes_inside += bytes;
    return;
  }
  ++sender.messages_out;
  sender.bytes_out += bytes;
  ++receiver.messages_in;
  receiver.bytes_in += bytes;
}

void LoadCounter::add_written(int rank, Index round, const Ownership::Pieces& pieces) {
  const Index end = space_.position_bytes(pieces.last);
  for (Index begin = space_.position_bytes(pieces.first); begin < end;) {
    const Layout::FileSpan span = space_.file_at(begin);
    const Index last = std::min(end, span.end);
    const auto file = std::upper_bound(ends_of_files_.begin(), ends_of_files_.end(), begin);
    loads_.extents.push_back({file - ends_of_files_.begin(), span.data_offset_bytes + begin - span.begin,
                              last - begin, rank, round});
    begin = last;
  }
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
