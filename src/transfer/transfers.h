// Transfers: moves boxes of arrays from all ranks to one file, or from it, again and again. Plans are kept.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "exchange/buffers.h"
#include "plan/policy.h"
#include "store/store.h"
#include "transfer/array_boxes.h"
#include "transfer/convert_source.h"
#include "transfer/convert_target.h"
#include "transfer/file_array.h"
#include "transfer/transfer_load.h"
#include "transfer/transfer_plan.h"
#include "transfer/transfer_store.h"

namespace esker {

class Transfers {
 public:
  /// `comm` must outlive it. `most_writers`: see TransferPlan::Limits.
  Transfers(Comm& comm, const Options& options, int most_writers);

  /// [position in `mine`] whether values did not fit in the array's type, and became its fill value; for
  /// reading, in that of the memory, and became the misfit.
  using OutOfRange = std::vector<bool>;
  /// The number of a kept plan for these arrays and the boxes of this rank, and prepares to run it; 0: there
  /// is none. Equal numbers on all ranks are one plan. The arguments must outlive put_offered(). Local; may
  /// throw.
  Index offer(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine, File& file);
  /// Writes what all ranks have offered, with one number, which is not 0. Collective; errors are those of all
  /// ranks: storage, kOutOfMemory. Parts may have been written then.
  Result<OutOfRange> put_offered();
  /// Makes a plan, and writes the samples that all ranks bring. `arrays` are equal on all ranks, in the order
  /// of their offsets; they do not overlap in the file. Where boxes overlap, see Claims. `file` is this
  /// rank's; holes in what is written keep what the file has. Collective; errors as above.
  Result<OutOfRange> put(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine, File& file);

  /// The same for reading. Boxes may overlap, and each rank gets its own. Samples after the end of the file
  /// are zero. After an error the memory is undefined.
  Index offer(const std::vector<FileArray>& arrays, std::span<const ArrayTarget> mine, const File& file);
  Result<OutOfRange> get_offered();
  Result<OutOfRange> get(const std::vector<FileArray>& arrays, std::span<const ArrayTarget> mine,
                         const File& file);

  /// Writes many small boxes, see put_runs(), without a plan. `used_bytes`: the largest size_bytes() of any
  /// rank. Collective; errors as those of put(), and `local`, the status of this rank.
  Result<OutOfRange> put_runs(const Status& local, std::span<const ArrayBoxes> mine, File& file,
                              EndOfArray end_of_array, Index used_bytes);
  /// Of the plans and their buffers.
  [[nodiscard]] Index size_bytes() const { return bytes_of_plans() + buffers_.size_bytes(); }

  /// No rank accesses the memory of others any more. Before the end, because MPI windows that remain make
  /// later ones unsafe. Collective.
  void withdraw() { buffers_.withdraw(); }

  /// The exchange of the last put that had samples; null: there was none, or its plan is forgotten.
  [[nodiscard]] const Prepared* last() const;
  /// How many plans were made.
  [[nodiscard]] Index num_plans() const { return num_plans_; }

 private:
  /// A plan, and what it moves now.
  struct Offered {
    TransferPlan* plan;
    ConvertSource source;
    TransferStore sink;
  };
  struct OfferedGet {
    TransferPlan* plan;
    ConvertTarget target;
    TransferLoad load;
  };
  struct Kept {
    Index number;
    std::unique_ptr<TransferPlan> plan;
  };
  template <class Brought>
  Kept* find(Direction direction, const std::vector<FileArray>& arrays, std::span<const Brought> mine);
  template <class Brought>
  Status make(Direction direction, const std::vector<FileArray>& arrays, std::span<const Brought> mine,
              Index cheap_gap_bytes);
  void use(const TransferPlan& plan);
  [[nodiscard]] Index bytes_of_plans() const;
  Index fit_kept_plans();

  static constexpr std::size_t kMostPlans = 16;

  Comm& comm_;
  ExchangePolicy policy_, reading_;
  int most_writers_;
  ExchangeBuffers buffers_;
  std::vector<Kept> plans_;  // the last used at the end; the same on all ranks
  std::optional<Offered> offered_;
  std::optional<OfferedGet> offered_get_;
  Index num_plans_ = 0;
};

}  // namespace esker
