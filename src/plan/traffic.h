// TrafficCounter: totals of the plans of all ranks, without making the plans.
//
// A plan lists every segment; the plans of a million ranks would not fit in memory. The counter visits the
// buffers of all aggregators once, and counts what each rank holds of a piece. For Cartesian splits this is a
// product of one list per axis. The counts are exactly those of make_plan for all ranks (ensured by a test).
#pragma once

#include <array>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "plan/known_shares.h"
#include "plan/load_counter.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/plan.h"
#include "plan/relays.h"

namespace esker {

/// What one rank does in a step.
struct RankTraffic {
  Index messages = 0;       ///< sent to other ranks
  Index senders = 0;        ///< the most ranks that it receives from in one stage of one round
  Index sent_bytes = 0;     ///< to other ranks
  Index written_bytes = 0;  ///< stored by this rank
  Index send_bytes = 0, receive_bytes = 0, buffer_bytes = 0, compressed_bytes = 0;  ///< as in Plan

  /// Adds later rounds.
  void add(const RankTraffic& rounds);
  friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// Messages by size: [i] counts those of 2^i ... 2^(i+1) - 1 bytes.
using MessageSizes = std::array<Index, 63>;

/// Adds one message.
void count_message(MessageSizes& sizes, Index bytes);

class TrafficCounter {
 public:
  /// All arguments must outlive it. `pulse` is called often, and may throw to end the counting. `loads`, if
  /// given, also counts what nodes and files get.
  TrafficCounter(
      const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
      const Relays& relays, std::function<void()> pulse = [] {}, LoadCounter* loads = nullptr);

  /// Counts one round of all ranks. Called once for each round of the ownership.
  void add_round(Index round);

  [[nodiscard]] const std::vector<RankTraffic>& ranks() const { return ranks_; }
  [[nodiscard]] const MessageSizes& to_relays() const { return to_relays_; }
  [[nodiscard]] const MessageSizes& to_aggregators() const { return to_aggregators_; }
  /// In partitions: messages between ranks of two of them, and their bytes.
  [[nodiscard]] Index crossing_messages() const { return crossing_messages_; }
  [[nodiscard]] Index crossing_bytes() const { return crossing_bytes_; }

 private:
  /// Samples of a piece that a relay collects in a coarse box.
  struct CoarseShare {
    int field = 0;
    Lattice samples;
    Index sample_bytes = 0;
  };
  using SharesOfRelays = std::map<int, std::vector<CoarseShare>>;
  struct FromSource {
    int source = 0;
    Index bytes = 0;
  };

  void add_buffer(int aggregator, Index round);
  void add_piece(int aggregator, int f, int layout, const Piece& piece);
  void add_part(int aggregator, int f, const Piece& piece, const PiecePart& part);
  void add_relayed(Index round);
  void send_to_relay(int relay);
  void find_coarse_of(int relay, Index round);
  void find_coarse(int f, const VirtualGrid& relay_grid, Index box, Index round);
  void add_round_in_partitions(Index round);
  void add_partition(int partition, Index round);
  void find_coarse_in(int partition, Index round);
  void send_to_relays_in(int partition);
  void add_held(int f, const Lattice& samples, const Box& region, Index sample_bytes);
  void add_shares(const std::vector<Share>& shares, Index sample_bytes);
  void add_bytes(int source, Index bytes);
  void add_fine(int relay, int source, Index bytes);
  /// The messages of one of the two stages.
  struct Stage {
    MessageSizes& sizes;
    std::vector<Index>& received;
    StageLoad NodeLoad::*load;
  };
  void send_all(int target, const Stage& stage);
  void end_round();

  const PieceSpace& space_;
  const Ownership& ownership_;
  const std::vector<FieldPatches>& fields_;
  const Relays& relays_;
  RelayFinder finder_;
  KnownShares known_;
  std::function<void()> pulse_;
  LoadCounter* loads_;
  std::map<std::pair<int, int>, int> number_of_field_;
  std::vector<RankTraffic> ranks_;
  MessageSizes to_relays_{}, to_aggregators_{};
  // Of the current message targets: bytes by source, and the sources that have some.
  std::vector<Index> bytes_of_;
  std::vector<int> sources_;
  std::vector<Share> shares_;  // of the current piece
  // Of the current round, by rank.
  std::vector<Index> sent_, received_by_relay_, received_by_aggregator_;
  std::vector<std::vector<FromSource>> fine_;  // [relay]
  std::vector<Index> next_box_;                // [field], of its coarse boxes, without partitions
  SharesOfRelays coarse_;                      // of the boxes visited so far
  bool keeps_coarse_ = false;                  // add_part() adds to coarse_
  Index crossing_messages_ = 0, crossing_bytes_ = 0;
};

}  // namespace esker
