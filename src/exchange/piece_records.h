// PieceRecords: what a rank knows of the pieces that it stores, and the transfer to the ranks that own the
// files.
//
// A file has one owner, the aggregator that stores its first piece. Only the owner writes the file's headers,
// so it needs the records (checksums, and sizes of compressed pieces) of what other aggregators store there.
#pragma once

#include <span>
#include <vector>

#include "comm/comm.h"
#include "exchange/piece_numbers.h"
#include "layout/piece_record.h"
#include "plan/plan.h"

namespace esker {

class PieceRecords {
 public:
  PieceRecords() = default;
  /// Allocates the records of the pieces that the rank of `plan` stores or receives records of. No other
  /// function allocates.
  explicit PieceRecords(const Plan& plan);

  /// The record of a piece that the rank stores.
  [[nodiscard]] PieceRecord& at(Index piece) { return records_[numbers_.of(piece)]; }
  [[nodiscard]] const PieceRecord& at(Index piece) const { return records_[numbers_.of(piece)]; }

  /// Collective, with the plan that it was made for: sends records to the owners of the files. The planned
  /// bytes move even if file operations have failed.
  void hand_over(Comm& comm, const Plan& plan);

  /// The records of pieces [first, last), all of which this rank stored or received the records of.
  [[nodiscard]] std::span<const PieceRecord> of(Index first, Index last) const {
    return {records_.data() + numbers_.of(first), static_cast<std::size_t>(last - first)};
  }

 private:
  PieceNumbers numbers_;
  std::vector<PieceRecord> records_;
  std::vector<PieceRecord> travelling_;  // sent, then received
};

}  // namespace esker
