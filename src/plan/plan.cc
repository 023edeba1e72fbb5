#include "plan/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/checked.h"
#include "plan/alike_fields.h"

namespace esker {
namespace {

constexpr Index kPageBytes = 4096;  // granularity of the holes in files

/// Messages of one stage and round by peer; a map keeps the peers in order.
using Outbox = std::map<int, Message>;

/// Moves the messages out of the box. The message of `rank` to itself goes to `local`.
std::vector<Message> take_messages(Outbox& box, int rank, Message& local) {
  std::vector<Message> messages;
  for (auto& [peer, message] : box) {
    message.segments.sort();
    if (peer == rank) {
      local = std::move(message);
    } else {
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

/// Places the messages one after the other from `offset` on; returns the end of the last one.
Index line_up(std::vector<Message>& messages, Index offset) {
  for (Message& message : messages) {
    message.offset_bytes = offset;
    offset += message.bytes;
  }
  return offset;
}

/// Relayed samples are collected in the messages that forward them, or `apart` from the messages. Samples for
/// near ranks follow. Returns the end of the last one.
Index place_relayed(Round& round, Index end, bool apart) {
  if (round.relay.relayed.empty()) return end;
  const auto place = [&](const Segment& segment, Index offset) {
    round.relay.relayed[static_cast<std::size_t>(segment.relayed)].offset_bytes = offset;
  };
  const auto place_behind = [&](const Message& message) {
    for (const Segment& segment : message.segments) {
      if (segment.patch != kRelayed) continue;
      place(segment, end);
      end += segment.bytes();
    }
  };
  for (const Message& message : round.sends) {
    if (apart) {
      place_behind(message);
      continue;
    }
    Index offset = message.offset_bytes;
    for (const Segment& segment : message.segments) {
      if (segment.patch == kRelayed) place(segment, offset);
      offset += segment.bytes();
    }
  }
  for (const Message& message : round.places) place_behind(message);
  return end;
}

/// Assigns the messages of a round their offsets in the buffers, and enlarges the buffers as needed.
void size_buffers(Plan& plan, Round& round) {
  const Index messages_end = plan.relayed_apart ? 0 : line_up(round.sends, line_up(round.relay.sends, 0));
  plan.send_bytes = std::max(plan.send_bytes, place_relayed(round, messages_end, plan.relayed_apart));
  plan.receive_bytes =
      std::max({plan.receive_bytes, line_up(round.relay.receives, 0), line_up(round.receives, 0)});
  plan.num_sends = std::max(plan.num_sends, round.relay.sends.size() + round.sends.size());
  plan.num_receives = std::max({plan.num_receives, round.relay.receives.size(), round.receives.size()});
  Index& buffer_bytes = round.num_visitors > 0 ? plan.shared_buffer_bytes : plan.buffer_bytes;
  buffer_bytes = std::max(buffer_bytes, round.content.size_bytes());
  if (plan.compresses) plan.compressed_bytes = std::max(plan.buffer_bytes, plan.shared_buffer_bytes);
}

/// The messages that a rank sends and receives in one round.
struct RoundMessages {
  Outbox to_relays, from_ranks;       // first relay stage
  Outbox to_aggregators, from_peers;  // second relay stage
  std::vector<Relayed> relayed;
};

/// Makes the plan of one rank: the samples that it sends, relays and collects.
class Planner {
 public:
  Planner(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
          const Relays& relays, int rank)
      : space_(space),
        ownership_(ownership),
        fields_(fields),
        relays_(relays),
        finder_(relays, fields),
        rank_(rank),
        aggregator_(ownership.aggregator_of_rank(rank)),
        rounds_(static_cast<std::size_t>(ownership.num_rounds())) {
    for (std::vector<int>& alike : find_alike(space, fields, relays))
      groups_.push_back({std::move(alike), {}, {}});
    for (Group& group : groups_) {
      for (const int f : group.fields) {
        const FieldPatches& field = fields[static_cast<std::size_t>(f)];
        field_at_[{field.layout, field.field}] = {f, &group};
      }
    }
  }

  Plan make() {
    for (Group& group : groups_) {
      for (const VirtualGrid& relay_grid : relays_.relay_grids(group.fields.front())) {
        if (relay_grid.levels.empty()) continue;
        send_own(group, relay_grid);
        if (relay_grid.boxes) relay(group, relay_grid);
        collector_.flush();
      }
    }
    Plan plan;
    plan.compresses = ownership_.order() == Ownership::Order::kOfFiles;
    plan.largest_group = ownership_.largest_group();
    find_led(plan);
    if (aggregator_ >= 0) {
      plan.group = ownership_.group_of(aggregator_);
      plan.owned = ownership_.runs(aggregator_);
    }
    plan.gives = find_gives(space_, ownership_, rank_);
    plan.takes = find_takes(space_, ownership_, rank_);
    plan.num_sends = plan.gives.size();
    plan.num_receives = plan.takes.size();
    for (Index r = 0; r < ownership_.num_rounds(); ++r) {
      RoundMessages& traffic = rounds_[static_cast<std::size_t>(r)];
      BufferContent content = aggregator_ >= 0 ? collect(ownership_.pieces(aggregator_, r)) : BufferContent();
      plan.rounds.push_back(finish(traffic, std::move(content), r));
      size_buffers(plan, plan.rounds.back());
    }
    plan.pool = collector_.complete();
    return plan;
  }

 private:
  /// The partitions whose first aggregator is this rank.
  void find_led(Plan& plan) const {
    if (!ownership_.partitions()) return;
    plan.num_partitions = ownership_.partitions()->cut.num_partitions();
    for (int p = 0; p < plan.num_partitions; ++p) {
      if (ownership_.rank_of(p * ownership_.num_in_partition()) == rank_) plan.leads.push_back(p);
    }
  }

  /// A piece, and the aggregator and the round that it is stored by and in.
  struct Destination {
    Piece piece;
    int field = 0;       // position in fields_
    Index position = 0;  // linear offset
    int aggregator = 0, rank = 0;
    RoundMessages* traffic = nullptr;  // of the round
  };
  using Destinations = std::span<const Destination>;

  /// Fields whose segments are found once, see find_alike(). The rest is empty for one field.
  struct Group {
    std::vector<int> fields;                                     // positions in fields_
    std::unordered_map<Index, std::vector<Destination>> pieces;  // [id] -> that of each field
    std::unordered_map<Index, Index> covered;                    // [id] -> samples that ranks hold
  };

  Destination destination_of(int f, const Piece& piece) {
    Destination to{piece, f};
    const int layout = fields_[static_cast<std::size_t>(f)].layout;
    to.position = space_.first_position(layout) + piece.position_bytes;
    const Ownership::PieceAt at{space_.first_ordinal(layout) + piece.ordinal, to.position};
    to.aggregator = ownership_.owner_of(at);
    to.rank = ownership_.rank_of(to.aggregator);
    to.traffic = &rounds_[static_cast<std::size_t>(ownership_.round_of(to.aggregator, at))];
    return to;
  }

  /// Of the pieces of all fields of a group, given one of them. Valid until the next call.
  Destinations destinations_of(Group& group, const Piece& piece) {
    if (group.fields.size() == 1) {
      alone_ = destination_of(group.fields.front(), piece);
      return {&alone_, 1};
    }
    std::vector<Destination>& all = group.pieces[piece.id];
    if (!all.empty()) return all;
    for (const int f : group.fields) {
      const FieldPatches& field = fields_[static_cast<std::size_t>(f)];
      all.push_back(destination_of(f, space_.layout(field.layout).piece_like(piece, field.field)));
    }
    return all;
  }

  /// Adds the samples `indices` of a part, for each of `to`, to a message to or from `peer`.
  void add_segment(Destinations to, Outbox RoundMessages::*box, int peer, const PiecePart& part, int patch,
                   const Box& indices, int relayed = -1) {
    for (const Destination& next : to) {
      Message& message = (next.traffic->*box)[peer];
      message.peer = peer;
      message.bytes += indices.num_samples() * next.piece.sample_bytes;
      if (&next == &to.front()) {
        Segment segment = make_segment(next.piece, part, next.position, next.field, patch, indices);
        segment.relayed = relayed;
        collector_.add(message.segments, segment);
      } else {
        collector_.add_also({&message.segments, next.position + part.first_sample * next.piece.sample_bytes,
                             next.piece.sample_bytes, next.field});
      }
    }
  }

  /// Calls visit(destinations, part, indices) for the samples of `region`.
  template <class Visit>
  void for_each_segment(Group& group, const VirtualGrid& relay_grid, const Box& region, const Visit& visit) {
    const FieldPatches& field = fields_[static_cast<std::size_t>(group.fields.front())];
    space_.layout(field.layout)
        .for_each_segment(field.field, region, relay_grid.levels,
                          [&](const Piece& piece, const PiecePart& part, const Box& indices) {
                            visit(destinations_of(group, piece), part, indices);
                          });
  }

  /// Sends this rank's samples to their aggregators or relays. Samples that this rank itself collects or
  /// relays are found here, too.
  void send_own(Group& group, const VirtualGrid& relay_grid) {
    const int f = group.fields.front();
    const std::vector<Box> patches = fields_[static_cast<std::size_t>(f)].holders->boxes_of(rank_);
    for (int p = 0; p < static_cast<int>(patches.size()); ++p) {
      const Box& patch = patches[static_cast<std::size_t>(p)];
      if (!relay_grid.boxes) {
        for_each_segment(group, relay_grid, patch, [&](Destinations to, auto& part, auto& indices) {
          send_directly(to, part, p, indices);
        });
        if (collector_.is_full()) collector_.flush();  // later patches are also later in each message
        continue;
      }
      relay_grid.for_each_box(patch, [&](Index number, const Box& box) {
        send_by_relay(group, relay_grid, number, p, intersect(patch, box));
      });
    }
  }

  /// Fields whose pieces go to the same rank are added together.
  void send_directly(Destinations to, const PiecePart& part, int p, const Box& indices) {
    while (!to.empty()) {
      const int rank = to.front().rank;
      const auto end =
          std::find_if(to.begin(), to.end(), [&](const auto& next) { return next.rank != rank; });
      const auto count = static_cast<std::size_t>(end - to.begin());
      if (rank != rank_) {
        add_segment(to.first(count), &RoundMessages::to_aggregators, rank, part, p, indices);
      }
      to = to.subspan(count);
    }
  }

  void send_by_relay(Group& group, const VirtualGrid& relay_grid, Index number, int p, const Box& region) {
    const int f = group.fields.front();
    for_each_segment(group, relay_grid, region, [&](Destinations all, auto& part, auto& indices) {
      const Destination& to = all.front();
      const int relay = finder_.relay_of(f, relay_grid, number, to.aggregator);
      if (relay == rank_) return;
      const auto box = relay == to.rank ? &RoundMessages::to_aggregators : &RoundMessages::to_relays;
      add_segment(all, box, relay, part, p, indices);
    });
  }

  /// Adds the samples that this rank collects as a relay.
  void relay(Group& group, const VirtualGrid& relay_grid) {
    const int f = group.fields.front();
    for (const Index number : finder_.boxes_relayed_by(rank_, f, relay_grid)) {
      const Box box = relay_grid.boxes->box(number);
      for_each_segment(group, relay_grid, box, [&](Destinations all, auto& part, auto& indices) {
        const Destination& to = all.front();
        if (to.rank == rank_ || finder_.relay_of(f, relay_grid, number, to.aggregator) != rank_) return;
        const auto relayed = static_cast<int>(to.traffic->relayed.size());
        to.traffic->relayed.push_back({indices, f, indices.num_samples() * to.piece.sample_bytes});
        find_holders(all, part, box, relayed, &RoundMessages::from_ranks);
        add_segment(all, &RoundMessages::to_aggregators, to.rank, part, kRelayed, indices, relayed);
      });
    }
  }

  /// Finds the ranks that hold samples of a part in `region`; returns the number of these samples.
  Index find_holders(Destinations to, const PiecePart& part, const Box& region, int relayed,
                     Outbox RoundMessages::*inbox) {
    Index samples = 0;
    const Distribution& holders = *fields_[static_cast<std::size_t>(to.front().field)].holders;
    const Box where = intersect(part.lattice.bounds(), region);
    holders.for_each_meeting(where, [&](int rank, int patch, const Box& box) {
      const Box indices = part.lattice.indices_in(intersect(box, region));
      if (indices.empty()) return;
      samples += indices.num_samples();
      add_segment(to, inbox, rank, part, patch, indices, relayed);
    });
    return samples;
  }

  /// Makes the buffer of the round, and the messages that this aggregator receives for it.
  BufferContent collect(const Ownership::Pieces& pieces) {
    BufferContent content;
    content.begin = space_.position_bytes(pieces.first);
    content.end = space_.position_bytes(pieces.last);
    content.first_piece = pieces.first;
    content.last_piece = pieces.last;
    std::optional<Collected> before;  // its end is where the next one begins
    space_.for_each_piece(pieces.first, pieces.last, [&](int layout, const Piece& piece) {
      const Index begin = space_.first_position(layout) + piece.position_bytes;
      if (before) add_gaps(*before, begin, content);
      const auto [f, group] = field_at_.at({layout, piece.field});
      before = Collected{layout, f, piece, begin, collect_piece(*group, piece) * piece.sample_bytes};
    });
    if (before) add_gaps(*before, content.end, content);
    return content;
  }

  struct Collected {
    int layout, field;
    Piece piece;
    Index begin, covered_bytes;  ///< its position in the space, and what ranks hold of it
  };

  /// Adds what is not covered of a piece that ends at position `end`.
  void add_gaps(const Collected& collected, Index end, BufferContent& content) const {
    const auto& [number, f, piece, begin, covered_bytes] = collected;
    const Layout& layout = space_.layout(number);
    const Index bytes = end - begin;
    if (covered_bytes == bytes) return;
    content.padded.push_back({begin - content.begin, bytes, f});
    const Index used = used_bytes(layout, piece);
    if (layout.keeps_order() && used < bytes) {
      content.unused.push_back({begin - content.begin + used, bytes - used});
    }
  }

  /// The bytes of a piece up to its last sample of the grid, in whole pages.
  [[nodiscard]] static Index used_bytes(const Layout& layout, const Piece& piece) {
    Index samples = 0;
    for (int p = 0; p < piece.num_parts; ++p) {
      const PiecePart part = layout.part(piece, p);
      Box indices = part.lattice.indices_in(layout.domain());
      if (indices.empty()) continue;
      for (int a = 0; a < indices.rank; ++a) --indices.hi[a];
      samples = std::max(samples, part.first_sample + part.order.at(indices.hi) + 1);
    }
    return round_up(samples * piece.sample_bytes, kPageBytes);
  }

  /// Returns the samples of a piece that ranks hold. Finds them for all fields of the group for which this
  /// rank aggregates the piece, when it comes to the first of them.
  Index collect_piece(Group& group, const Piece& piece) {
    if (const auto known = group.covered.find(piece.id); known != group.covered.end()) return known->second;
    std::vector<Destination> mine;
    std::ranges::copy_if(destinations_of(group, piece), std::back_inserter(mine),
                         [&](const Destination& to) { return to.aggregator == aggregator_; });
    const Layout& layout = space_.layout(fields_[static_cast<std::size_t>(group.fields.front())].layout);
    Index covered = 0;
    for (int p = 0; p < piece.num_parts; ++p) covered += collect_part(mine, layout.part(piece, p));
    collector_.flush();
    if (group.fields.size() > 1) group.covered.emplace(piece.id, covered);
    return covered;
  }

  /// Returns the samples of a part that ranks hold.
  Index collect_part(Destinations mine, const PiecePart& part) {
    const int f = mine.front().field;
    const VirtualGrid& relay_grid = relays_.relay_grid(f, part.level);
    const Box domain = fields_[static_cast<std::size_t>(f)].holders->domain();
    constexpr auto kInbox = &RoundMessages::from_peers;
    if (!relay_grid.boxes) return find_holders(mine, part, domain, -1, kInbox);
    Index samples = 0;
    relay_grid.for_each_box(part.lattice.bounds(), [&](Index number, const Box& box) {
      const Box indices = part.lattice.indices_in(box);
      if (indices.empty()) return;
      const int relay = finder_.relay_of(f, relay_grid, number, aggregator_);
      if (relay < 0) return;
      if (relay == rank_) {
        samples += find_holders(mine, part, box, -1, kInbox);
        return;
      }
      samples += indices.num_samples();
      add_segment(mine, kInbox, relay, part, kRelayed, indices);
    });
    return samples;
  }

  /// Sorts the messages; those of the second stage get the start of their target buffer.
  Round finish(RoundMessages& traffic, BufferContent content, Index number) const {
    Round round;
    round.content = std::move(content);
    round.relay.sends = take_messages(traffic.to_relays, rank_, round.relay.local);
    round.relay.receives = take_messages(traffic.from_ranks, rank_, round.relay.local);
    round.relay.relayed = std::move(traffic.relayed);
    round.sends = take_messages(traffic.to_aggregators, rank_, round.local);
    round.receives = take_messages(traffic.from_peers, rank_, round.local);
    for (Message& message : round.sends) {
      const auto pieces = ownership_.pieces(ownership_.aggregator_of_rank(message.peer), number);
      message.buffer_begin = space_.position_bytes(pieces.first);
    }
    return round;
  }

  const PieceSpace& space_;
  const Ownership& ownership_;
  const std::vector<FieldPatches>& fields_;
  const Relays& relays_;
  RelayFinder finder_;
  int rank_;
  int aggregator_;
  std::vector<Group> groups_;
  std::map<std::pair<int, int>, std::pair<int, Group*>> field_at_;  // by (layout, field of it)
  std::vector<RoundMessages> rounds_;
  Destination alone_;  // see destinations_of()
  SegmentCollector collector_;
};

}  // namespace

Segment make_segment(const Piece& piece, const PiecePart& part, Index position, int field, int patch,
                     const Box& indices) {
  return {position + part.first_sample * piece.sample_bytes,
          field,
          patch,
          -1,
          indices,
          part.lattice.sub(indices),
          part.order,
          piece.sample_bytes};
}

Plan make_plan(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
               const Relays& relays, int rank) {
  return Planner(space, ownership, fields, relays, rank).make();
}

void place_near(Plan& plan, std::span<const int> near, int num_slots) {
  const auto is_near = [&](const Message& message) {
    return std::binary_search(near.begin(), near.end(), message.peer);
  };
  plan.num_slots = std::clamp(static_cast<int>(plan.rounds.size()), 1, num_slots);
  plan.shares_buffers = true;
  plan.send_bytes = plan.receive_bytes = plan.buffer_bytes = 0;
  plan.num_sends = plan.gives.size();
  plan.num_receives = plan.takes.size();
  for (Round& round : plan.rounds) {
    for (Message& message : round.sends) {
      if (is_near(message)) round.places.push_back(std::move(message));
    }
    std::erase_if(round.sends, is_near);
    round.num_visitors = static_cast<int>(std::erase_if(round.receives, is_near));
    size_buffers(plan, round);
  }
}

void keep_relayed_apart(Plan& plan) {
  plan.relayed_apart = true;
  plan.send_bytes = 0;
  for (Round& round : plan.rounds) size_buffers(plan, round);
}

}  // namespace esker
