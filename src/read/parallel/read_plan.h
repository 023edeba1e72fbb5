// ReadPlan: which rank loads which samples of a dataset, and which ranks receive them; made before reading.
//
// Each column is laid out in memory as row-major chunks whose shape the format reads efficiently (ReadUnit).
// The slabs of the chunks are the pieces that aggregators load, with equal sizes in bytes. Levels are
// lattices, and thus separate grids: a coarser level has fewer pieces, which are distributed as evenly.
#pragma once

#include <memory>
#include <vector>

#include "comm/comm.h"
#include "esker/types/options.hpp"
#include "exchange/buffers.h"
#include "exchange/delivery.h"
#include "exchange/directory.h"
#include "exchange/prepare.h"
#include "layout/chunked.h"
#include "plan/piece_space.h"
#include "plan/policy.h"
#include "read/opened_dataset.h"
#include "read/parallel/read_request.h"

namespace esker {

/// A column, and the part of it that is read.
struct PlannedColumn {
  ReadColumn column;
  Lattice samples;  ///< of the complete grid
  Box wanted;       ///< lattice indices: complete units that hold all requests; within `samples`
  ReadUnit unit;    ///< at most as large as `wanted`
};

/// The columns of the ranks' requests, [position in `columns`], each with a bounding box of its requests.
/// Collective; errors are agreed on all ranks.
Result<std::vector<PlannedColumn>> bound_columns(Comm& comm, const OpenedDataset& data,
                                                 const std::vector<ReadColumn>& columns,
                                                 const std::vector<ReadRequest>& mine);

class ReadPlan {
 public:
  /// Makes the plan for the requests `mine` for `columns`. Collective; errors are agreed on all ranks:
  /// kOutOfMemory, also if the budget is too small. `buffers` are enlarged as needed.
  static Result<std::unique_ptr<ReadPlan>> make(Comm& comm, const OpenedDataset& data, const Options& options,
                                                const std::vector<PlannedColumn>& columns,
                                                const std::vector<ReadRequest>& mine,
                                                ExchangeBuffers& buffers);

  /// Sets what is read next: other steps, or other memory. False if that needs another plan. Local; may
  /// throw.
  bool take(const std::vector<PlannedColumn>& columns, const std::vector<ReadRequest>& mine);

  /// Reads what was set. Collective; errors are those of this rank. Adds the loaded bytes to `loaded_bytes`.
  Status run(Comm& comm, const OpenedDataset& data, bool verify, ExchangeBuffers& buffers,
             ExchangeStats& stats, Index& loaded_bytes);

  [[nodiscard]] const Plan& plan() const { return exchange_.plan; }

 private:
  ReadPlan(const OpenedDataset& data, const Options& options, int n_ranks, std::vector<PlannedColumn> columns,
           const std::vector<ReadRequest>& mine, Index most_piece_bytes);
  static Result<std::unique_ptr<ReadPlan>> make_with(Comm& comm, const OpenedDataset& data,
                                                     const Options& options,
                                                     const std::vector<PlannedColumn>& columns,
                                                     const std::vector<ReadRequest>& mine,
                                                     Index most_piece_bytes, ExchangeBuffers& buffers);
  Status fit(Comm& comm, Directory& directory, ExchangeBuffers& buffers);
  void take_targets(const std::vector<ReadRequest>& mine);
  void find_wanted_pieces(const std::vector<FieldPatches>& fields);
  Status load(const OpenedDataset& data, const Round& round, std::span<std::byte> buffer, bool verify,
              Index& loaded_bytes) const;

  ExchangePolicy policy_;
  std::vector<PlannedColumn> columns_;
  std::vector<std::vector<Box>> boxes_;  // of this rank, [column], relative to columns_[c].wanted.lo
  TargetsOfFields targets_;              // for these boxes
  std::vector<std::unique_ptr<ChunkedLayout>> layouts_;
  PieceSpace space_;
  Prepared exchange_;
  std::vector<bool> is_wanted_;  // of this rank's collective buffers, in order
  std::vector<std::size_t> first_of_round_;
};

}  // namespace esker
