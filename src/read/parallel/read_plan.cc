#include "read/parallel/read_plan.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/move_box.h"
#include "grid/num_samples.h"
#include "plan/ownership.h"
#include "read/parallel/load_piece.h"

namespace esker {
namespace {

constexpr Index kPieceBytes = Index{512} << 10;
// Fraction of the budget for collective buffers, and for messages to all ranks that request their contents. A
// larger unit is loaded in parts, at any cost.
constexpr Index kPiecesInBudget = 16;

constexpr Index kLeastPieceBytes = Index{4} << 10;

Index unit_bytes(const PlannedColumn& planned, const OpenedDataset& data) {
  const Field& field = data.field_at(static_cast<int>(planned.column.field));
  Index bytes = field.sample_bytes();
  for (int a = 0; a < planned.wanted.rank; ++a) bytes *= planned.unit.extent[a];
  return bytes;
}

/// [column] -> this rank's requests for it, in the order of requests.
std::vector<std::vector<std::size_t>> requests_of(const std::vector<PlannedColumn>& columns,
                                                  const std::vector<ReadRequest>& mine) {
  std::vector<std::vector<std::size_t>> of_column(columns.size());
  for (std::size_t r = 0; r < mine.size(); ++r) {
    const auto column =
        std::lower_bound(columns.begin(), columns.end(), mine[r].column,
                         [](const PlannedColumn& p, const ReadColumn& c) { return p.column < c; });
    of_column[static_cast<std::size_t>(column - columns.begin())].push_back(r);
  }
  return of_column;
}

/// [column] -> this rank's boxes, relative to the lower corner of the requested box.
std::vector<std::vector<Box>> boxes_of(const std::vector<PlannedColumn>& columns,
                                       const std::vector<ReadRequest>& mine) {
  std::vector<std::vector<Box>> boxes(columns.size());
  const auto of_column = requests_of(columns, mine);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const std::size_t r : of_column[c]) {
      boxes[c].push_back(moved_from(columns[c].wanted.lo, mine[r].target.box));
    }
  }
  return boxes;
}

/// Extends the requested box to complete units.
void round_to_units(PlannedColumn& planned) {
  Point& unit = planned.unit.extent;
  for (int a = 0; a < planned.wanted.rank; ++a) {
    Index& lo = planned.wanted.lo[a];
    Index& hi = planned.wanted.hi[a];
    if (unit[a] < planned.samples.count[a]) {
      lo = lo / unit[a] * unit[a];
      hi = std::min(round_up(hi, unit[a]), planned.samples.count[a]);
    }
    unit[a] = std::min(unit[a], hi - lo);
  }
}

}  // namespace

Result<std::vector<PlannedColumn>> bound_columns(Comm& comm, const OpenedDataset& data,
                                                 const std::vector<ReadColumn>& columns,
                                                 const std::vector<ReadRequest>& mine) {
  constexpr Index kFar = Index{1} << 62;
  std::vector<PlannedColumn> planned;
  // Per column and axis: the upper corner, how far the lower one is from kFar.
  std::vector<std::uint64_t> most;
  const auto bound_mine = [&]() -> Status {
    for (const ReadColumn& column : columns) {
      const auto field = static_cast<int>(column.field), level = static_cast<int>(column.level);
      ESKER_ASSIGN_OR_RETURN(const Lattice samples, level_lattice(data, field, level));
      planned.push_back({column, samples, samples.all_indices(), data.read_unit(field, level)});
    }
    most.resize(columns.size() * kMaxRank * 2);
    const auto of_column = requests_of(planned, mine);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (const std::size_t r : of_column[c]) {
        const Box& box = mine[r].target.box;
        for (int a = 0; a < box.rank; ++a) {
          std::uint64_t* of_axis = &most[2 * (c * kMaxRank + static_cast<std::size_t>(a))];
          of_axis[0] = std::max(of_axis[0], static_cast<std::uint64_t>(box.hi[a]));
          of_axis[1] = std::max(of_axis[1], static_cast<std::uint64_t>(kFar - box.lo[a]));
        }
      }
    }
    return {};
  };
  ESKER_RETURN_IF_ERROR(all_do(comm, "read", bound_mine));
  comm.all_reduce_max(most);
  for (std::size_t c = 0; c < planned.size(); ++c) {
    for (int a = 0; a < planned[c].wanted.rank; ++a) {
      const std::uint64_t* of_axis = &most[2 * (c * kMaxRank + static_cast<std::size_t>(a))];
      planned[c].wanted.hi[a] = static_cast<Index>(of_axis[0]);
      planned[c].wanted.lo[a] = kFar - static_cast<Index>(of_axis[1]);
    }
    round_to_units(planned[c]);
  }
  return planned;
}

// Each level has as many readers as all samples would have, if there are enough pieces.
ReadPlan::ReadPlan(const OpenedDataset& data, const Options& options, int n_ranks,
                   std::vector<PlannedColumn> columns, const std::vector<ReadRequest>& mine,
                   Index most_piece_bytes)
    : policy_(policy_for_reading(options, n_ranks)),
      columns_(std::move(columns)),
      boxes_(boxes_of(columns_, mine)) {
  constexpr Index kManyBytes = Index{1} << 61;  // every rank reads
  Index bytes_of_grids = 0;
  for (PlannedColumn& planned : columns_) {
    const Field& field = data.field_at(static_cast<int>(planned.column.field));
    const Index samples = num_samples_at_most(data.box(static_cast<int>(planned.column.field)));
    const Index of_grid = std::min(samples, kManyBytes / field.sample_bytes()) * field.sample_bytes();
    bytes_of_grids = std::min(bytes_of_grids + of_grid, kManyBytes);
    const Index bytes = unit_bytes(planned, data);
    const bool in_one = planned.unit.in_one_call && bytes <= most_piece_bytes;
    const Index piece_bytes = in_one ? bytes : std::min(kPieceBytes, most_piece_bytes);
    layouts_.push_back(std::make_unique<ChunkedLayout>(
        planned.wanted.rank, planned.wanted.extents(), field.sample_bytes(),
        ChunkedLayout::Shape{planned.unit.extent, 1}, 0, ChunkedLayout::Tiles{within_a_call(piece_bytes)}));
    space_.add(*layouts_.back());
  }
  if (policy_.aggregators == 0) {
    policy_.aggregators = choose_aggregators(n_ranks, bytes_of_grids, space_.most_writers());
  }
  take_targets(mine);
}

// The messages of many ranks for a piece may not fit in memory with it: then pieces are smaller, at any cost.
Result<std::unique_ptr<ReadPlan>> ReadPlan::make(Comm& comm, const OpenedDataset& data,
                                                 const Options& options,
                                                 const std::vector<PlannedColumn>& columns,
                                                 const std::vector<ReadRequest>& mine,
                                                 ExchangeBuffers& buffers) {
  Index most = options.memory_budget_bytes / kPiecesInBudget;
  for (;; most /= 2) {
    auto plan = make_with(comm, data, options, columns, mine, most, buffers);
    if (plan.ok() || plan.status().code() != Code::kOutOfMemory || most / 2 < kLeastPieceBytes) return plan;
  }
}

Result<std::unique_ptr<ReadPlan>> ReadPlan::make_with(Comm& comm, const OpenedDataset& data,
                                                      const Options& options,
                                                      const std::vector<PlannedColumn>& columns,
                                                      const std::vector<ReadRequest>& mine,
                                                      Index most_piece_bytes, ExchangeBuffers& buffers) {
  std::unique_ptr<ReadPlan> plan;
  std::vector<BoxList> lists;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    plan.reset(new ReadPlan(data, options, comm.size(), columns, mine, most_piece_bytes));
    for (std::size_t c = 0; c < plan->columns_.size(); ++c) {
      lists.push_back({plan->layouts_[c]->domain(), plan->boxes_[c]});
    }
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, lists));
  ESKER_RETURN_IF_ERROR(plan->fit(comm, directory, buffers));
  return plan;
}

Status ReadPlan::fit(Comm& comm, Directory& directory, ExchangeBuffers& buffers) {
  std::vector<FieldPatches> fields;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      fields.push_back({static_cast<int>(c), 0, directory.lists()[c]});
    }
    return Status();
  }));
  const ExchangeInputs inputs{space_, directory, fields, Direction::kFromFiles};
  ESKER_RETURN_IF_ERROR(prepare(comm, inputs, policy_, buffers, exchange_));
  return all_do(comm, "plan", [&] {
    find_wanted_pieces(fields);
    return Status();
  });
}

// Boxes may leave out what no rank requests.
void ReadPlan::find_wanted_pieces(const std::vector<FieldPatches>& fields) {
  is_wanted_.clear();
  first_of_round_.clear();
  for (const Round& round : exchange_.plan.rounds) {
    first_of_round_.push_back(is_wanted_.size());
    space_.for_each_piece(round.content.first_piece, round.content.last_piece,
                          [&](int layout, const Piece& piece) {
                            const Distribution& holders = *fields[static_cast<std::size_t>(layout)].holders;
                            const Box bounds = space_.layout(layout).part(piece, 0).lattice.bounds();
                            bool wanted = false;
                            holders.for_each_meeting(intersect(bounds, holders.domain()),
                                                     [&](int, int, const Box&) { wanted = true; });
                            is_wanted_.push_back(wanted);
                          });
  }
}

bool ReadPlan::take(const std::vector<PlannedColumn>& columns, const std::vector<ReadRequest>& mine) {
  const auto is_alike = [](const PlannedColumn& a, const PlannedColumn& b) {
    return a.column.field == b.column.field && a.column.level == b.column.level && a.wanted == b.wanted;
  };
  if (!std::equal(columns.begin(), columns.end(), columns_.begin(), columns_.end(), is_alike) ||
      boxes_ != boxes_of(columns, mine)) {
    return false;
  }
  columns_ = columns;
  take_targets(mine);
  return true;
}

void ReadPlan::take_targets(const std::vector<ReadRequest>& mine) {
  targets_.assign(columns_.size(), {});
  const auto of_column = requests_of(columns_, mine);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (std::size_t p = 0; p < of_column[c].size(); ++p) {
      targets_[c].push_back(mine[of_column[c][p]].target);
      targets_[c].back().box = boxes_[c][p];
    }
  }
}

Status ReadPlan::load(const OpenedDataset& data, const Round& round, std::span<std::byte> buffer, bool verify,
                      Index& loaded_bytes) const {
  std::size_t number = first_of_round_[static_cast<std::size_t>(&round - exchange_.plan.rounds.data())];
  Status status;
  space_.for_each_piece(
      round.content.first_piece, round.content.last_piece, [&](int layout, const Piece& piece) {
        if (!is_wanted_[number++] || !status.ok()) return;
        const PlannedColumn& planned = columns_[static_cast<std::size_t>(layout)];
        const Lattice part = space_.layout(layout).part(piece, 0).lattice;
        const Index begin = space_.first_position(layout) + piece.position_bytes - round.content.begin;
        const auto bytes =
            buffer.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(piece.size_bytes));
        status = load_piece(data, planned.column, planned.samples, planned.wanted,
                            moved_to(planned.wanted.lo, part.bounds()), bytes, verify);
        loaded_bytes += piece.size_bytes;
      });
  return status;
}

// Memory is exposed to other ranks only while all ranks are in this call: a reader has no collective close,
// and MPI windows that were not freed crashed MPICH 4.0 (docs/internals/decisions/0015-one-sided-reading.md).
Status ReadPlan::run(Comm& comm, const OpenedDataset& data, bool verify, ExchangeBuffers& buffers,
                     ExchangeStats& stats, Index& loaded_bytes) {
  if (exchange_.transport->is_one_sided())
    ESKER_RETURN_IF_ERROR(buffers.reserve_exposed(comm, exchange_.plan));
  const auto load_buffer = [&](const Round& round, std::span<std::byte> buffer) {
    return load(data, round, buffer, verify, loaded_bytes);
  };
  Status status =
      run_delivery(exchange_.plan, targets_, buffers, *exchange_.transport, stats, std::cref(load_buffer));
  buffers.withdraw();
  return status;
}

}  // namespace esker
