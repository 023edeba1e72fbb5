// ParallelReader: serves the requests of all ranks of a group for a dataset, together.
//
// With two phases, aggregators load large parts of the dataset once and deliver the requested samples to each
// rank. With one phase, each rank reads its own boxes.
#pragma once

#include <memory>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "esker/types/read_report.hpp"
#include "exchange/buffers.h"
#include "read/opened_dataset.h"
#include "read/parallel/read_plan.h"
#include "read/parallel/read_request.h"

namespace esker {

class ParallelReader {
 public:
  /// `data` must outlive this object, and be the same dataset on all ranks.
  ParallelReader(std::shared_ptr<Comm> comm, const OpenedDataset& data, Options options, bool verify)
      : comm_(std::move(comm)), data_(data), options_(std::move(options)), verify_(verify) {}

  /// Reads `mine` and `strided`. `local`: the status of this rank. Collective; errors are agreed on all
  /// ranks, and targets are then unspecified. Memory: options.memory_budget_bytes.
  Status read(const Status& local, const std::vector<ReadRequest>& mine,
              const std::vector<StridedRequest>& strided);
  /// The last successful one.
  [[nodiscard]] const ReadReport& last() const { return last_; }

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
  Status read_alone(const ReadRequest& request, ReadReport& report) const;
  Status read_strided(const std::vector<StridedRequest>& strided, ReadReport& report) const;
  Status sum_up(double seconds, ReadReport& report);

  std::shared_ptr<Comm> comm_;
  const OpenedDataset& data_;
  Options options_;
  bool verify_;
  ExchangeBuffers buffers_;
  std::unique_ptr<ReadPlan> plan_;
  ReadReport last_;
};

}  // namespace esker
