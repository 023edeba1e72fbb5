#include "plan/ownership.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kMinBytesPerAggregator = Index{4} << 20;

}  // namespace

Ownership::Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index buffer_bytes, Order order)
    : space_(&space), n_ranks_(n_ranks), n_aggregators_(n_aggregators), order_(order) {
  deal();
  set_buffer_bytes(buffer_bytes);
}

Ownership::Ownership(const PieceSpace& space, int n_ranks, Placement placement, Index buffer_bytes,
                     Order order)
    : space_(&space),
      n_ranks_(n_ranks),
      n_aggregators_(static_cast<int>(placement.ranks.size())),
      order_(order),
      placement_(std::move(placement)) {
  for (int a = 0; a < n_aggregators_; ++a) {
    aggregator_of_rank_.emplace_back(placement_.ranks[static_cast<std::size_t>(a)], a);
  }
  std::sort(aggregator_of_rank_.begin(), aggregator_of_rank_.end());
  deal();
  set_buffer_bytes(buffer_bytes);
}

void Ownership::deal() {
  if (is_local()) {
    schedules_.resize(static_cast<std::size_t>(n_aggregators_));
    placement_.by_tiles ? deal_tiles() : deal_bricks();
    order_runs();
  } else if (const PartitionedRanks* ranks = partitions()) {
    const std::vector<PositionRange> coarse = ranks->cut.coarse_ranges();
    Index num_pieces = 0;
    for (const PositionRange& range : coarse) {
      const Pieces pieces = pieces_in(range);
      num_pieces += pieces.last - pieces.first;
    }
    coarse_ = deal_to_some(coarse, num_pieces, n_aggregators_);
  } else if (order_ == Order::kOfFiles) {
    turns_ = deal_files(*space_, {{0, space_->stored_bytes()}}, 0, n_aggregators_);
  } else {
    turns_ = deal_evenly(*space_, n_aggregators_);
  }
}

int Ownership::num_in_partition() const { return n_aggregators_ / partitions()->cut.num_partitions(); }

TurnList Ownership::make_turns(int partition) const {
  const PartitionCut& cut = partitions()->cut;
  const int first = partition * num_in_partition();
  TurnList turns = order_ == Order::kOfFiles
                       ? deal_files(*space_, cut.complete_files_of(partition), first, num_in_partition())
                       : deal_groups(cut.groups_of(partition), first, num_in_partition());
  turns.set_buffer_bytes(buffer_bytes_);
  return turns;
}

const TurnList& Ownership::turns_in(int partition) const {
  const auto known = turns_in_.find(partition);
  return known != turns_in_.end() ? known->second
                                  : turns_in_.emplace(partition, make_turns(partition)).first->second;
}

const Turns& Ownership::turns_at(const PieceAt& piece, bool& is_coarse) const {
  const int partition = partitions() ? partitions()->cut.partition_of(piece.number) : -1;
  is_coarse = partitions() && partition < 0;
  const TurnList& turns = !partitions() ? turns_ : is_coarse ? coarse_ : turns_in(partition);
  return turns.at(piece.position);
}

const Turns* Ownership::turns_of(int aggregator) const {
  return partitions() ? turns_in(aggregator / num_in_partition()).of(aggregator) : turns_.of(aggregator);
}

Ownership::Group Ownership::group_of(int aggregator) const {
  if (is_local()) return {aggregator, 1, 0};
  const Turns& turns = *turns_of(aggregator);
  return {turns.first, turns.n_members(), aggregator - turns.first};
}

int Ownership::largest_group() const {
  int most = 1;
  const auto add = [&](const TurnList& list) {
    for (const Turns& turns : list.all()) most = std::max(most, turns.n_members());
  };
  if (order_ != Order::kOfFiles) return most;
  add(turns_);
  for (int p = 0; partitions() && p < partitions()->cut.num_partitions(); ++p) add(make_turns(p));
  return most;
}

Ownership::Pieces Ownership::pieces_in(const PositionRange& range) const {
  return {space_->first_piece_from(range.begin), space_->first_piece_from(range.end)};
}

/// Local rule: assigns the pieces of each brick to its aggregator.
void Ownership::deal_bricks() {
  for (int number = 0; number < space_->num_layouts(); ++number) {
    const Index base = space_->first_ordinal(number);
    const auto shares =
        space_->layout(number).runs_of_shares(placement_.bricks[static_cast<std::size_t>(number)]);
    for (std::size_t a = 0; a < shares.size(); ++a) {
      for (const Layout::Run& run : shares[a]) {
        schedules_[a].runs.push_back({base + run.first, base + run.last});
      }
    }
  }
}

/// Adds the pieces that begin in these ranges.
void Ownership::give(int aggregator, const std::vector<PositionRange>& ranges) {
  for (const PositionRange& range : ranges) {
    const Pieces run = pieces_in(range);
    if (run.first < run.last) schedules_[static_cast<std::size_t>(aggregator)].runs.push_back(run);
  }
}

/// Local rule in partitions: each aggregator has tiles of its partition. Pieces of several of these tiles are
/// divided evenly among the aggregators of the partition, and the coarse part among all aggregators.
void Ownership::deal_tiles() {
  const PartitionCut& cut = partitions()->cut;
  const Stretches coarse(cut.coarse_ranges());
  for (int a = 0; a < n_aggregators_; ++a) {
    give(a, coarse.slice(share(coarse.size_bytes(), a, n_aggregators_),
                         share(coarse.size_bytes(), a + 1, n_aggregators_)));
  }
  for (int layout = 0; layout < space_->num_layouts(); ++layout) {
    if (cut.has_own_layouts()) {
      deal_own(layout);
      continue;
    }
    for (int p = 0; p < cut.num_partitions(); ++p) deal_tiles(layout, p);
  }
}

/// A layout of one partition: each of its aggregators has tiles of the layout's own blocks.
void Ownership::deal_own(int layout) {
  const int n = num_in_partition();
  const int first = space_->layout(layout).own_partition()->partition * n;
  const BlockGrid* blocks = space_->layout(layout).block_grid();
  const Index begin = space_->first_position(layout), end = begin + space_->layout(layout).stored_bytes();
  if (n == 1 || !blocks) {
    const Stretches all({{begin, end}});
    for (int k = 0; k < n; ++k) {
      give(first + k, all.slice(share(end - begin, k, n), share(end - begin, k + 1, n)));
    }
    return;
  }
  const PartitionCut& cut = partitions()->cut;
  const TileCut tiles(*blocks, n);
  std::vector<PositionRange> above;
  cut.add_blocks(layout, {0, tiles.num_coarse_blocks()}, above);
  const Stretches of_several(united(std::move(above)));
  for (int k = 0; k < n; ++k) {
    std::vector<PositionRange> ranges =
        of_several.slice(share(of_several.size_bytes(), k, n), share(of_several.size_bytes(), k + 1, n));
    for (const BlockRange& range : tiles.blocks_of(k)) cut.add_blocks(layout, range, ranges);
    give(first + k, united(std::move(ranges)));
  }
}

void Ownership::deal_tiles(int layout, int partition) {
  const PartitionCut& cut = partitions()->cut;
  const int n = num_in_partition();
  const TileCut tiles = cut.tiles(layout).within(partition, n);
  std::vector<PositionRange> above;
  for (const BlockRange& blocks : cut.tiles(layout).blocks_of(partition, tiles.digits())) {
    cut.add_blocks(layout, blocks, above);
  }
  const Stretches of_several(above);
  for (int k = 0; k < n; ++k) {
    std::vector<PositionRange> ranges =
        of_several.slice(share(of_several.size_bytes(), k, n), share(of_several.size_bytes(), k + 1, n));
    for (const BlockRange& blocks : tiles.blocks_of(k)) cut.add_blocks(layout, blocks, ranges);
    give(partition * n + k, united(std::move(ranges)));
  }
}

/// Puts the runs of each aggregator in file order, and lists them all.
void Ownership::order_runs() {
  for (std::size_t a = 0; a < schedules_.size(); ++a) {
    std::vector<Pieces>& runs = schedules_[a].runs;
    std::sort(runs.begin(), runs.end(), [](const Pieces& x, const Pieces& y) { return x.first < y.first; });
    for (const Pieces& run : runs) owner_from_.emplace_back(run.first, static_cast<int>(a));
  }
  std::sort(owner_from_.begin(), owner_from_.end());
}

void Ownership::set_buffer_bytes(Index buffer_bytes) {
  buffer_bytes_ = buffer_bytes;
  for (Schedule& schedule : schedules_) make_schedule(schedule);
  turns_.set_buffer_bytes(buffer_bytes);
  coarse_.set_buffer_bytes(buffer_bytes);
  turns_in_.clear();
  count_rounds();
}

void Ownership::count_rounds() {
  std::vector<bool> writes(static_cast<std::size_t>(n_aggregators_));
  const auto most_contents = [&](const TurnList& list) {
    Index most = 0;
    for (const Turns& turns : list.all()) {
      for (int a = turns.first; a < turns.last; ++a) {
        const Index num_contents = turns.num_contents_of(a);
        if (num_contents > 0) writes[static_cast<std::size_t>(a)] = true;
        most = std::max(most, num_contents);
      }
    }
    return most;
  };
  num_coarse_rounds_ = most_contents(coarse_);
  num_rounds_ = most_contents(turns_);
  for (int p = 0; partitions() && !is_local() && p < partitions()->cut.num_partitions(); ++p) {
    num_rounds_ = std::max(num_rounds_, most_contents(make_turns(p)));
  }
  num_rounds_ += num_coarse_rounds_;
  for (std::size_t a = 0; a < schedules_.size(); ++a) {
    writes[a] = !schedules_[a].contents.empty();
    num_rounds_ = std::max(num_rounds_, std::ssize(schedules_[a].contents));
  }
  num_writers_ = static_cast<int>(std::count(writes.begin(), writes.end(), true));
}

int Ownership::rank_of(int aggregator) const {
  return placement_.ranks.empty() ? static_cast<int>(share(n_ranks_, aggregator, n_aggregators_))
                                  : placement_.ranks[static_cast<std::size_t>(aggregator)];
}

int Ownership::aggregator_of_rank(int rank) const {
  if (!placement_.ranks.empty()) {
    const auto found =
        std::lower_bound(aggregator_of_rank_.begin(), aggregator_of_rank_.end(), std::pair(rank, 0));
    return found != aggregator_of_rank_.end() && found->first == rank ? found->second : -1;
  }
  const auto a = static_cast<int>(div_up(Index{rank} * n_aggregators_, n_ranks_));
  return a < n_aggregators_ && rank_of(a) == rank ? a : -1;
}

int Ownership::owner_of(const PieceAt& piece) const {
  if (is_local()) {
    const auto after = std::partition_point(owner_from_.begin(), owner_from_.end(),
                                            [&](const auto& owner) { return owner.first <= piece.number; });
    return (after - 1)->second;
  }
  bool is_coarse = false;
  const Turns& turns = turns_at(piece, is_coarse);
  return turns.first + static_cast<int>(turns.content_at(piece.position) % turns.n_members());
}

Ownership::Range Ownership::owners_of(const Pieces& pieces) const {
  if (is_local() || partitions() || pieces.first == pieces.last) return {0, n_aggregators_};
  return {turns_.at(space_->position_bytes(pieces.first)).first,
          turns_.at(space_->position_bytes(pieces.last - 1)).last};
}

std::vector<Ownership::Pieces> Ownership::runs(int aggregator) const {
  return runs(aggregator, {0, space_->num_pieces()});
}

std::vector<Ownership::Pieces> Ownership::runs(int aggregator, const Pieces& within) const {
  std::vector<Pieces> found;
  const auto add = [&](const Pieces& run) {
    const Pieces common{std::max(run.first, within.first), std::min(run.last, within.last)};
    if (common.first < common.last) found.push_back(common);
  };
  const auto add_turns = [&](const Turns& turns) {
    if (turns.n_members() == 1) {
      for (const PositionRange& range : turns.ranges()) add(pieces_in(range));
      return;
    }
    for (Index n = aggregator - turns.first; n < turns.num_contents(); n += turns.n_members()) {
      add(pieces_in(turns.range_of(n)));
    }
  };
  if (!is_local()) {
    if (const Turns* turns = turns_of(aggregator)) add_turns(*turns);
    if (const Turns* coarse = coarse_.of(aggregator)) add_turns(*coarse);
    std::sort(found.begin(), found.end(), [](const Pieces& x, const Pieces& y) { return x.first < y.first; });
    return found;
  }
  const std::vector<Pieces>& runs = schedules_[static_cast<std::size_t>(aggregator)].runs;
  auto run =
      std::partition_point(runs.begin(), runs.end(), [&](const Pieces& r) { return r.last <= within.first; });
  for (; run != runs.end() && run->first < within.last; ++run) add(*run);
  return found;
}

void Ownership::cut_run(const Pieces& run, std::vector<Content>& contents) const {
  struct At {
    int layout = 0;
    Piece piece;
    Index number = 0, position = 0;
  };
  At begin, before;  // the first piece of a content, and the piece before the current one
  const auto end_at = [&](Index number) {
    contents.push_back({{begin.number, number},
                        begin.layout,
                        begin.piece.field,
                        space_->layout(begin.layout).place_on_curve(begin.piece)});
  };
  const auto cut_before = [&](Index position) {
    if (before.number == begin.number || position <= begin.position + buffer_bytes_) return;
    end_at(before.number);  // the piece before does not fit
    begin = before;
  };
  space_->for_each_piece(run.first, run.last, [&](int layout, const Piece& piece) {
    const At at{layout, piece, space_->first_ordinal(layout) + piece.ordinal,
                space_->first_position(layout) + piece.position_bytes};
    if (at.number == run.first) begin = before = at;
    cut_before(at.position);
    before = at;
  });
  cut_before(space_->position_bytes(run.last));
  end_at(run.last);
}

/// Cuts the runs into contents and orders these.
void Ownership::make_schedule(Schedule& schedule) const {
  std::vector<Content> contents;
  for (const Pieces& run : schedule.runs) cut_run(run, contents);
  std::vector<std::size_t> order(contents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t n) {
    return std::tuple(contents[n].layout, contents[n].field, contents[n].on_curve, n);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  schedule.contents.resize(order.size());
  schedule.rounds_in_order.resize(order.size());
  for (std::size_t round = 0; round < order.size(); ++round) {
    schedule.contents[round] = contents[order[round]].pieces;
    schedule.rounds_in_order[order[round]] = static_cast<Index>(round);
  }
}

Index Ownership::round_of(int aggregator, const PieceAt& piece) const {
  if (!is_local()) {
    bool is_coarse = false;
    const Turns& turns = turns_at(piece, is_coarse);
    return turns.content_at(piece.position) / turns.n_members() + (is_coarse ? 0 : num_coarse_rounds_);
  }
  const Schedule& schedule = schedules_[static_cast<std::size_t>(aggregator)];
  const auto after =
      std::upper_bound(schedule.rounds_in_order.begin(), schedule.rounds_in_order.end(), piece.number,
                       [&](Index number, Index round) {
                         return number < schedule.contents[static_cast<std::size_t>(round)].first;
                       });
  return *(after - 1);
}

Ownership::Pieces Ownership::pieces(int aggregator, Index round) const {
  if (is_local()) {
    const auto& contents = schedules_[static_cast<std::size_t>(aggregator)].contents;
    return round < static_cast<Index>(contents.size()) ? contents[static_cast<std::size_t>(round)]
                                                       : Pieces{space_->num_pieces(), space_->num_pieces()};
  }
  const Turns* turns = round < num_coarse_rounds_ ? coarse_.of(aggregator) : turns_of(aggregator);
  if (!turns) return {space_->num_pieces(), space_->num_pieces()};
  const Index number = round < num_coarse_rounds_ ? round : round - num_coarse_rounds_;
  return pieces_in(turns->range_of(number * turns->n_members() + aggregator - turns->first));
}

int choose_aggregators(int n_ranks, const PieceSpace& space) {
  return choose_aggregators(n_ranks, space.stored_bytes(), space.most_writers());
}

int choose_aggregators(int n_ranks, Index stored_bytes, Index most_writers) {
  const Index worth_it = div_up(stored_bytes, kMinBytesPerAggregator);
  return static_cast<int>(std::clamp<Index>(std::min(worth_it, most_writers), 1, n_ranks));
}

}  // namespace esker
