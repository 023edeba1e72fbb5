#include "plan/ownership.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kMinBytesPerAggregator = Index{4} << 20;

/// floor(total * part / parts) without overflow; part <= parts < 2^31.
Index share(Index total, Index part, Index parts) {
  return total / parts * part + total % parts * part / parts;
}

/// The piece boundary at or after `cut`. A cut near a boundary between two files (within `tolerance`) moves
/// to that boundary first: two writers in one file contend for its inode.
Index snap(const PieceSpace& space, Index cut, Index tolerance) {
  if (cut <= 0 || cut >= space.stored_bytes()) return cut;
  const int number = space.layout_at(cut);
  const Index base = space.first_position(number);
  const auto file = space.layout(number).file_at(cut - base);
  if (cut - (base + file.begin) <= tolerance) {
    cut = base + file.begin;
  } else if (base + file.end - cut <= tolerance) {
    cut = base + file.end;
  }
  return space.position_bytes(space.first_piece_from(cut));
}

}  // namespace

Ownership::Ownership(const PieceSpace& space, int n_ranks, int n_aggregators, Index buffer_bytes, Order order)
    : space_(&space), n_ranks_(n_ranks), n_aggregators_(n_aggregators), order_(order) {
  cut_space();
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
  if (is_local()) {
    deal_bricks();
  } else {
    cut_space();
  }
  set_buffer_bytes(buffer_bytes);
}

Index Ownership::Turns::num_contents() const { return div_up(end - begin, content_bytes); }

/// Contiguous rule: cuts the space into parts of equal bytes. A share may grow by an eighth to end with a
/// file, but not in a sparse step, whose files are of any size.
void Ownership::cut_space() {
  if (order_ == Order::kOfFiles) return deal_files();
  const Index total = space_->stored_bytes();
  const Index tolerance = space_->is_sparse() ? 0 : total / n_aggregators_ / 8;
  Index begin = 0;
  for (int a = 0; a < n_aggregators_; ++a) {
    const Index cut = snap(*space_, share(total, a + 1, n_aggregators_), tolerance);
    const Index end = std::max(cut, begin);
    turns_.push_back({a, a + 1, begin, end});
    begin = end;
  }
}

/// Rule in file order: as many groups as keep the group with the most bytes per member near the mean.
void Ownership::deal_files() {
  constexpr double kMostImbalance = 1.1;
  const std::vector<Index> ends = space_->ends_of_files();
  const double mean = static_cast<double>(space_->stored_bytes()) / n_aggregators_;
  const auto is_balanced = [&](const Turns& turns) {
    return static_cast<double>(turns.end - turns.begin) <= kMostImbalance * mean * turns.n_members();
  };
  int n_groups = static_cast<int>(std::clamp<Index>(std::ssize(ends), 1, n_aggregators_));
  turns_ = deal_files(ends, n_groups);
  while (n_groups > 1 && !std::all_of(turns_.begin(), turns_.end(), is_balanced)) {
    n_groups = (n_groups + 1) / 2;
    turns_ = deal_files(ends, n_groups);
  }
}

/// Groups of equal size; each range ends with the file whose end is nearest to the group's share.
std::vector<Ownership::Turns> Ownership::deal_files(const std::vector<Index>& ends, int n_groups) const {
  std::vector<Turns> dealt;
  Turns next;
  for (int g = 0; g < n_groups; ++g) {
    next.last = static_cast<int>(share(n_aggregators_, g + 1, n_groups));
    const Index ideal = share(space_->stored_bytes(), next.last, n_aggregators_);
    const auto after = std::lower_bound(ends.begin(), ends.end(), ideal);
    Index end = after == ends.end() ? space_->stored_bytes() : *after;
    if (after != ends.begin() && ideal - *(after - 1) < end - ideal) end = *(after - 1);
    next.end = std::max(end, next.begin);
    dealt.push_back(next);
    next.first = next.last;
    next.begin = next.end;
  }
  return dealt;
}

const Ownership::Turns& Ownership::turns_of(int aggregator) const {
  return *std::upper_bound(turns_.begin(), turns_.end(), aggregator,
                           [](int a, const Turns& turns) { return a < turns.last; });
}

/// Ranges may be empty: the last one that begins at or before the position.
const Ownership::Turns& Ownership::turns_at(Index position) const {
  return *(std::upper_bound(turns_.begin(), turns_.end(), position,
                            [](Index at, const Turns& turns) { return at < turns.begin; }) -
           1);
}

Ownership::Group Ownership::group_of(int aggregator) const {
  if (is_local()) return {aggregator, 1, 0};
  const Turns& turns = turns_of(aggregator);
  return {static_cast<int>(&turns - turns_.data()), turns.n_members(), aggregator - turns.first};
}

int Ownership::largest_group() const {
  int most = 1;
  for (const Turns& turns : turns_) most = std::max(most, turns.n_members());
  return most;
}

Ownership::Pieces Ownership::content(const Turns& turns, Index number) const {
  const Index from = std::min(turns.end, turns.begin + number * turns.content_bytes);
  const Index to = std::min(turns.end, from + turns.content_bytes);
  return {space_->first_piece_from(from), space_->first_piece_from(to)};
}

/// Local rule: assigns the pieces of each brick to its aggregator.
void Ownership::deal_bricks() {
  schedules_.resize(placement_.ranks.size());
  for (int number = 0; number < space_->num_layouts(); ++number) {
    const Index base = space_->first_ordinal(number);
    const auto shares =
        space_->layout(number).runs_of_shares(placement_.bricks[static_cast<std::size_t>(number)]);
    for (std::size_t a = 0; a < shares.size(); ++a) {
      for (const Layout::Run& run : shares[a]) {
        schedules_[a].runs.push_back({base + run.first, base + run.last});
        owner_from_.emplace_back(base + run.first, static_cast<int>(a));
      }
    }
  }
  std::sort(owner_from_.begin(), owner_from_.end());
}

void Ownership::set_buffer_bytes(Index buffer_bytes) {
  buffer_bytes_ = buffer_bytes;
  for (Schedule& schedule : schedules_) make_schedule(schedule);
  for (Turns& turns : turns_) {
    turns.content_bytes = buffer_bytes;
    const Index bytes = turns.end - turns.begin;
    if (turns.n_members() == 1 || bytes == 0) continue;
    // Members wait for each other in each round: their parts are equal.
    const Index num_rounds = div_up(bytes, turns.n_members() * buffer_bytes);
    turns.content_bytes = div_up(bytes, turns.n_members() * num_rounds);
  }
  num_rounds_ = 0;
  for (int a = 0; a < n_aggregators_; ++a) num_rounds_ = std::max(num_rounds_, num_buffers(a));
}

int Ownership::num_writers() const {
  int writers = 0;
  for (int a = 0; a < n_aggregators_; ++a) writers += num_buffers(a) > 0 ? 1 : 0;
  return writers;
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
  const Turns& turns = turns_at(piece.position);
  const Index content = (piece.position - turns.begin) / turns.content_bytes;
  return turns.first + static_cast<int>(content % turns.n_members());
}

Ownership::Range Ownership::owners_of(const Pieces& pieces) const {
  if (is_local() || pieces.first == pieces.last) return {0, n_aggregators_};
  return {turns_at(space_->position_bytes(pieces.first)).first,
          turns_at(space_->position_bytes(pieces.last - 1)).last};
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
  if (!is_local()) {
    const Turns& turns = turns_of(aggregator);
    if (turns.n_members() == 1) {
      add({space_->first_piece_from(turns.begin), space_->first_piece_from(turns.end)});
      return found;
    }
    for (Index n = aggregator - turns.first; n < turns.num_contents(); n += turns.n_members()) {
      add(content(turns, n));
    }
    return found;
  }
  const std::vector<Pieces>& runs = schedules_[static_cast<std::size_t>(aggregator)].runs;
  auto run =
      std::partition_point(runs.begin(), runs.end(), [&](const Pieces& r) { return r.last <= within.first; });
  for (; run != runs.end() && run->first < within.last; ++run) add(*run);
  return found;
}

Index Ownership::num_buffers(int aggregator) const {
  if (is_local()) return std::ssize(schedules_[static_cast<std::size_t>(aggregator)].contents);
  const Turns& turns = turns_of(aggregator);
  const Index from_its_first = turns.num_contents() - (aggregator - turns.first);
  return from_its_first <= 0 ? 0 : div_up(from_its_first, turns.n_members());
}

void Ownership::cut_run(const Pieces& run, std::vector<Pieces>& contents) const {
  Index first = run.first, begin = 0;  // of the next content, and the position of its first piece
  Index last_begin = 0;                // the position of the piece before
  const auto cut_before = [&](Index piece, Index position) {
    if (piece - 1 > first && position > begin + buffer_bytes_) {  // the piece before does not fit
      contents.push_back({first, piece - 1});
      first = piece - 1;
      begin = last_begin;
    }
    last_begin = position;
  };
  space_->for_each_piece(run.first, run.last, [&](int layout, const Piece& piece) {
    const Index number = space_->first_ordinal(layout) + piece.ordinal;
    const Index position = space_->first_position(layout) + piece.position_bytes;
    if (number == run.first) begin = last_begin = position;
    cut_before(number, position);
  });
  cut_before(run.last, space_->position_bytes(run.last));
  contents.push_back({first, run.last});
}

/// Cuts the runs into contents and orders these.
void Ownership::make_schedule(Schedule& schedule) const {
  schedule.contents.clear();
  for (const Pieces& run : schedule.runs) cut_run(run, schedule.contents);
  std::vector<std::tuple<int, int, Index, Index>> order;  // layout, field, place, content number
  for (const Pieces& content : schedule.contents) {
    const int layout = space_->layout_of(content.first);
    order.emplace_back(layout, space_->piece(content.first).field,
                       space_->layout(layout).place_on_curve(content.first - space_->first_ordinal(layout)),
                       static_cast<Index>(order.size()));
  }
  std::sort(order.begin(), order.end());
  const std::vector<Pieces> in_order = schedule.contents;
  schedule.rounds_in_order.resize(order.size());
  for (std::size_t round = 0; round < order.size(); ++round) {
    const auto content = static_cast<std::size_t>(std::get<3>(order[round]));
    schedule.contents[round] = in_order[content];
    schedule.rounds_in_order[content] = static_cast<Index>(round);
  }
}

Index Ownership::round_of(int aggregator, const PieceAt& piece) const {
  if (!is_local()) {
    const Turns& turns = turns_of(aggregator);
    return (piece.position - turns.begin) / turns.content_bytes / turns.n_members();
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
  const Turns& turns = turns_of(aggregator);
  return content(turns, round * turns.n_members() + aggregator - turns.first);
}

int choose_aggregators(int n_ranks, const PieceSpace& space) {
  return choose_aggregators(n_ranks, space.stored_bytes(), space.most_writers());
}

int choose_aggregators(int n_ranks, Index stored_bytes, Index most_writers) {
  const Index worth_it = div_up(stored_bytes, kMinBytesPerAggregator);
  return static_cast<int>(std::clamp<Index>(std::min(worth_it, most_writers), 1, n_ranks));
}

}  // namespace esker
