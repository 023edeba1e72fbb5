#include "plan/turns.h"

#include <algorithm>

#include "base/checked.h"

namespace esker {
namespace {

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

/// The value of `ascending` that is nearest to `wanted`.
Index nearest(const std::vector<Index>& ascending, Index wanted) {
  const auto after = std::lower_bound(ascending.begin(), ascending.end(), wanted);
  if (after == ascending.end()) return ascending.back();
  const bool is_lower = after != ascending.begin() && wanted - *(after - 1) < *after - wanted;
  return is_lower ? *(after - 1) : *after;
}

/// The places at which the files of `ranges` end.
std::vector<Index> ends_of_files(const PieceSpace& space, const std::vector<PositionRange>& ranges) {
  std::vector<Index> ends;
  Index before = 0;
  for (const PositionRange& range : ranges) {
    for (Index position = range.begin; position < range.end;) {
      position = space.file_at(position).end;
      ends.push_back(before + position - range.begin);
    }
    before += range.end - range.begin;
  }
  return ends;
}

/// Groups of equal size; each one ends with the file whose end is nearest to the group's share.
TurnList deal_to_groups(const std::vector<PositionRange>& ranges, const std::vector<Index>& ends,
                        int first_aggregator, int n_aggregators, int n_groups) {
  TurnList dealt(ranges, first_aggregator);
  int first = 0;
  for (int g = 0; g < n_groups; ++g) {
    const auto last = static_cast<int>(share(n_aggregators, g + 1, n_groups));
    const Index ideal = share(dealt.stretches().size_bytes(), last, n_aggregators);
    const Index end = ends.empty() ? ideal : nearest(ends, ideal);
    dealt.next(last - first, std::max(end, dealt.end()));
    first = last;
  }
  return dealt;
}

}  // namespace

Turns::Turns(int from, int to, const std::vector<PositionRange>& ranges) : first(from), last(to) {
  for (const PositionRange& range : ranges) {
    by_position_.push_back(parts_.size());
    parts_.push_back({range, 0});
  }
  std::sort(by_position_.begin(), by_position_.end(),
            [&](std::size_t a, std::size_t b) { return parts_[a].range.begin < parts_[b].range.begin; });
}

void Turns::set_content_bytes(Index bytes) {
  content_bytes_ = bytes;
  Index content = 0;
  for (Part& part : parts_) {
    part.first_content = content;
    content += div_up(part.range.end - part.range.begin, bytes);
  }
}

Index Turns::num_contents() const {
  if (parts_.empty()) return 0;
  const Part& part = parts_.back();
  return part.first_content + div_up(part.range.end - part.range.begin, content_bytes_);
}

Index Turns::num_contents_of(int aggregator) const {
  const Index from_its_first = num_contents() - (aggregator - first);
  return from_its_first <= 0 ? 0 : div_up(from_its_first, n_members());
}

Index Turns::content_at(Index position) const {
  const auto after =
      std::upper_bound(by_position_.begin(), by_position_.end(), position,
                       [&](Index at, std::size_t part) { return at < parts_[part].range.begin; });
  const Part& part = parts_[*(after - 1)];
  return part.first_content + (position - part.range.begin) / content_bytes_;
}

PositionRange Turns::range_of(Index content) const {
  if (parts_.empty()) return {};
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), content,
                       [](Index number, const Part& part) { return number < part.first_content; });
  const Part& part = *(after - 1);
  const Index begin = part.range.begin + (content - part.first_content) * content_bytes_;
  return {std::min(part.range.end, begin), std::min(part.range.end, begin + content_bytes_)};
}

std::vector<PositionRange> Turns::ranges() const {
  std::vector<PositionRange> ranges;
  for (const Part& part : parts_) ranges.push_back(part.range);
  return ranges;
}

TurnList::TurnList(const std::vector<PositionRange>& ranges, int first_aggregator)
    : stretches_(ranges), next_aggregator_(first_aggregator) {}

void TurnList::next(int n_members, Index end) {
  turns_.emplace_back(next_aggregator_, next_aggregator_ + n_members, stretches_.slice(this->end(), end));
  next_aggregator_ += n_members;
  ends_.push_back(end);
}

/// Turns may be without places: the last ones that begin at or before the position.
const Turns& TurnList::at(Index position) const {
  const auto after = std::upper_bound(ends_.begin(), ends_.end(), stretches_.place_of(position));
  return turns_[std::min<std::size_t>(static_cast<std::size_t>(after - ends_.begin()), turns_.size() - 1)];
}

const Turns* TurnList::of(int aggregator) const {
  const auto found = std::upper_bound(turns_.begin(), turns_.end(), aggregator,
                                      [](int a, const Turns& turns) { return a < turns.last; });
  return found != turns_.end() && found->contains(aggregator) ? &*found : nullptr;
}

void TurnList::set_buffer_bytes(Index buffer_bytes) {
  for (Turns& turns : turns_) {
    Index content_bytes = buffer_bytes, bytes = 0;
    for (const PositionRange& range : turns.ranges()) bytes += range.end - range.begin;
    if (turns.n_members() > 1 && bytes > 0) {
      // Members wait for each other in each round: their parts are equal.
      const Index num_rounds = div_up(bytes, turns.n_members() * buffer_bytes);
      content_bytes = div_up(bytes, turns.n_members() * num_rounds);
    }
    turns.set_content_bytes(content_bytes);
  }
}

TurnList deal_evenly(const PieceSpace& space, int n_aggregators) {
  const Index total = space.stored_bytes();
  const Index tolerance = space.is_sparse() ? 0 : total / n_aggregators / 8;
  TurnList dealt({{0, total}});
  for (int a = 0; a < n_aggregators; ++a) {
    dealt.next(1, std::max(dealt.end(), snap(space, share(total, a + 1, n_aggregators), tolerance)));
  }
  return dealt;
}

TurnList deal_files(const PieceSpace& space, const std::vector<PositionRange>& ranges, int first_aggregator,
                    int n_aggregators) {
  constexpr double kMostImbalance = 1.1;
  const std::vector<Index> ends = ends_of_files(space, ranges);
  int n_groups = static_cast<int>(std::clamp<Index>(std::ssize(ends), 1, n_aggregators));
  for (;; n_groups = (n_groups + 1) / 2) {
    TurnList dealt = deal_to_groups(ranges, ends, first_aggregator, n_aggregators, n_groups);
    const double mean = static_cast<double>(dealt.stretches().size_bytes()) / n_aggregators;
    const auto is_balanced = [&](const Turns& turns) {
      Index bytes = 0;
      for (const PositionRange& range : turns.ranges()) bytes += range.end - range.begin;
      return static_cast<double>(bytes) <= kMostImbalance * mean * turns.n_members();
    };
    if (n_groups == 1 || std::all_of(dealt.all().begin(), dealt.all().end(), is_balanced)) return dealt;
  }
}

TurnList deal_groups(const std::vector<std::vector<PositionRange>>& groups, int first_aggregator, int n) {
  std::vector<PositionRange> ranges;
  std::vector<Index> ends{0};
  for (const std::vector<PositionRange>& group : groups) {
    ends.push_back(ends.back());
    for (const PositionRange& range : group) ends.back() += range.end - range.begin;
    ranges.insert(ranges.end(), group.begin(), group.end());
  }
  TurnList dealt(ranges, first_aggregator);
  for (int a = 0; a < n; ++a) {
    const Index mean = (ends.back() - dealt.end()) / (n - a);  // of the rest
    const Index ideal = a + 1 == n ? ends.back() : dealt.end() + mean;
    const Index end = nearest(ends, ideal);
    dealt.next(1, std::abs(end - ideal) <= mean / 8 ? std::max(end, dealt.end()) : ideal);
  }
  return dealt;
}

TurnList deal_to_some(const std::vector<PositionRange>& ranges, Index num_pieces, int n_aggregators) {
  TurnList dealt(ranges);
  const auto n = static_cast<int>(std::min<Index>(num_pieces, n_aggregators));
  for (int i = 0; i < n; ++i) {
    dealt.skip_to(static_cast<int>(share(n_aggregators, i, n)));
    dealt.next(1, share(dealt.stretches().size_bytes(), i + 1, n));
  }
  return dealt;
}

}  // namespace esker
