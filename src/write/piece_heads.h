// PieceHeads: the heads of pieces, merged from all ranks that contribute to them, on the ranks that own the
// files.
//
// The ranks that code samples of a piece know its errors, the rank that stores it knows its checksums. Each
// sends what it knows of a piece to the owner of the file. So that no rank receives from all others, a head
// first goes to a rank that merges those of about the square root of the number of ranks. Who sends which
// heads is planned once; a step sends the bare heads.
#pragma once

#include <span>
#include <vector>

#include "comm/comm.h"
#include "layout/piece_head.h"
#include "layout/step_layouts.h"
#include "plan/ownership.h"
#include "plan/piece_space.h"
#include "plan/plan.h"

namespace esker {

class PieceHeads {
 public:
  /// Plans the transfers and allocates all that steps need. `coded`: the pieces that this rank codes samples
  /// of. Collective; errors are those of all ranks (memory).
  Status connect(Comm& comm, const StepLayouts& layouts, const PieceSpace& space, const Ownership& ownership,
                 const Plan& plan, std::vector<Index> coded);

  [[nodiscard]] Index size_bytes() const;

  /// Forgets the heads of the step before. Allocates nothing, like all that follows.
  void begin_step();
  /// The head of a piece that this rank stores or codes samples of: by number, or by a position in it.
  [[nodiscard]] PieceHead& at(Index piece) { return heads_[slot_of(piece)]; }
  [[nodiscard]] PieceHead& at_position(Index position);
  /// Sends heads to the owners of the files. Collective. The planned bytes move in any case.
  void hand_over(Comm& comm);
  /// The heads of pieces [first, last) of a file that this rank owns.
  [[nodiscard]] std::span<const PieceHead> of(Index first, Index last) const;

 private:
  /// Heads that move between this rank and another.
  struct Message {
    int peer = 0;
    std::vector<Index> pieces;
    std::vector<std::size_t> slots;  // of the pieces
  };
  struct Stage {
    std::vector<Message> sends, receives;
  };
  [[nodiscard]] std::size_t slot_of(Index piece) const;
  void add_stored(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan);
  template <class TargetOf>
  Status plan_stage(Comm& comm, Stage& stage, const TargetOf& target_of);
  void make_room(Comm& comm, const PieceSpace& space);
  void run(Comm& comm, const Stage& stage);

  std::vector<Index> pieces_;     // known, ascending
  std::vector<Index> positions_;  // where they begin
  std::vector<PieceHead> heads_;
  std::vector<PieceHead> travelling_;  // sent, then received
  std::vector<Stage> stages_;
};

}  // namespace esker
