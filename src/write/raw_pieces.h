// RawPieces: the pieces of this rank that the last two committed steps store raw. The next step stores them
// raw, too, without trying to compress them, unless its number is a multiple of kTryEvery.
//
// Only committed files decide. So the bytes of a step do not depend on which rank stored which pieces before,
// nor on whether the run was interrupted. What this object has not seen itself it reads from the files.
#pragma once

#include <span>
#include <vector>

#include "exchange/piece_numbers.h"
#include "exchange/piece_records.h"
#include "layout/step_layouts.h"
#include "plan/piece_space.h"
#include "plan/plan.h"
#include "store/store.h"

namespace esker {

class RawPieces {
 public:
  static constexpr Index kTryEvery = 8;  ///< steps of the dataset

  RawPieces() = default;
  /// For the pieces that the rank of `plan` stores. Allocates 2 bits for each.
  RawPieces(const StepLayouts& layouts, const PieceSpace& space, const Plan& plan);
  [[nodiscard]] Index size_bytes() const { return static_cast<Index>(numbers_.size() / 4); }

  /// Which files the last steps have.
  struct Place {
    Index step = 0;     ///< the next one
    Index rewinds = 0;  ///< how often steps were removed
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// Before the first piece of a step. May read the files of the two steps before it. Local; does not fail:
  /// pieces whose files cannot be read are not skipped.
  void begin_step(Store& store, const Place& place);
  /// Whether a piece is stored raw in this step without trying. Any number of threads may call it.
  [[nodiscard]] bool skips(Index piece) const { return skips_ && is_raw_twice(numbers_.of(piece)); }
  [[nodiscard]] Index num_skipped() const;
  /// The step is committed; `records`: of its pieces. Local, allocates nothing.
  void end_step(const PieceRecords& records);

 private:
  [[nodiscard]] bool is_raw_twice(std::size_t number) const { return before_[number] && last_[number]; }
  void read(Store& store, Index step, std::vector<bool>& raw) const;
  Status read_file(Store& store, Index step, std::span<const Ownership::Pieces> pieces,
                   std::vector<bool>& raw) const;

  const StepLayouts* layouts_ = nullptr;
  const PieceSpace* space_ = nullptr;
  PieceNumbers numbers_;
  std::vector<bool> before_,
      last_;          // [number of the piece]: raw in the step before the last one, and in that
  Place seen_{-1};    // what follows the last one
  int num_seen_ = 0;  // of the two
  bool skips_ = false;
};

}  // namespace esker
