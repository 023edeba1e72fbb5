#include "plan/traffic.h"

#include <algorithm>
#include <bit>

namespace esker {

void count_message(MessageSizes& sizes, Index bytes) {
  ++sizes[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)) - 1)];
}

TrafficCounter::TrafficCounter(const PieceSpace& space, const Ownership& ownership,
                               const std::vector<FieldPatches>& fields, const Relays& relays,
                               std::function<void()> pulse, LoadCounter* loads)
    : space_(space),
      ownership_(ownership),
      fields_(fields),
      relays_(relays),
      finder_(relays, fields),
      pulse_(std::move(pulse)),
      loads_(loads),
      ranks_(static_cast<std::size_t>(relays.num_ranks())),
      bytes_of_(ranks_.size()),
      sent_(ranks_.size()),
      received_by_relay_(ranks_.size()),
      received_by_aggregator_(ranks_.size()),
      fine_(ranks_.size()),
      coarse_(fields.size()) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    number_of_field_[{fields[f].layout, fields[f].field}] = static_cast<int>(f);
  }
}

void TrafficCounter::add_round(Index round) {
  for (int a = 0; a < ownership_.num_aggregators(); ++a) add_buffer(a, round);
  add_relayed(round);
  end_round();
}

void TrafficCounter::add_buffer(int aggregator, Index round) {
  const Ownership::Pieces pieces = ownership_.pieces(aggregator, round);
  if (pieces.first == pieces.last) return;
  space_.for_each_piece(pieces.first, pieces.last, [&](int layout, const Piece& piece) {
    const int f = number_of_field_.at({layout, piece.field});
    pulse_();
    for (int p = 0; p < piece.num_parts; ++p) {
      add_part(aggregator, f, piece, space_.layout(layout).part(piece, p));
    }
  });
  const int target = ownership_.rank_of(aggregator);
  RankTraffic& writer = ranks_[static_cast<std::size_t>(target)];
  const Index buffer_bytes = space_.position_bytes(pieces.last) - space_.position_bytes(pieces.first);
  writer.written_bytes += buffer_bytes;
  writer.buffer_bytes = std::max(writer.buffer_bytes, buffer_bytes);
  if (ownership_.order() == Ownership::Order::kOfFiles) writer.compressed_bytes = writer.buffer_bytes;
  if (loads_) loads_->add_written(target, round, pieces);
  send_all(target, {to_aggregators_, received_by_aggregator_, &NodeLoad::to_aggregators});
}

void TrafficCounter::add_part(int aggregator, int f, const Piece& piece, const PiecePart& part) {
  const Distribution& holders = *fields_[static_cast<std::size_t>(f)].holders;
  const VirtualGrid& relay_grid = relays_.relay_grid(f, part.level);
  if (!relay_grid.boxes) {
    add_held(f, part.lattice, holders.domain(), piece.sample_bytes);
    return;
  }
  const int target = ownership_.rank_of(aggregator);
  relay_grid.for_each_box(part.lattice.bounds(), [&](Index number, const Box& box) {
    const Box indices = part.lattice.indices_in(box);
    if (indices.empty()) return;
    const int relay = finder_.relay_of(f, relay_grid, number, aggregator);
    if (relay < 0) return;
    if (relay == target) {
      add_held(f, part.lattice, box, piece.sample_bytes);
      return;
    }
    add_bytes(relay, indices.num_samples() * piece.sample_bytes);
    if (relay_grid.is_coarse) return;  // its first stage is counted per relay
    shares_.clear();
    holders.add_shares(part.lattice, box, shares_);
    for (const Share& share : shares_) {
      if (share.rank != relay) add_fine(relay, share.rank, share.n_samples * piece.sample_bytes);
    }
  });
}

/// Counts the first stage: messages that ranks send to relays.
void TrafficCounter::add_relayed(Index round) {
  for (CoarseShares& shares : coarse_) shares = CoarseShares();
  for (int relay = 0; relay < relays_.num_ranks(); ++relay) {
    pulse_();
    add_coarse(relay, round);
    auto& from = fine_[static_cast<std::size_t>(relay)];
    for (const FromSource& part : from) add_bytes(part.source, part.bytes);
    from.clear();
    send_all(relay, {to_relays_, received_by_relay_, &NodeLoad::to_relays});
  }
}

// Box numbers ascend with the ranks that relay them, so that each box is visited once.
void TrafficCounter::add_coarse(int relay, Index round) {
  for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
    const VirtualGrid& relay_grid = relays_.relay_grids(f).front();
    if (!relay_grid.is_coarse || relay_grid.levels.first == relay_grid.levels.last) continue;
    CoarseShares& shares = coarse_[static_cast<std::size_t>(f)];
    const Index n_boxes = relay_grid.boxes->num_parts();
    while (shares.next_box < n_boxes &&
           coarse_relays(shares.next_box, n_boxes, relays_.num_ranks()).first <= relay) {
      find_coarse(f, shares.next_box++, round, shares);
    }
    const auto mine = shares.of_relay.find(relay);
    if (mine == shares.of_relay.end()) continue;
    for (const CoarseShare& share : mine->second) {
      add_held(f, share.samples, share.samples.bounds(), share.sample_bytes);
    }
    shares.of_relay.erase(mine);
  }
}

/// Finds the samples of a coarse box for this round's buffers.
void TrafficCounter::find_coarse(int f, Index box, Index round, CoarseShares& shares) {
  const FieldPatches& field = fields_[static_cast<std::size_t>(f)];
  const VirtualGrid& relay_grid = relays_.relay_grids(f).front();
  const Index base = space_.first_position(field.layout);
  const Index first_ordinal = space_.first_ordinal(field.layout);
  space_.layout(field.layout)
      .for_each_segment(
          field.field, relay_grid.boxes->box(box), relay_grid.levels,
          [&](const Piece& piece, const PiecePart& part, const Box& indices) {
            const Ownership::PieceAt at{first_ordinal + piece.ordinal, base + piece.position_bytes};
            const int aggregator = ownership_.owner_of(at);
            if (ownership_.round_of(aggregator, at) != round) return;
            const int relay = finder_.relay_of(f, relay_grid, box, aggregator);
            if (relay == ownership_.rank_of(aggregator)) return;
            shares.of_relay[relay].push_back({f, part.lattice.sub(indices), piece.sample_bytes});
          });
}

void TrafficCounter::add_held(int f, const Lattice& samples, const Box& region, Index sample_bytes) {
  shares_.clear();
  fields_[static_cast<std::size_t>(f)].holders->add_shares(samples, region, shares_);
  for (const Share& share : shares_) add_bytes(share.rank, share.n_samples * sample_bytes);
}

void TrafficCounter::add_bytes(int source, Index bytes) {
  Index& sum = bytes_of_[static_cast<std::size_t>(source)];
  if (sum == 0) sources_.push_back(source);
  sum += bytes;
}

// A box has few holders, so a list is as fast as a map.
void TrafficCounter::add_fine(int relay, int source, Index bytes) {
  auto& from = fine_[static_cast<std::size_t>(relay)];
  const auto known =
      std::find_if(from.begin(), from.end(), [&](const FromSource& part) { return part.source == source; });
  if (known != from.end()) {
    known->bytes += bytes;
  } else {
    from.push_back({source, bytes});
  }
}

/// Counts one message from each source to `target`; the samples of `target` itself need none.
void TrafficCounter::send_all(int target, const Stage& stage) {
  Index senders = 0;
  for (const int source : sources_) {
    const auto s = static_cast<std::size_t>(source);
    const Index bytes = std::exchange(bytes_of_[s], 0);
    if (source == target) continue;
    ++senders;
    ++ranks_[s].messages;
    ranks_[s].sent_bytes += bytes;
    sent_[s] += bytes;
    stage.received[static_cast<std::size_t>(target)] += bytes;
    count_message(stage.sizes, bytes);
    if (loads_) loads_->add_message(stage.load, source, target, bytes);
  }
  sources_.clear();
  Index& most = ranks_[static_cast<std::size_t>(target)].senders;
  most = std::max(most, senders);
}

void TrafficCounter::end_round() {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    RankTraffic& rank = ranks_[r];
    rank.send_bytes = std::max(rank.send_bytes, std::exchange(sent_[r], 0));
    const Index by_relay = std::exchange(received_by_relay_[r], 0);
    const Index by_aggregator = std::exchange(received_by_aggregator_[r], 0);
    rank.receive_bytes = std::max({rank.receive_bytes, by_relay, by_aggregator});
  }
}

}  // namespace esker
