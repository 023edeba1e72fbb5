#include "write/piece_heads.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "plan/hand_overs.h"

namespace esker {
namespace {

constexpr int kFewRanks = 32;  // that may all send to one rank

/// The rank that merges the heads which `rank` has for `owner`: of its group of consecutive ranks the one
/// with the owner's place in its group.
int merger_of(int rank, int owner, int n_ranks) {
  if (n_ranks <= kFewRanks) return owner;
  const int group = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n_ranks))));
  const int merger = rank / group * group + owner % group;
  return merger < n_ranks ? merger : owner;
}

void sort_unique(std::vector<Index>& pieces) {
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
}

std::vector<Index> read_pieces(std::span<const std::byte> bytes) {
  std::vector<Index> pieces(bytes.size() / sizeof(Index));
  std::memcpy(pieces.data(), bytes.data(), bytes.size());
  return pieces;
}

}  // namespace

std::size_t PieceHeads::slot_of(Index piece) const {
  return static_cast<std::size_t>(std::lower_bound(pieces_.begin(), pieces_.end(), piece) - pieces_.begin());
}

PieceHead& PieceHeads::at_position(Index position) {
  const auto after = std::upper_bound(positions_.begin(), positions_.end(), position);
  return heads_[static_cast<std::size_t>(after - positions_.begin()) - 1];
}

std::span<const PieceHead> PieceHeads::of(Index first, Index last) const {
  return {heads_.data() + slot_of(first), static_cast<std::size_t>(last - first)};
}

Status PieceHeads::connect(Comm& comm, const StepLayouts& layouts, const PieceSpace& space,
                           const Ownership& ownership, const Plan& plan, std::vector<Index> coded) {
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    pieces_ = std::move(coded);
    add_stored(layouts, space, plan);
    stages_.resize(2);
    return Status();
  }));
  const int rank = comm.rank(), n_ranks = comm.size();
  ESKER_RETURN_IF_ERROR(plan_stage(comm, stages_[0], [&](Index piece) {
    return merger_of(rank, file_owner(space, ownership, piece), n_ranks);
  }));
  ESKER_RETURN_IF_ERROR(plan_stage(comm, stages_[1], [&](Index piece) {
    const int owner = file_owner(space, ownership, piece);
    return merger_of(rank, owner, n_ranks) == rank ? owner : rank;  // others have sent it already
  }));
  return all_do(comm, "plan", [&] {
    make_room(comm, space);
    return Status();
  });
}

void PieceHeads::add_stored(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan) {
  for (const Round& round : plan.rounds) {
    for (Index piece = round.content.first_piece; piece < round.content.last_piece; ++piece) {
      if (layouts.has_heads(space.layout_of(piece))) pieces_.push_back(piece);
    }
  }
  sort_unique(pieces_);
}

/// Adds the pieces that others send to this rank.
template <class TargetOf>
Status PieceHeads::plan_stage(Comm& comm, Stage& stage, const TargetOf& target_of) {
  std::vector<OutgoingMessage> outgoing;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    std::map<int, std::vector<Index>> of_peer;
    for (const Index piece : pieces_) {
      const int target = target_of(piece);
      if (target != comm.rank()) of_peer[target].push_back(piece);
    }
    for (auto& [peer, pieces] : of_peer) stage.sends.push_back({peer, std::move(pieces), {}});
    for (const Message& message : stage.sends)
      outgoing.push_back({message.peer, std::as_bytes(std::span(message.pieces))});
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm, outgoing));
  return all_do(comm, "plan", [&] {
    for (const Delivery& from : received.deliveries) {
      stage.receives.push_back({from.rank, read_pieces(from.bytes), {}});
      const auto& pieces = stage.receives.back().pieces;
      pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
    }
    sort_unique(pieces_);
    return Status();
  });
}

void PieceHeads::make_room(Comm& comm, const PieceSpace& space) {
  heads_.resize(pieces_.size());
  for (const Index piece : pieces_) positions_.push_back(space.position_bytes(piece));
  for (Stage& stage : stages_) {
    std::size_t travelling = 0;
    for (std::vector<Message>* messages : {&stage.sends, &stage.receives}) {
      for (Message& message : *messages) {
        for (const Index piece : message.pieces) message.slots.push_back(slot_of(piece));
        travelling += message.pieces.size();
        message.pieces = {};
      }
    }
    travelling_.resize(std::max(travelling_.size(), travelling));
    comm.reserve_transfers(stage.sends.size(), stage.receives.size());
  }
}

Index PieceHeads::size_bytes() const {
  Index bytes = std::ssize(pieces_) * static_cast<Index>(2 * sizeof(Index) + sizeof(PieceHead)) +
                std::ssize(travelling_) * static_cast<Index>(sizeof(PieceHead));
  for (const Stage& stage : stages_) {
    for (const auto* messages : {&stage.sends, &stage.receives}) {
      for (const Message& message : *messages)
        bytes += static_cast<Index>(sizeof(Message)) +
                 std::ssize(message.slots) * static_cast<Index>(sizeof(std::size_t));
    }
  }
  return bytes;
}

void PieceHeads::begin_step() { std::fill(heads_.begin(), heads_.end(), PieceHead()); }

void PieceHeads::hand_over(Comm& comm) {
  for (const Stage& stage : stages_) run(comm, stage);
}

void PieceHeads::run(Comm& comm, const Stage& stage) {
  PieceHead* next = travelling_.data();
  for (const Message& message : stage.sends) {
    const std::span heads(next, message.slots.size());
    for (const std::size_t slot : message.slots) *next++ = heads_[slot];
    comm.start_send(std::as_bytes(heads), message.peer);
  }
  const PieceHead* received = next;
  for (const Message& message : stage.receives) {
    const std::span heads(next, message.slots.size());
    comm.start_receive(std::as_writable_bytes(heads), message.peer);
    next += heads.size();
  }
  comm.finish();
  for (const Message& message : stage.receives) {
    for (const std::size_t slot : message.slots) heads_[slot].merge(*received++);
  }
}

}  // namespace esker
