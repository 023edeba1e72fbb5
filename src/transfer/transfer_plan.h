// TransferPlan: how the boxes that ranks bring of several arrays reach the file, or those that they want
// reach the ranks. Made before samples move, for arrays of certain shapes wherever they are in the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "exchange/buffers.h"
#include "exchange/delivery.h"
#include "exchange/message_transport.h"
#include "exchange/prepare.h"
#include "layout/chunked.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "transfer/claims.h"
#include "transfer/file_array.h"
#include "transfer/wanted_runs.h"

namespace esker {

class TransferPlan {
 public:
  struct Limits {
    Index kept_bytes = 0;       ///< of this rank's other plans, which count in the budget
    int most_writers = 0;       ///< ranks that aggregate, if the policy does not say how many; 0: no limit
    Index piece_bytes = 0;      ///< of a piece, at most; set by make()
    Index cheap_gap_bytes = 0;  ///< of the file: smaller gaps are read through
  };
  /// A plan for these arrays, which are equal on all ranks, and the boxes of this rank. Boxes that ranks want
  /// may overlap, and each rank gets its own. `buffers` are enlarged as needed; `policy` may get a fallback.
  /// Collective; errors are those of all ranks: kOutOfMemory, also if the budget is too small.
  static Result<std::unique_ptr<TransferPlan>> make(Comm& comm, Direction direction,
                                                    const std::vector<FileArray>& arrays,
                                                    std::vector<ArrayBox> mine, const Limits& limits,
                                                    ExchangePolicy& policy, ExchangeBuffers& buffers);

  /// Whether it is a plan for such arrays; the same on all ranks. Local.
  [[nodiscard]] bool is_for(Direction direction, const std::vector<FileArray>& arrays) const;
  /// Whether this rank brings the boxes of the plan, and the buffers are still large enough. `mine`: a list
  /// of ArrayPatch or ArrayTarget. Local.
  template <class Brought>
  [[nodiscard]] bool fits(std::span<const Brought> mine, const ExchangeBuffers& buffers) const {
    return std::equal(mine.begin(), mine.end(), boxes_.begin(), boxes_.end(),
                      [](const Brought& each, const ArrayBox& planned) {
                        return each.array == planned.array && each.patch.box == planned.box;
                      }) &&
           fits_in(buffers);
  }
  /// Sets the memory that the samples of the next transfer are in. Local; may throw.
  void take(std::span<const ArrayPatch> mine, ExchangeBuffers& buffers);
  /// Sets the memory that the next transfer fills. Local; may throw.
  void take(std::span<const ArrayTarget> mine);

  /// Memory of this rank that it needs, without buffers.
  [[nodiscard]] Index size_bytes() const;

  [[nodiscard]] Direction direction() const { return direction_; }
  /// Nothing: no rank brings any samples.
  [[nodiscard]] bool is_empty() const { return layouts_.empty(); }
  [[nodiscard]] const Prepared& exchange() const { return exchange_; }
  [[nodiscard]] MessageTransport& transport() const { return *exchange_.transport; }
  [[nodiscard]] const PieceSpace& space() const { return space_; }
  [[nodiscard]] const PatchesOfFields& patches() const { return patches_; }
  [[nodiscard]] const TargetsOfFields& targets() const { return targets_; }
  /// What this rank reads. Only of a plan for reading.
  [[nodiscard]] const WantedRuns& wanted() const { return wanted_; }

  /// A position in the file, and the position where the contiguous part of the file ends.
  struct Place {
    Index offset_bytes = 0;
    Index end = 0;
  };
  /// Where a position of the space is in the file, where `arrays` are. Local, pure.
  [[nodiscard]] Place place_at(Index position, const std::vector<FileArray>& arrays) const;

  /// One array of the plan: the part of it between the lowest and the highest index that any rank brings
  /// along the slowest axis.
  struct Part {
    int array = 0;
    Index first_byte = 0;             ///< of the part, from the array's first sample on
    std::vector<Claim> claims;        ///< of this rank; boxes in indices of the part
    std::vector<int> first_of_array;  ///< [source of a claim] position in the list of this rank's boxes
    std::shared_ptr<const Distribution> holders;

    /// Of a claim's box in that list.
    [[nodiscard]] int position_of(int claim) const {
      return first_of_array[static_cast<std::size_t>(claims[static_cast<std::size_t>(claim)].source)];
    }
  };
  /// [layout], in the order of `arrays`.
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  /// The largest number of samples of a piece that no rank covers completely; 0 if there is none.
  [[nodiscard]] Index most_masked_samples() const { return most_masked_samples_; }

 private:
  /// Along the slowest axis of each array.
  struct Extent {
    Index lo = 0, hi = 0;
  };
  static Result<std::unique_ptr<TransferPlan>> make_with(Comm& comm, Direction direction,
                                                         const std::vector<FileArray>& arrays,
                                                         std::vector<ArrayBox>& mine, const Limits& limits,
                                                         ExchangePolicy& policy, ExchangeBuffers& buffers);
  Status plan_exchange(Comm& comm, const Limits& limits, ExchangePolicy& policy, ExchangeBuffers& buffers);
  Result<std::vector<Extent>> bound(Comm& comm) const;
  void lay_out(const std::vector<Extent>& extents, Index piece_bytes);
  Status share(Comm& comm);
  Status learn_gaps();
  Status find_wanted(Comm& comm, Index cheap_gap_bytes);
  [[nodiscard]] Index bytes_of_lists() const;
  [[nodiscard]] bool fits_in(const ExchangeBuffers& buffers) const;
  template <class Brought, class Visit>
  void for_each_claim(std::span<const Brought> mine, const Visit& visit) const;

  Direction direction_ = Direction::kToFiles;
  std::vector<FileArray> arrays_;  // their shapes
  std::vector<ArrayBox> boxes_;    // of this rank as it brought them
  std::vector<Part> parts_;
  std::vector<BoxList> lists_;  // of this rank, [layout], until they are shared
  std::vector<std::unique_ptr<ChunkedLayout>> layouts_;
  std::vector<FieldPatches> fields_;
  PieceSpace space_;
  std::optional<Directory> directory_;
  Prepared exchange_;
  PatchesOfFields patches_;
  TargetsOfFields targets_;
  WantedRuns wanted_;
  Index most_masked_samples_ = 0;
};

}  // namespace esker
