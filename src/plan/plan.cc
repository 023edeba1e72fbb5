#include "plan/plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked.h"

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
    for (std::size_t f = 0; f < fields.size(); ++f) {
      number_of_field_[{fields[f].layout, fields[f].field}] = static_cast<int>(f);
    }
  }

  Plan make() {
    for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
      for (const VirtualGrid& relay_grid : relays_.relay_grids(f)) {
        send_own(f, relay_grid);
        if (relay_grid.boxes) relay(f, relay_grid);
        collector_.flush();
      }
    }
    Plan plan;
    plan.compresses = ownership_.order() == Ownership::Order::kOfFiles;
    plan.largest_group = ownership_.largest_group();
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
      BufferContent content =
          aggregator_ >= 0 ? collect(ownership_.pieces(aggregator_, r), traffic) : BufferContent();
      plan.rounds.push_back(finish(traffic, std::move(content), r));
      size_buffers(plan, plan.rounds.back());
    }
    plan.pool = collector_.complete();
    return plan;
  }

 private:
  /// The aggregator and the round of stored samples.
  struct Destination {
    Index position = 0;
    int aggregator = 0, rank = 0;
    RoundMessages* traffic = nullptr;  // of the round
  };
  Destination destination_of(int f, const Piece& piece) {
    Destination to;
    const int layout = fields_[static_cast<std::size_t>(f)].layout;
    to.position = space_.first_position(layout) + piece.position_bytes;
    const Ownership::PieceAt at{space_.first_ordinal(layout) + piece.ordinal, to.position};
    to.aggregator = ownership_.owner_of(at);
    to.rank = ownership_.rank_of(to.aggregator);
    to.traffic = &rounds_[static_cast<std::size_t>(ownership_.round_of(to.aggregator, at))];
    return to;
  }

  void add_segment(Outbox& box, int peer, const Segment& segment) {
    Message& message = box[peer];
    message.peer = peer;
    message.bytes += segment.bytes();
    collector_.add(message.segments, segment);
  }

  /// Calls visit(destination, piece, part, indices) for the samples of `region`.
  template <class Visit>
  void for_each_segment(int f, const VirtualGrid& relay_grid, const Box& region, const Visit& visit) {
    const FieldPatches& field = fields_[static_cast<std::size_t>(f)];
    space_.layout(field.layout)
        .for_each_segment(field.field, region, relay_grid.levels,
                          [&](const Piece& piece, const PiecePart& part, const Box& indices) {
                            visit(destination_of(f, piece), piece, part, indices);
                          });
  }

  /// Sends this rank's samples to their aggregators or relays. Samples that this rank itself collects or
  /// relays are found here, too.
  void send_own(int f, const VirtualGrid& relay_grid) {
    const std::vector<Box> patches = fields_[static_cast<std::size_t>(f)].holders->boxes_of(rank_);
    for (int p = 0; p < static_cast<int>(patches.size()); ++p) {
      const Box& patch = patches[static_cast<std::size_t>(p)];
      if (!relay_grid.boxes) {
        for_each_segment(f, relay_grid, patch,
                         [&](const Destination& to, auto& piece, auto& part, auto& indices) {
                           if (to.rank == rank_) return;
                           add_segment(to.traffic->to_aggregators, to.rank,
                                       make_segment(piece, part, to.position, f, p, indices));
                         });
        if (collector_.is_full()) collector_.flush();  // later patches are also later in each message
        continue;
      }
      relay_grid.for_each_box(patch, [&](Index number, const Box& box) {
        send_by_relay(f, relay_grid, number, p, intersect(patch, box));
      });
    }
  }

  void send_by_relay(int f, const VirtualGrid& relay_grid, Index number, int p, const Box& region) {
    for_each_segment(f, relay_grid, region,
                     [&](const Destination& to, auto& piece, auto& part, auto& indices) {
                       const int relay = finder_.relay_of(f, relay_grid, number, to.aggregator);
                       if (relay == rank_) return;
                       Outbox& outbox = relay == to.rank ? to.traffic->to_aggregators : to.traffic->to_relays;
                       add_segment(outbox, relay, make_segment(piece, part, to.position, f, p, indices));
                     });
  }

  /// Adds the samples that this rank collects as a relay.
  void relay(int f, const VirtualGrid& relay_grid) {
    for (const Index number : finder_.boxes_relayed_by(rank_, f, relay_grid)) {
      const Box box = relay_grid.boxes->box(number);
      for_each_segment(
          f, relay_grid, box, [&](const Destination& to, auto& piece, auto& part, auto& indices) {
            if (to.rank == rank_ || finder_.relay_of(f, relay_grid, number, to.aggregator) != rank_) return;
            Segment whole = make_segment(piece, part, to.position, f, kRelayed, indices);
            whole.relayed = static_cast<int>(to.traffic->relayed.size());
            to.traffic->relayed.push_back({indices, f, whole.bytes()});
            find_holders(piece, part, to.position, f, box, whole.relayed, to.traffic->from_ranks);
            add_segment(to.traffic->to_aggregators, to.rank, whole);
          });
    }
  }

  /// Finds the ranks that hold samples of a part in `region`; returns the bytes of these samples.
  Index find_holders(const Piece& piece, const PiecePart& part, Index position, int f, const Box& region,
                     int relayed, Outbox& inbox) {
    Index bytes = 0;
    const Distribution& holders = *fields_[static_cast<std::size_t>(f)].holders;
    const Box where = intersect(part.lattice.bounds(), region);
    holders.for_each_meeting(where, [&](int rank, int patch, const Box& box) {
      const Box indices = part.lattice.indices_in(intersect(box, region));
      if (indices.empty()) return;
      Segment segment = make_segment(piece, part, position, f, patch, indices);
      segment.relayed = relayed;
      bytes += segment.bytes();
      add_segment(inbox, rank, segment);
    });
    return bytes;
  }

  /// Makes the buffer of the round, and the messages that this aggregator receives for it.
  BufferContent collect(const Ownership::Pieces& pieces, RoundMessages& traffic) {
    BufferContent content;
    content.begin = space_.position_bytes(pieces.first);
    content.end = space_.position_bytes(pieces.last);
    content.first_piece = pieces.first;
    content.last_piece = pieces.last;
    space_.for_each_piece(pieces.first, pieces.last, [&](int layout, const Piece& piece) {
      const int f = number_of_field_.at({layout, piece.field});
      const Index position = space_.first_position(layout) + piece.position_bytes;
      Index covered = 0;
      for (int p = 0; p < piece.num_parts; ++p) {
        covered += collect_part(piece, space_.layout(layout).part(piece, p), position, f, traffic.from_peers);
      }
      const Index number = space_.first_ordinal(layout) + piece.ordinal;
      const Index bytes = space_.position_bytes(number + 1) - position;
      collector_.flush();
      if (covered == bytes) return;
      content.padded.push_back({position - content.begin, bytes, f});
      const Index used = used_bytes(space_.layout(layout), piece);
      const bool keeps_order = space_.layout(layout).keeps_order();
      if (keeps_order && used < bytes)
        content.unused.push_back({position - content.begin + used, bytes - used});
    });
    return content;
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

  /// Returns the bytes of a part that samples cover.
  Index collect_part(const Piece& piece, const PiecePart& part, Index position, int f, Outbox& inbox) {
    const VirtualGrid& relay_grid = relays_.relay_grid(f, part.level);
    const Box domain = fields_[static_cast<std::size_t>(f)].holders->domain();
    if (!relay_grid.boxes) return find_holders(piece, part, position, f, domain, -1, inbox);
    Index bytes = 0;
    relay_grid.for_each_box(part.lattice.bounds(), [&](Index number, const Box& box) {
      const Box indices = part.lattice.indices_in(box);
      if (indices.empty()) return;
      const int relay = finder_.relay_of(f, relay_grid, number, aggregator_);
      if (relay < 0) return;
      if (relay == rank_) {
        bytes += find_holders(piece, part, position, f, box, -1, inbox);
        return;
      }
      Segment whole = make_segment(piece, part, position, f, kRelayed, indices);
      bytes += whole.bytes();
      add_segment(inbox, relay, whole);
    });
    return bytes;
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
  std::map<std::pair<int, int>, int> number_of_field_;  // (layout, field of it) -> position in fields_
  std::vector<RoundMessages> rounds_;
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
