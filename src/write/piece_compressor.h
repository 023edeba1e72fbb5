// PieceCompressor: compresses the pieces of collective buffers, and finds their places in files.
//
// A file with compressed pieces is stored in file order by a group of ranks (plan/ownership.h). In each round
// the members compress what they collected, and learn how many bytes the others have: a member's pieces begin
// where those of the member before it end, and its pieces of the next round where those of the last one end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "exchange/piece_records.h"
#include "layout/step_layouts.h"
#include "plan/piece_space.h"
#include "plan/plan.h"
#include "write/raw_pieces.h"

namespace esker {

class PieceCompressor {
 public:
  /// Allocates what all rounds need, on up to `threads` threads. Local. `layouts` and `space` must outlive
  /// it.
  PieceCompressor(const StepLayouts& layouts, const PieceSpace& space, int threads);
  /// Its memory, and what that will be; the same on all ranks.
  [[nodiscard]] Index size_bytes() const { return std::ssize(scratch_); }
  [[nodiscard]] static Index size_bytes(const StepLayouts& layouts, int threads);

  /// Connects the ranks that store the same files. Collective; may throw after it has communicated.
  void connect(Comm& comm, const Plan& plan);
  /// Whether this rank stores its files alone.
  [[nodiscard]] bool is_alone() const { return !group_; }

  /// Before the first round of a step.
  void begin_step(Index step);

  /// Compresses the pieces [first, last) of one layout. Their samples begin at `samples`, in which each piece
  /// is at its position; so is its stored form in `compressed`. Those that `raw` skips are not compressed.
  /// Sets the records but for offsets. Local.
  Status compress(const Ownership::Pieces& pieces, const RawPieces& raw, std::span<const std::byte> samples,
                  std::span<std::byte> compressed, PieceRecords& records);
  /// Sets the offsets of the compressed pieces among [first, last). Collective over the ranks that store the
  /// same files: once per round, also on a rank without pieces, or that failed to compress them. That rank
  /// has no valid records; it counts the size of its samples.
  void place(const Ownership::Pieces& pieces, bool has_failed, PieceRecords& records);

  /// Stores bytes at an offset of a file of a layout.
  using StoreRun =
      std::function<Status(int layout, Index file, Index offset_bytes, std::span<std::byte> bytes)>;
  /// Moves the stored forms of the pieces [first, last) of one layout together in `samples`, which it
  /// overwrites, and stores those of each file by one call. `compressed`: as by compress(). Local.
  Status store(const Ownership::Pieces& pieces, std::span<std::byte> samples,
               std::span<const std::byte> compressed, const PieceRecords& records,
               const StoreRun& store_run) const;

 private:
  /// The bytes that pieces add to the files that are being stored.
  struct Extent {
    bool begins_file = false;
    Index bytes = 0;  ///< with begins_file: the end of the last file

    [[nodiscard]] Index end_after(Index end) const { return begins_file ? bytes : end + bytes; }
    [[nodiscard]] std::uint64_t packed() const;
    static Extent unpack(std::uint64_t packed);
  };
  /// Calls visit(number of the piece, piece, offset of the first byte of its file's data if it begins a file,
  /// else -1) for the compressed pieces among [first, last).
  template <class Visit>
  void for_each_piece(const Ownership::Pieces& pieces, const Visit& visit) const;
  [[nodiscard]] bool is_raw(int layout, const Piece& piece, const PieceRecord& record) const;
  [[nodiscard]] Extent extent_of(const Ownership::Pieces& pieces, bool has_failed,
                                 PieceRecords& records) const;

  const StepLayouts& layouts_;
  const PieceSpace& space_;
  int threads_;
  std::size_t scratch_bytes_;  // per thread
  std::vector<std::byte> scratch_;
  std::unique_ptr<Comm> group_;         // null: no other rank stores this rank's files
  std::vector<std::uint64_t> extents_;  // of the members, packed
  Index step_ = 0;
  Index end_bytes_ = 0;  // of what the group has stored in the last file
};

}  // namespace esker
