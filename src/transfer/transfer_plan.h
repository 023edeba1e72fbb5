// TransferPlan: how the boxes that ranks bring of several arrays reach the file. Made before samples move,
// for arrays of certain shapes wherever they are in the file.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "exchange/buffers.h"
#include "exchange/message_transport.h"
#include "exchange/prepare.h"
#include "layout/chunked.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "transfer/claims.h"
#include "transfer/file_array.h"

namespace esker {

class TransferPlan {
 public:
  struct Limits {
    Index kept_bytes = 0;  ///< of this rank's other plans, which count in the budget
    int most_writers = 0;  ///< ranks that aggregate, if the policy does not say how many; 0: no limit
  };
  /// A plan for these arrays, which are equal on all ranks, and the boxes of this rank. `buffers` are
  /// enlarged as needed; `policy` may get a fallback. Collective; errors are those of all ranks:
  /// kOutOfMemory, also if the budget is too small.
  static Result<std::unique_ptr<TransferPlan>> make(Comm& comm, const std::vector<FileArray>& arrays,
                                                    std::span<const ArrayPatch> mine, const Limits& limits,
                                                    ExchangePolicy& policy, ExchangeBuffers& buffers);

  /// Whether it is a plan for such arrays; the same on all ranks. Local.
  [[nodiscard]] bool is_for(const std::vector<FileArray>& arrays) const;
  /// Whether this rank brings the boxes of the plan, and the buffers are still large enough. Local.
  [[nodiscard]] bool fits(std::span<const ArrayPatch> mine, const ExchangeBuffers& buffers) const;
  /// Sets the memory that the samples of the next transfer are in. Local; may throw.
  void take(std::span<const ArrayPatch> mine, ExchangeBuffers& buffers);

  /// Memory of this rank that it needs, without buffers.
  [[nodiscard]] Index size_bytes() const;

  /// Nothing: no rank brings any samples.
  [[nodiscard]] bool is_empty() const { return layouts_.empty(); }
  [[nodiscard]] const Prepared& exchange() const { return exchange_; }
  [[nodiscard]] MessageTransport& transport() const { return *exchange_.transport; }
  [[nodiscard]] const PieceSpace& space() const { return space_; }
  [[nodiscard]] const PatchesOfFields& patches() const { return patches_; }

  /// One array of the plan: the part of it between the lowest and the highest index that any rank brings
  /// along the slowest axis.
  struct Part {
    int array = 0;
    Index first_byte = 0;             ///< of the part, from the array's first sample on
    std::vector<Claim> claims;        ///< of this rank; boxes in indices of the part
    std::vector<int> first_of_array;  ///< [source of a claim] position in the list of ArrayPatch
    std::shared_ptr<const Distribution> holders;
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
  Result<std::vector<Extent>> bound(Comm& comm, std::span<const ArrayPatch> mine) const;
  void lay_out(const std::vector<Extent>& extents, std::span<const ArrayPatch> mine);
  Status share(Comm& comm);
  Status learn_gaps();
  [[nodiscard]] Index bytes_of_lists() const;
  [[nodiscard]] bool has_boxes(std::span<const ArrayPatch> mine) const;

  std::vector<FileArray> arrays_;           // their shapes
  std::vector<std::pair<int, Box>> boxes_;  // of this rank as it brought them: array and box
  std::vector<Part> parts_;
  std::vector<BoxList> lists_;  // of this rank, [layout], until they are shared
  std::vector<std::unique_ptr<ChunkedLayout>> layouts_;
  std::vector<FieldPatches> fields_;
  PieceSpace space_;
  std::optional<Directory> directory_;
  Prepared exchange_;
  PatchesOfFields patches_;
  Index most_masked_samples_ = 0;
};

}  // namespace esker
