#include "exchange/plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace esker {
namespace {

/// Messages of one round by peer; a map keeps the peers in order.
using Outbox = std::map<int, Message>;

void add_segment(Outbox& box, int peer, Segment segment) {
  Message& message = box[peer];
  message.peer = peer;
  message.bytes += segment.bytes();
  message.segments.push_back(std::move(segment));
}

std::vector<Message> take_messages(Outbox& box, int rank, Message& local) {
  std::vector<Message> messages;
  for (auto& [peer, message] : box) {
    std::sort(message.segments.begin(), message.segments.end(), [](const Segment& a, const Segment& b) {
      return std::tie(a.position, a.patch) < std::tie(b.position, b.patch);
    });
    if (peer == rank) {
      local = std::move(message);
    } else {
      messages.push_back(std::move(message));
    }
  }
  return messages;
}

/// Puts the messages one after the other; returns the bytes of all.
Index line_up(std::vector<Message>& messages) {
  Index bytes = 0;
  for (Message& message : messages) {
    message.offset_bytes = bytes;
    bytes += message.bytes;
  }
  return bytes;
}

/// Makes the buffers of a plan large enough for a round.
void size_buffers(Plan& plan, Round& round) {
  plan.send_bytes = std::max(plan.send_bytes, line_up(round.sends));
  plan.receive_bytes = std::max(plan.receive_bytes, line_up(round.receives));
  plan.num_sends = std::max(plan.num_sends, round.sends.size());
  plan.num_receives = std::max(plan.num_receives, round.receives.size());
}

/// Everything that `rank` holds, by the round and the rank of the piece's aggregator.
std::vector<Outbox> find_sends(const PieceSpace& space, const Ownership& ownership,
                               const std::vector<FieldPatches>& fields, int rank) {
  std::vector<Outbox> rounds(static_cast<std::size_t>(ownership.num_rounds()));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldPatches& field = fields[f];
    const Index base = space.first_position(field.layout);
    const std::vector<Box> boxes = field.holders->boxes_of(rank);
    for (std::size_t p = 0; p < boxes.size(); ++p) {
      const auto add = [&](const Piece& piece, const PiecePart& part, const Box& indices) {
        const Index position = base + piece.position_bytes;
        const int owner = ownership.owner_at(position);
        add_segment(rounds[static_cast<std::size_t>(ownership.round_at(owner, position))],
                    ownership.rank_of(owner),
                    make_segment(piece, part, position, static_cast<int>(f), static_cast<int>(p), indices));
      };
      space.layout(field.layout).for_each_segment(field.field, boxes[p], add);
    }
  }
  return rounds;
}

/// Who holds samples of a part of the piece at `position`; returns how many bytes they are.
Index find_senders(const Piece& piece, const PiecePart& part, Index position, int number,
                   const Distribution& holders, Outbox& inbox) {
  Index bytes = 0;
  holders.for_each_meeting(part.lattice.bounds(), [&](int rank, int patch, const Box& box) {
    const Box indices = part.lattice.indices_in(box);
    if (indices.empty()) return;
    Segment segment = make_segment(piece, part, position, number, patch, indices);
    bytes += segment.bytes();
    add_segment(inbox, rank, std::move(segment));
  });
  return bytes;
}

/// The round's window of an aggregator and, into `inbox`, what it receives for it.
Window find_receives(const PieceSpace& space, const Ownership::Pieces& pieces,
                     const std::vector<FieldPatches>& fields,
                     const std::map<std::pair<int, int>, int>& number_of_field, Outbox& inbox) {
  Window window;
  window.begin = space.position_bytes(pieces.first);
  window.end = space.position_bytes(pieces.last);
  window.first_piece = pieces.first;
  window.last_piece = pieces.last;
  for (Index number = pieces.first; number < pieces.last; ++number) {
    const Piece piece = space.piece(number);
    const int layout = space.layout_of(number);
    const int field = number_of_field.at({layout, piece.field});
    const Index position = space.first_position(layout) + piece.position_bytes;
    Index covered = 0;
    for (int p = 0; p < piece.num_parts; ++p) {
      covered += find_senders(piece, space.layout(layout).part(piece, p), position, field,
                              *fields[field].holders, inbox);
    }
    const Index bytes = space.position_bytes(number + 1) - space.position_bytes(number);
    if (covered < bytes) window.padded.push_back({space.position_bytes(number) - window.begin, bytes});
  }
  return window;
}

/// The file at `position`, as positions in the space.
struct FileRange {
  Index begin = 0, end = 0;
};

FileRange file_range(const PieceSpace& space, Index position) {
  const int layout = space.layout_at(position);
  const Index base = space.first_position(layout);
  const Layout::FileSpan span = space.layout(layout).file_at(position - base);
  return {base + span.begin, base + span.end};
}

/// What the aggregator stores in its first file, if another one stores the beginning of that file and so owns
/// it.
std::vector<HandOver> find_gives(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  const auto [begin, end] = ownership.positions(aggregator);
  if (begin == end) return {};
  const FileRange file = file_range(space, begin);
  if (file.begin == begin) return {};
  const int owner = ownership.owner_at(file.begin);
  return {{ownership.rank_of(owner), space.first_piece_from(begin),
           space.first_piece_from(std::min(end, file.end))}};
}

/// What the following aggregators store in the file that this one began last.
std::vector<HandOver> find_takes(const PieceSpace& space, const Ownership& ownership, int aggregator) {
  const auto [begin, end] = ownership.positions(aggregator);
  std::vector<HandOver> takes;
  if (begin == end) return takes;
  const FileRange file = file_range(space, end - 1);
  if (file.begin < begin) return takes;
  for (int other = aggregator + 1; other < ownership.num_aggregators(); ++other) {
    const auto [from, to] = ownership.positions(other);
    if (from >= file.end) break;
    if (from == to) continue;
    takes.push_back({ownership.rank_of(other), space.first_piece_from(from),
                     space.first_piece_from(std::min(to, file.end))});
  }
  return takes;
}

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
               int rank) {
  std::map<std::pair<int, int>, int> number_of_field;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    number_of_field[{fields[f].layout, fields[f].field}] = static_cast<int>(f);
  }
  std::vector<Outbox> outboxes = find_sends(space, ownership, fields, rank);
  const int aggregator = ownership.aggregator_of_rank(rank);
  Plan plan;
  if (aggregator >= 0) {
    plan.owned = ownership.positions(aggregator);
    plan.gives = find_gives(space, ownership, aggregator);
    plan.takes = find_takes(space, ownership, aggregator);
    plan.num_sends = plan.gives.size();
    plan.num_receives = plan.takes.size();
  }
  for (Index r = 0; r < ownership.num_rounds(); ++r) {
    Round round;
    round.sends = take_messages(outboxes[static_cast<std::size_t>(r)], rank, round.local);
    for (Message& message : round.sends) {
      const int owner = ownership.aggregator_of_rank(message.peer);
      message.window_begin = space.position_bytes(ownership.pieces(owner, r).first);
    }
    if (aggregator >= 0) {
      Outbox inbox;
      round.window = find_receives(space, ownership.pieces(aggregator, r), fields, number_of_field, inbox);
      round.receives = take_messages(inbox, rank, round.local);
    }
    size_buffers(plan, round);
    plan.window_bytes = std::max(plan.window_bytes, round.window.size_bytes());
    plan.rounds.push_back(std::move(round));
  }
  return plan;
}

void place_near(Plan& plan, std::span<const int> near, int num_slots) {
  const auto is_near = [&](const Message& message) {
    return std::binary_search(near.begin(), near.end(), message.peer);
  };
  plan.num_slots = num_slots;
  plan.shares_windows = true;
  plan.send_bytes = plan.receive_bytes = 0;
  plan.num_sends = plan.gives.size();
  plan.num_receives = plan.takes.size();
  for (Round& round : plan.rounds) {
    for (Message& message : round.sends) {
      if (is_near(message)) round.places.push_back(std::move(message));
    }
    std::erase_if(round.sends, is_near);
    round.num_placers = static_cast<int>(std::erase_if(round.receives, is_near));
    size_buffers(plan, round);
  }
}

}  // namespace esker
