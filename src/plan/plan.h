// Plan: what one rank sends, receives and stores in each round of an exchange - without a byte of data.
//
// make_plan is pure: it computes the plan of any rank from everybody's boxes, so tests, `esker plan` and
// the cost model run it for N ranks in one process. Sender and receiver derive the same segments in the
// same order from the same boxes; a message is bare samples.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "esker/box.hpp"
#include "plan/hand_overs.h"
#include "plan/mail_plan.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/relays.h"
#include "plan/segment_list.h"

namespace esker {

/// What goes from one rank to one other in one round: segments in canonical order (position, patch, place).
struct Message {
  int peer = 0;
  Index offset_bytes = 0;  ///< in the send or receive buffer
  Index bytes = 0;
  Index window_begin = 0;  ///< position at which the window that it is for begins; not at relays
  SegmentList segments;
};

/// Part of a window.
struct ByteRange {
  Index offset_bytes = 0, bytes = 0;
};

/// What this rank stores in one round: pieces next to each other in the PieceSpace.
struct Window {
  Index begin = 0, end = 0;               ///< positions
  Index first_piece = 0, last_piece = 0;  ///< the pieces that begin in it: [first, last)
  std::vector<ByteRange> padded;          ///< pieces that samples do not cover: they are cleared first
  std::vector<ByteRange> unused;          ///< pages of these behind the last sample: a new file needs none

  [[nodiscard]] bool complete() const { return padded.empty(); }
  [[nodiscard]] Index size_bytes() const { return end - begin; }
};

/// Samples of several ranks that a relay sends on as one segment.
struct Relayed {
  Box indices;             ///< lattice indices in the part
  Index offset_bytes = 0;  ///< in the send buffer, where they stand dense and row-major
};

/// The first hop of samples that do not go straight to their aggregator: from ranks to relays.
struct RelayHop {
  std::vector<Message> sends;     ///< ascending peers, without this rank itself
  std::vector<Message> receives;  ///< ascending peers, without this rank itself
  Message local;                  ///< own samples that this rank relays
  std::vector<Relayed> relayed;   ///< what this rank sends on in the same round
};

struct Round {
  RelayHop relay;                 ///< comes first; empty where samples go straight
  std::vector<Message> sends;     ///< ascending peers, without this rank itself
  std::vector<Message> receives;  ///< ascending peers, without this rank itself
  Message local;                  ///< what stays on this rank: copied straight to the window
  std::vector<Message> places;    ///< to near ranks: copied straight to their windows
  int num_visitors = 0;           ///< near ranks that do so to this one's
  Window window;
};

struct Plan {
  std::vector<Round> rounds;
  std::shared_ptr<const SegmentPool> pool;  ///< that the segments are described in
  std::vector<HandOver> gives, takes;    ///< what is told of pieces in files that more than one rank stores
  std::vector<Ownership::Pieces> owned;  ///< by this rank: it writes the headers of files that begin with one
  // The largest of any round: what the buffers must hold. Both hops' sends stand beside each other; their
  // receives follow one another.
  Index send_bytes = 0, receive_bytes = 0, window_bytes = 0;
  bool shares_windows = false;    ///< near ranks fill each other's, see place_near()
  int num_windows = 1;            ///< that only this rank fills, used in turn: 1 or 2
  int num_slots = 1;              ///< windows that near ranks fill, used in turn
  Index shared_window_bytes = 0;  ///< the largest of them; window_bytes is that of the others
  bool relayed_apart = false;     ///< see keep_relayed_apart()
  MailPlan mail;                  ///< messages are combined by node, see combine_by_node()
  Index mark_bytes = 0;           ///< to find the runs of a piece (one-phase only)

  // The most transfers that are on their way at a time.
  std::size_t num_sends = 0, num_receives = 0;

  [[nodiscard]] Index buffer_bytes() const {
    return send_bytes + receive_bytes + num_windows * window_bytes + num_slots * shared_window_bytes +
           mark_bytes + mail.share_bytes;
  }
};

/// The plan of `rank`. Local, pure. The boxes of each field cover its grid exactly once (checked by the
/// caller). Cost: O(own segments + segments received as relay and as aggregator).
Plan make_plan(const PieceSpace& space, const Ownership& ownership, const std::vector<FieldPatches>& fields,
               const Relays& relays, int rank);

/// Ranks of `near` (ascending, of one node, the plan's own among them) fill each other's windows instead of
/// sending messages; each has up to `num_slots` of those that others fill, at most NodeWindows::kMaxSlots.
/// All of them plan so. Local, pure.
void place_near(Plan& plan, std::span<const int> near, int num_slots);

/// The send buffer holds no messages, only what is relayed: for transports that take or pack own samples
/// elsewhere. Local, pure.
void keep_relayed_apart(Plan& plan);

/// The plan of a rank that stores the samples it holds and sends none (one-phase). A window holds
/// neighbouring pieces of which the rank has samples, as many as fit in `window_bytes`, at least one; other
/// ranks may hold other samples of them. `ownership` says only whose the files are. Local, pure. Cost: O(own
/// segments).
Plan make_one_phase_plan(const PieceSpace& space, const Ownership& ownership,
                         const std::vector<FieldPatches>& fields, int rank, Index window_bytes);

}  // namespace esker
