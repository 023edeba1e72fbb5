// ParallelReader: serves the requests of all ranks of a group for a dataset, together.
//
// With two phases, aggregators load large parts of the dataset once and deliver the requested samples to each
// rank. With one phase, each rank reads its own boxes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/read_report.hpp"
#include "exchange/buffers.h"
#include "read/opened_dataset.h"
#include "read/parallel/read_plan.h"
#include "read/parallel/read_request.h"
#include "store/store.h"
#include "tune/parallel/step_tuner.h"

namespace esker {

class ParallelReader {
 public:
  /// `data` must outlive this object, and be the same dataset on all ranks.
  ParallelReader(std::shared_ptr<Comm> comm, const OpenedDataset& data, Options options, bool verify)
      : comm_(std::move(comm)), data_(data), options_(std::move(options)), verify_(verify) {}

  /// Tunes how reads are done, as the option `tune` says. Collective, before the first read; errors are
  /// agreed on all ranks.
  Status tune();
  /// Sets MutablePatch::is_on_device; kInvalidArgument if it is true before, and no device can access the
  /// memory. Such memory is filled after what `stream` has to do now; null: the legacy stream. Local.
  Status find_memory_of(MutablePatch& target, void* stream);
  /// Reads `mine` and `strided`. `local`: the status of this rank. Collective; errors are agreed on all
  /// ranks, and targets are then unspecified. Memory: options.memory_budget_bytes.
  Status read(const Status& local, const std::vector<ReadRequest>& mine,
              const std::vector<StridedRequest>& strided);
  /// The last successful one.
  [[nodiscard]] const ReadReport& last() const { return last_; }
  /// What was tried, and what it gained; nothing: not tuned. Collective; the same on all ranks.
  Result<std::optional<TuningRecord>> tuning() const;

 private:
  [[nodiscard]] bool is_one_node() const { return comm_->node().size() == comm_->size(); }
  [[nodiscard]] bool is_better_shared(const ReadUnit& unit) const;
  /// False: each rank reads by itself, whatever is requested. The same on all ranks.
  [[nodiscard]] bool may_aggregate() const;
  [[nodiscard]] bool aggregates(const std::vector<PlannedColumn>& columns,
                                const std::vector<ReadRequest>& mine) const;
  /// Reads nothing if it is better that each rank reads by itself.
  Status read_together(const std::vector<ReadRequest>& mine, const std::vector<StridedRequest>& strided,
                       ReadReport& report);
  Status read_alone(const ReadColumn& column, const Lattice& samples, const MutablePatch& patch,
                    ReadReport& report);
  Status fill(const std::byte* dense, const Box& box, const MutablePatch& patch, Index sample_bytes);
  Status read_strided(const std::vector<StridedRequest>& strided, ReadReport& report);
  Status sum_up(double seconds, ReadReport& report);
  Status read_as_set(const std::vector<ReadRequest>& mine, const std::vector<StridedRequest>& strided,
                     ReadReport& report);
  [[nodiscard]] std::string workload_of(const std::vector<ReadRequest>& mine,
                                        const std::vector<StridedRequest>& strided) const;
  Status take_setting();
  void observe(const std::string& workload);

  std::shared_ptr<Comm> comm_;
  const OpenedDataset& data_;
  Options options_;
  bool verify_;
  bool must_aggregate_ = options_.aggregate_reads.has_value();  // also where memory is short
  ExchangeBuffers buffers_;
  std::unique_ptr<ReadPlan> plan_;
  ReadReport last_;
  /// Of tune(). Made with this object, whose maker agrees on whether all ranks have the memory.
  std::shared_ptr<Store> tuning_files_ = posix_store();
  std::unique_ptr<StepTuner> tuner_;  // null: not tuned
  Index num_reads_ = 0;
  double plan_s_ = 0, reserve_s_ = 0;  // of the last read
};

}  // namespace esker
