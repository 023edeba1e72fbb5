// ReadPlan: who loads which samples of a dataset and who gets them - before any of them is read.
//
// Each column is laid out in memory as row-major chunks, of a form that its format reads well (ReadUnit); the
// chunks' slabs are the pieces that aggregators load, as many bytes each. Levels are lattices, and so grids
// of their own: the coarser one is, the fewer pieces it has, dealt out as evenly.
#pragma once

#include <memory>
#include <vector>

#include "comm/comm.h"
#include "esker/options.hpp"
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

/// A column, and what of it is read.
struct PlannedColumn {
  ReadColumn column;
  Lattice samples;  ///< of the whole grid
  Box wanted;       ///< lattice indices: whole units that hold all that any rank wants; not beyond `samples`
  ReadUnit unit;    ///< not larger than `wanted`
};

/// The columns that the ranks' requests are for, [position in `columns`], each with a box around all that is
/// wanted of it. Collective; errors are those of all ranks.
Result<std::vector<PlannedColumn>> bound_columns(Comm& comm, const OpenedDataset& data,
                                                 const std::vector<ReadColumn>& columns,
                                                 const std::vector<ReadRequest>& mine);

class ReadPlan {
 public:
  /// For `mine`, of `columns`. Collective; errors are those of all ranks: kOutOfMemory, also of a budget that
  /// is too small.
  /// `buffers` are made large enough.
  static Result<std::unique_ptr<ReadPlan>> make(Comm& comm, const OpenedDataset& data, const Options& options,
                                                const std::vector<PlannedColumn>& columns,
                                                const std::vector<ReadRequest>& mine,
                                                ExchangeBuffers& buffers);

  /// What is read next: other steps, or memory. False if that takes another plan. Local; may throw.
  bool take(const std::vector<PlannedColumn>& columns, const std::vector<ReadRequest>& mine);

  /// Reads what was taken. Collective; errors are this rank's own. Adds what it has loaded to `loaded_bytes`.
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
  Status load(const OpenedDataset& data, const Round& round, std::span<std::byte> window, bool verify,
              Index& loaded_bytes) const;

  ExchangePolicy policy_;
  std::vector<PlannedColumn> columns_;
  std::vector<std::vector<Box>> boxes_;  // mine, [column], counted from columns_[c].wanted.lo
  TargetsOfFields targets_;              // of these
  std::vector<std::unique_ptr<ChunkedLayout>> layouts_;
  PieceSpace space_;
  Prepared exchange_;
  std::vector<bool> is_wanted_;  // pieces of this rank's windows, in order
  std::vector<std::size_t> first_of_round_;
};

}  // namespace esker
