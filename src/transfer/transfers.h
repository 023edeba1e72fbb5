// Transfers: moves boxes of arrays from all ranks to one file, again and again. Plans are kept.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "exchange/buffers.h"
#include "plan/policy.h"
#include "store/store.h"
#include "transfer/file_array.h"
#include "transfer/transfer_plan.h"

namespace esker {

class Transfers {
 public:
  /// `comm` must outlive it. `most_writers`: ranks that aggregate unless an option says how many; 0: chosen
  /// by the amount of data.
  Transfers(Comm& comm, const Options& options, int most_writers);

  /// What a transfer moved on this rank.
  struct Moved {
    std::vector<bool> out_of_range;  ///< [position in `mine`]: values that do not fit in the array's type
                                     ///< became its fill value
    Index stored_bytes = 0;          ///< by this rank
  };
  /// Writes the samples that all ranks bring. `arrays` are equal on all ranks, in the order of their offsets;
  /// they do not overlap in the file. Where boxes overlap, see Claims. `file` is this rank's; holes in what
  /// is written keep what the file has. Collective; errors are those of all ranks: storage, kOutOfMemory.
  /// Parts may have been written then.
  Result<Moved> put(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine, File& file);

  /// Of the last transfer that had samples: names as in the options.
  [[nodiscard]] int num_aggregators() const { return num_aggregators_; }
  [[nodiscard]] const std::string& transport() const { return transport_; }
  [[nodiscard]] Index buffer_bytes() const { return buffer_bytes_; }
  /// How many plans were made.
  [[nodiscard]] Index num_plans() const { return num_plans_; }

 private:
  Result<TransferPlan*> plan_for(const std::vector<FileArray>& arrays, std::span<const ArrayPatch> mine);
  void describe(const TransferPlan& plan);

  static constexpr std::size_t kMostPlans = 16;

  Comm& comm_;
  ExchangePolicy policy_;
  ExchangeBuffers buffers_;
  std::vector<std::unique_ptr<TransferPlan>> plans_;  // the last used at the end; the same on all ranks
  int num_aggregators_ = 0;
  std::string transport_;
  Index buffer_bytes_ = 0;
  Index num_plans_ = 0;
};

}  // namespace esker
