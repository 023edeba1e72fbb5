#include "plan/traffic.h"

#include <algorithm>
#include <bit>

namespace esker {

void RankTraffic::add(const RankTraffic& rounds) {
  messages += rounds.messages;
  sent_bytes += rounds.sent_bytes;
  written_bytes += rounds.written_bytes;
  for (Index RankTraffic::*most :
       {&RankTraffic::senders, &RankTraffic::send_bytes, &RankTraffic::receive_bytes,
        &RankTraffic::buffer_bytes, &RankTraffic::compressed_bytes}) {
    this->*most = std::max(this->*most, rounds.*most);
  }
}

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
      known_(space, fields, relays),
      pulse_(std::move(pulse)),
      loads_(loads),
      ranks_(static_cast<std::size_t>(relays.num_ranks())),
      bytes_of_(ranks_.size()),
      sent_(ranks_.size()),
      received_by_relay_(ranks_.size()),
      received_by_aggregator_(ranks_.size()),
      fine_(ranks_.size()),
      next_box_(fields.size()) {
  for (std::size_t f = 0; f < fields.size(); ++f) {
    number_of_field_[{fields[f].layout, fields[f].field}] = static_cast<int>(f);
  }
}

void TrafficCounter::add_round(Index round) {
  if (ownership_.partitions()) return add_round_in_partitions(round);
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
    add_piece(aggregator, f, layout, piece);
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

void TrafficCounter::add_piece(int aggregator, int f, int layout, const Piece& piece) {
  if (const std::vector<Share>* known = known_.find(f, piece)) return add_shares(*known, piece.sample_bytes);
  for (int p = 0; p < piece.num_parts; ++p) {
    const PiecePart part = space_.layout(layout).part(piece, p);
    add_part(aggregator, f, piece, part);
    if (piece.num_parts == 1 && !relays_.relay_grid(f, part.level).boxes) known_.keep(f, piece, shares_);
  }
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
    if (relay_grid.is_coarse) {  // its first stage is counted per relay
      if (keeps_coarse_) coarse_[relay].push_back({f, part.lattice.sub(indices), piece.sample_bytes});
      return;
    }
    shares_.clear();
    holders.add_shares(part.lattice, box, shares_);
    for (const Share& share : shares_) {
      if (share.rank != relay) add_fine(relay, share.rank, share.n_samples * piece.sample_bytes);
    }
  });
}

/// Counts the first stage: messages that ranks send to relays.
void TrafficCounter::add_relayed(Index round) {
  std::fill(next_box_.begin(), next_box_.end(), 0);
  for (int relay = 0; relay < relays_.num_ranks(); ++relay) {
    find_coarse_of(relay, round);
    send_to_relay(relay);
  }
}

/// Counts what ranks send to a relay for coarse and for restructured boxes.
void TrafficCounter::send_to_relay(int relay) {
  pulse_();
  if (const auto mine = coarse_.find(relay); mine != coarse_.end()) {
    for (const CoarseShare& share : mine->second) {
      add_held(share.field, share.samples, share.samples.bounds(), share.sample_bytes);
    }
    coarse_.erase(mine);
  }
  auto& from = fine_[static_cast<std::size_t>(relay)];
  for (const FromSource& part : from) add_bytes(part.source, part.bytes);
  from.clear();
  send_all(relay, {to_relays_, received_by_relay_, &NodeLoad::to_relays});
}

// Box numbers ascend with the ranks that relay them, so that each box is visited once.
void TrafficCounter::find_coarse_of(int relay, Index round) {
  for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
    const VirtualGrid& relay_grid = relays_.relay_grids(f).front();
    if (!relay_grid.is_coarse || relay_grid.levels.empty()) continue;
    Index& next_box = next_box_[static_cast<std::size_t>(f)];
    const Index n_boxes = relay_grid.boxes->num_parts();
    while (next_box < n_boxes && coarse_relays(next_box, n_boxes, relays_.num_ranks()).first <= relay) {
      find_coarse(f, relay_grid, next_box++, round);
    }
  }
}

/// Finds the samples of a coarse box for this round's buffers.
void TrafficCounter::find_coarse(int f, const VirtualGrid& relay_grid, Index box, Index round) {
  const FieldPatches& field = fields_[static_cast<std::size_t>(f)];
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
            coarse_[relay].push_back({f, part.lattice.sub(indices), piece.sample_bytes});
          });
}

// The pieces of a partition are relayed by its own aggregators, so that it is counted on its own, unless
// samples take other relays, too. The coarse part has few pieces with samples of many boxes, which are
// visited box by box instead of listing all pairs of piece and box.
void TrafficCounter::add_round_in_partitions(Index round) {
  const PartitionCut& cut = ownership_.partitions()->cut;
  const bool is_coarse = round < ownership_.num_coarse_rounds();
  keeps_coarse_ = !is_coarse;
  const auto is_fine = [](const VirtualGrid& grid) { return grid.boxes && !grid.is_coarse; };
  bool is_apart = !is_coarse && !cut.has_complete_files() && !ownership_.is_local();
  for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
    is_apart = is_apart && std::ranges::none_of(relays_.relay_grids(f), is_fine);
  }
  for (int p = 0; p < cut.num_partitions(); ++p) {
    add_partition(p, round);
    if (is_apart) send_to_relays_in(p);
  }
  for (int p = 0; p < cut.num_partitions() && !is_apart; ++p) {
    if (is_coarse) find_coarse_in(p, round);
    send_to_relays_in(p);
  }
  for (int relay = 0; relay < relays_.num_ranks() && !is_apart; ++relay) {
    if (!fine_[static_cast<std::size_t>(relay)].empty()) send_to_relay(relay);
  }
  end_round();
}

void TrafficCounter::add_partition(int partition, Index round) {
  const int first = partition * ownership_.num_in_partition();
  for (int k = 0; k < ownership_.num_in_partition(); ++k) add_buffer(first + k, round);
}

void TrafficCounter::find_coarse_in(int partition, Index round) {
  for (int f = 0; f < static_cast<int>(fields_.size()); ++f) {
    const VirtualGrid& relay_grid = relays_.relay_grids(f).front();
    const bool is_of_coarse_part =
        relay_grid.is_coarse &&
        relay_grid.levels.contains(space_.layout(fields_[static_cast<std::size_t>(f)].layout).levels().first);
    if (!is_of_coarse_part) continue;
    for (const Index box : relays_.coarse_boxes_in(partition, relay_grid)) {
      find_coarse(f, relay_grid, box, round);
    }
  }
}

void TrafficCounter::send_to_relays_in(int partition) {
  const int first = partition * ownership_.num_in_partition();
  for (int k = 0; k < ownership_.num_in_partition(); ++k) send_to_relay(ownership_.rank_of(first + k));
}

void TrafficCounter::add_held(int f, const Lattice& samples, const Box& region, Index sample_bytes) {
  shares_.clear();
  fields_[static_cast<std::size_t>(f)].holders->add_shares(samples, region, shares_);
  add_shares(shares_, sample_bytes);
}

void TrafficCounter::add_shares(const std::vector<Share>& shares, Index sample_bytes) {
  for (const Share& share : shares) add_bytes(share.rank, share.n_samples * sample_bytes);
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
  Index senders = 0, from_other_nodes = 0;
  const auto* of_rank = ownership_.partitions() ? &ownership_.partitions()->of_rank : nullptr;
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
    if (loads_) from_other_nodes += loads_->add_message(stage.load, source, target, bytes);
    if (of_rank && (*of_rank)[s] != (*of_rank)[static_cast<std::size_t>(target)]) {
      ++crossing_messages_;
      crossing_bytes_ += bytes;
    }
  }
  sources_.clear();
  if (loads_) loads_->add_receives(stage.load, target, from_other_nodes);
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
