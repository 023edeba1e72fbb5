// TransferStore: stores the full collective buffers of a transfer in the file: of each piece, what ranks
// brought.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exchange/run.h"
#include "store/store.h"
#include "transfer/file_array.h"
#include "transfer/transfer_plan.h"

namespace esker {

class TransferStore final : public BufferSink {
 public:
  /// For one transfer to `file`, where `arrays` are. References must outlive it. Allocates what store()
  /// needs; local.
  TransferStore(const TransferPlan& plan, const std::vector<FileArray>& arrays, File& file);

  /// Converts the samples to big-endian, and writes them: pieces that are covered completely by one write per
  /// contiguous part of the file, other pieces by runs.
  Status store(const Round& round, std::span<std::byte> bytes) override;
  [[nodiscard]] Index file_offset(const Round& round) const override {
    return place_at(round.content.begin).offset_bytes;
  }

 private:
  using Place = TransferPlan::Place;
  /// Positions, [begin, end).
  struct Run {
    Index begin = 0, end = 0;
  };
  [[nodiscard]] Place place_at(Index position) const { return plan_.place_at(position, arrays_); }
  Status write(Index begin, std::span<const std::byte> bytes);
  void encode(const BufferContent& content, std::span<std::byte> bytes) const;
  void find_runs(Index number);
  Status write_runs(Index begin, std::span<std::byte> bytes);
  Status fill_holes(std::size_t first, std::size_t last, const Place& place, Index begin,
                    std::span<std::byte> bytes);

  const TransferPlan& plan_;
  const std::vector<FileArray>& arrays_;
  File& file_;
  std::vector<std::byte> mask_, stored_;  // of one piece: which samples are held; what the file has
  std::vector<Run> runs_;                 // of one piece
};

}  // namespace esker
