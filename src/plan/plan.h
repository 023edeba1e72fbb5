// Plan: what one rank sends, receives and stores in each round of an exchange. A plan contains no samples.
//
// make_plan is pure: it computes the plan of any rank from the boxes of all ranks, so tests, `esker plan` and
// the cost model run it for N ranks in one process. Sender and receiver derive the same segments in the same
// order from the same boxes. A message consists of samples only, without headers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "esker/types/box.hpp"
#include "plan/hand_overs.h"
#include "plan/node_plan.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/relays.h"
#include "plan/segment_list.h"

namespace esker {

/// What one rank sends to another in one round: segments in canonical order (position, patch, place).
struct Message {
  int peer = 0;
  Index offset_bytes = 0;  ///< in the send or receive buffer
  Index bytes = 0;
  Index buffer_begin = 0;  ///< position at which the target buffer begins; unused at relays
  SegmentList segments;
};

/// A range of bytes in a buffer.
struct ByteRange {
  Index offset_bytes = 0, bytes = 0;
};

/// A piece in a buffer that samples do not cover completely.
struct PaddedPiece {
  Index offset_bytes = 0, bytes = 0;
  int field = -1;  ///< position in the list of FieldPatches; -1: pieces of any
};

/// The content of one collective buffer: what this rank stores in one round, consecutive pieces of the
/// PieceSpace.
struct BufferContent {
  Index begin = 0, end = 0;               ///< positions (linear offsets)
  Index first_piece = 0, last_piece = 0;  ///< the pieces that begin in it: [first, last)
  std::vector<PaddedPiece> padded;        ///< cleared first, or set to fill values
  std::vector<ByteRange> unused;          ///< pages of these after the last sample: not written to a new file

  [[nodiscard]] bool complete() const { return padded.empty(); }
  [[nodiscard]] Index size_bytes() const { return end - begin; }
};

/// Samples of several ranks that a relay forwards as one segment.
struct Relayed {
  Box indices;             ///< lattice indices in the part
  int field = 0;           ///< position among the fields of the plan
  Index bytes = 0;         ///< of its samples
  Index offset_bytes = 0;  ///< in the send buffer, where they are stored dense and row-major
};

/// The first relay stage of samples that take a relay to their aggregator: from ranks to relays.
struct RelayStage {
  std::vector<Message> sends;     ///< ascending peers, without this rank itself
  std::vector<Message> receives;  ///< ascending peers, without this rank itself
  Message local;                  ///< samples of this rank that it relays itself
  std::vector<Relayed> relayed;   ///< what this rank forwards in the same round
};

struct Round {
  RelayStage relay;               ///< the first stage; empty where samples go directly
  std::vector<Message> sends;     ///< ascending peers, without this rank itself
  std::vector<Message> receives;  ///< ascending peers, without this rank itself
  Message local;                  ///< samples that stay on this rank: copied directly to the buffer
  std::vector<Message> places;    ///< to near ranks: copied directly to their buffers
  int num_visitors = 0;           ///< near ranks that copy to this rank's buffer
  BufferContent content;
};

/// In partitions: what a rank sends or copies to others, see PartitionTraffic in esker/plan.hpp.
struct PlanTraffic {
  Index crossing_messages = 0, crossing_bytes = 0;
  Index coarse_messages = 0, coarse_bytes = 0;
};

/// Room in a collective buffer, so that it can begin where its file offset is congruent to its address modulo
/// this number, see ExchangeRun::buffer().
inline constexpr Index kBufferAlignment = 64;

/// The memory of a collective buffer.
constexpr Index with_room_to_align(Index buffer_bytes) {
  return buffer_bytes > 0 ? buffer_bytes + kBufferAlignment : 0;
}

struct Plan {
  std::vector<Round> rounds;
  std::shared_ptr<const SegmentPool> pool;  ///< that describes the segments
  std::vector<HandOver> gives, takes;       ///< records of pieces in files that other ranks own
  std::vector<Ownership::Pieces> owned;  ///< by this rank: it writes the headers of files that begin with one
  // The maximum over all rounds: the sizes of the buffers. The sends of both stages are stored next to each
  // other; the receives of both stages use the same memory in turn.
  Index send_bytes = 0, receive_bytes = 0, buffer_bytes = 0;
  bool shares_buffers = false;    ///< near ranks fill each other's buffers, see place_near()
  int num_buffers = 1;            ///< buffers that only this rank fills, used cyclically: 1 or 2
  int num_slots = 1;              ///< buffers that near ranks fill, used cyclically
  Index shared_buffer_bytes = 0;  ///< the largest of those; buffer_bytes is the largest of the others
  bool relayed_apart = false;     ///< see keep_relayed_apart()
  NodePlan node;                  ///< node-level aggregation messages, see combine_by_node()
  PlanTraffic traffic;            ///< see count_partition_traffic()
  Index mask_bytes = 0;           ///< to find the runs of a piece (one-phase only)
  bool compresses = false;        ///< pieces are stored in file order, see Ownership::Order
  Index compressed_bytes = 0;     ///< for the compressed pieces of the largest buffer
  /// In partitions: how many, and those that this rank leads, as their first aggregator. 0: not divided.
  int num_partitions = 0;
  std::vector<int> leads;
  Ownership::Group group;  ///< with `compresses`: of this rank, if it aggregates
  int largest_group = 1;   ///< of all ranks

  // The largest number of transfers in progress at a time.
  std::size_t num_sends = 0, num_receives = 0;

  [[nodiscard]] Index total_buffer_bytes() const {
    return send_bytes + receive_bytes + num_buffers * with_room_to_align(buffer_bytes) +
           num_slots * with_room_to_align(shared_buffer_bytes) + mask_bytes + compressed_bytes +
           node.share_bytes;
  }
};

/// The plan of `rank`. Local, pure. The boxes of each field cover its grid exactly once (checked by the
/// caller). Cost: O(own segments + segments received as relay and as aggregator).
Plan make_plan(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
               const Relays& relays, int rank);

/// Ranks of `near` (ascending, of one node, including the plan's own) fill each other's buffers instead of
/// sending messages. Each has up to `num_slots` buffers that others fill, at most NodeBuffers::kMaxSlots. All
/// of them plan so. Local, pure.
void place_near(Plan& plan, std::span<const int> near, int num_slots);

/// Reserves the send buffer for relayed samples. For transports that take or pack a rank's own samples
/// elsewhere. Local, pure.
void keep_relayed_apart(Plan& plan);

/// The plan of a rank that stores the samples it holds and sends none (one-phase). A buffer contains
/// consecutive pieces of which the rank has samples, as many as fit in `buffer_bytes`, at least one. Other
/// ranks may hold other samples of these pieces. `ownership` only assigns the files to owners. Local, pure.
/// Cost: O(own segments).
Plan make_one_phase_plan(const PieceSpace& space, const Ownership& ownership,
                         const std::vector<FieldPatches>& fields, int rank, Index buffer_bytes);

}  // namespace esker
