#include "read/parallel/parallel_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "base/text.h"
#include "comm/agree.h"
#include "comm/call_watch.h"
#include "exchange/device_copies.h"
#include "grid/copy_samples.h"
#include "layout/places.h"
#include "plan/segment_maps.h"
#include "store/store.h"

namespace esker {
namespace {

// If a rank's samples are contiguous in runs of at least this size, the rank may as well read them by itself.
constexpr Index kLongRunBytes = Index{1} << 20;
// Fraction of the budget for samples that a rank reads by itself and whose components must be spread.
constexpr Index kPartsOfBudget = 4;

Index sample_bytes_of(const OpenedDataset& data, const ReadColumn& column) {
  return data.field_at(static_cast<int>(column.field)).sample_bytes();
}

template <class Request>
Index bytes_of(const OpenedDataset& data, const Request& request) {
  return request.target.box.num_samples() * sample_bytes_of(data, request.column);
}

/// The size of a contiguous run of a box's samples in a unit.
Index run_bytes(const Box& box, const PlannedColumn& planned, Index sample_bytes) {
  Index bytes = sample_bytes;
  for (int a = 0; a < box.rank; ++a) {
    bytes *= std::min(box.extent(a), planned.unit.extent[a]);
    if (box.extent(a) < planned.unit.extent[a]) break;
  }
  return bytes;
}

}  // namespace

Status ParallelReader::find_memory_of(MutablePatch& target, void* stream) {
  ESKER_ASSIGN_OR_RETURN(target.is_on_device,
                         find_on_device(target.data, target.is_on_device, stream, buffers_));
  return {};
}

Status ParallelReader::read(const Status& local, const std::vector<ReadRequest>& mine,
                            const std::vector<StridedRequest>& strided) {
  const CallWatch::Call call(*comm_, "read");
  const Stopwatch watch;
  const bool decides = tuner_ && comm_->rank() == 0;
  bool takes_setting = false, any_takes = false;
  std::string workload;
  const Status mine_is_well = guarded("read", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(finish_streams(buffers_));
    if (!local.ok() || !decides) return local;
    workload = workload_of(mine, strided);
    takes_setting = tuner_->choose(num_reads_, workload);
    return local;
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{mine_is_well, "read", 0, "", takes_setting}, &any_takes));
  ReadReport report;
  plan_s_ = reserve_s_ = 0;
  Status status = any_takes ? take_setting() : Status();
  if (status.ok()) status = read_as_set(mine, strided, report);
  if (status.ok()) status = sum_up(watch.elapsed_s(), report);
  ++num_reads_;
  if (!decides) return status;
  (void)guarded("tune", [&] {
    status.ok() ? observe(workload) : tuner_->fail();
    return Status();
  });
  return status;
}

/// With the options in force. Collective.
Status ParallelReader::read_as_set(const std::vector<ReadRequest>& mine,
                                   const std::vector<StridedRequest>& strided, ReadReport& report) {
  ReadReport asked;
  for (const ReadRequest& request : mine) asked.data_bytes += bytes_of(data_, request);
  if (may_aggregate()) {
    report = asked;
    Status together = read_together(mine, strided, report);
    if (together.ok() && report.aggregated) return {};
    // Alone it takes less memory.
    if (!together.ok() && (must_aggregate_ || together.code() != Code::kOutOfMemory)) return together;
  }
  report = asked;
  const auto read_mine = [&]() -> Status {
    for (const ReadRequest& request : mine) {
      ESKER_ASSIGN_OR_RETURN(const Lattice level, level_lattice(data_, static_cast<int>(request.column.field),
                                                                static_cast<int>(request.column.level)));
      ESKER_RETURN_IF_ERROR(read_alone(request.column, level, request.target, report));
    }
    return read_strided(strided, report);
  };
  return all_do(*comm_, "read", read_mine);
}

Status ParallelReader::tune() {
  ESKER_ASSIGN_OR_RETURN(tuner_,
                         StepTuner::make(*comm_, tuning_files_, options_, StepTuner::Purpose::kReading));
  return {};
}

/// Reads of as many samples of the same fields and levels on rank 0 are alike.
std::string ParallelReader::workload_of(const std::vector<ReadRequest>& mine,
                                        const std::vector<StridedRequest>& strided) const {
  std::string text;
  const auto add = [&](const ReadColumn& column, Index n_samples) {
    text += fmt::format("{} {} {} {}; ", data_.field_at(static_cast<int>(column.field)).name, column.level,
                        column.bits, n_samples);
  };
  for (const ReadRequest& request : mine) add(request.column, request.target.box.num_samples());
  text += "strided ";
  for (const StridedRequest& request : strided) add(request.column, request.samples.num_samples());
  return fmt::format("{:016x}", hash_text(0, text));
}

/// The options that rank 0 chose, on all ranks. Plans that were made with others do not fit. Collective.
Status ParallelReader::take_setting() {
  ESKER_ASSIGN_OR_RETURN(std::optional<Options> options, tuner_->take(*comm_));
  if (!options) return {};
  options_ = std::move(*options);
  plan_.reset();
  if (options_.aggregate_reads == false) buffers_.release();  // reading alone has other buffers
  return {};
}

/// For the tuner. Rank 0.
void ParallelReader::observe(const std::string& workload) {
  constexpr double kShare = 0.5;  // of loading in a read: not known, so that all options are tried
  TunedStep step{num_reads_ - 1, workload, last_.seconds - plan_s_, plan_s_, kShare, {}, reserve_s_};
  step.facts.reads = true;
  step.facts.ranks = comm_->size();
  step.facts.step_bytes = last_.data_bytes;
  step.facts.aggregators = last_.aggregated ? std::max(last_.readers, 1) : 0;
  if (last_.aggregated && plan_) {
    const Plan& plan = plan_->plan();
    step.facts.buffer_bytes = std::max(plan.buffer_bytes, plan.shared_buffer_bytes);
  }
  tuner_->observe(step);
  tuner_->remember();
}

Result<std::optional<TuningRecord>> ParallelReader::tuning() const {
  std::optional<TuningRecord> record;
  if (!tuner_) return record;
  ESKER_ASSIGN_OR_RETURN(record, tuner_->record(*comm_));
  return record;
}

// On one node, reading gaps costs nothing extra: another rank finds these bytes in the page cache. Units that
// cost as much in part (because they are decoded, or compared with a checksum) are better read once.
bool ParallelReader::is_better_shared(const ReadUnit& unit) const {
  return unit.whole || (unit.in_one_call && (verify_ || !is_one_node()));
}

bool ParallelReader::may_aggregate() const {
  if (options_.aggregate_reads) return *options_.aggregate_reads;
  if (comm_->size() == 1) return false;
  if (!is_one_node()) return true;
  for (std::size_t f = 0; f < data_.schema.fields().size(); ++f) {
    const auto field = static_cast<int>(f);
    if (data_.has_samples(field) && is_better_shared(data_.read_unit(field, 0))) return true;
  }
  return false;
}

bool ParallelReader::aggregates(const std::vector<PlannedColumn>& columns,
                                const std::vector<ReadRequest>& mine) const {
  if (options_.aggregate_reads) return *options_.aggregate_reads;
  return std::any_of(mine.begin(), mine.end(), [&](const ReadRequest& request) {
    const auto planned = std::find_if(columns.begin(), columns.end(),
                                      [&](const PlannedColumn& c) { return c.column == request.column; });
    const Box& box = request.target.box;
    if (is_better_shared(planned->unit)) {
      return run_bytes(box, *planned, 1) < run_bytes(planned->wanted, *planned, 1);  // part of a unit
    }
    return !is_one_node() && run_bytes(box, *planned, sample_bytes_of(data_, request.column)) < kLongRunBytes;
  });
}

Status ParallelReader::read_together(const std::vector<ReadRequest>& mine,
                                     const std::vector<StridedRequest>& strided, ReadReport& report) {
  ESKER_ASSIGN_OR_RETURN(const std::vector<ReadColumn> wanted, columns_of_all(*comm_, mine));
  ESKER_ASSIGN_OR_RETURN(const std::vector<PlannedColumn> columns,
                         bound_columns(*comm_, data_, wanted, mine));
  std::array<std::uint64_t, 1> any_wants{aggregates(columns, mine) ? 1u : 0u};
  comm_->all_reduce_max(any_wants);
  if (any_wants[0] == 0) return {};
  report.aggregated = true;
  std::array<std::uint64_t, 1> any_stale{1};
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "read", [&] {
    any_stale[0] = !plan_ || !plan_->take(columns, mine) || !buffers_.fit(plan_->plan()) ? 1 : 0;
    return Status();
  }));
  comm_->all_reduce_max(any_stale);
  report.planned = any_stale[0] != 0;
  if (report.planned) {
    const Stopwatch watch;
    const double reserved_s = buffers_.reserving_s();
    plan_.reset();
    ESKER_ASSIGN_OR_RETURN(plan_, ReadPlan::make(*comm_, data_, options_, columns, mine, buffers_));
    plan_s_ = watch.elapsed_s();
    reserve_s_ = buffers_.reserving_s() - reserved_s;
  }
  report.buffer_bytes = buffers_.size_bytes();
  ExchangeStats stats;
  Status status = plan_->run(*comm_, data_, verify_, buffers_, stats, report.loaded_bytes);
  if (status.ok()) status = guarded("read", [&] { return read_strided(strided, report); });
  return agree(*comm_, status);
}

/// Copies the samples of a box, a part of the patch's box, to their places in the patch.
Status ParallelReader::fill(const std::byte* dense, const Box& box, const MutablePatch& patch,
                            Index sample_bytes) {
  const Segment segment{0,  0,           0, -1, box, {box.rank, box.lo, {1, 1, 1, 1, 1}, box.extents()},
                        {}, sample_bytes};
  const PatchCopy copy = map_patch_copy(segment, patch, {0, SampleMap::dense(box, sample_bytes)});
  if (patch.is_on_device) {
    DeviceCopies device(buffers_);
    const Status started = device.deliver(copy, dense, patch);
    const Status finished = device.finish();
    return started.ok() ? finished : started;
  }
  copy_samples(copy.element_bytes, dense, copy.in_place.samples,
               static_cast<std::byte*>(patch.data) + copy.in_patch.first_bytes, copy.in_patch.samples);
  return {};
}

// Samples are read directly to their destination; if components are not contiguous, or on a device, slab by
// slab through a buffer.
Status ParallelReader::read_alone(const ReadColumn& column, const Lattice& samples, const MutablePatch& patch,
                                  ReadReport& report) {
  const auto field = static_cast<int>(column.field), level = static_cast<int>(column.level);
  const Index sample_bytes = sample_bytes_of(data_, column);
  const auto read = [&](const ReadTarget& target) {
    return data_.read(field, column.step, target, column.context(verify_));
  };
  report.loaded_bytes += patch.box.num_samples() * sample_bytes;
  const Index component_bytes = size_bytes(patch.type);
  const bool has_whole_samples =
      sample_bytes == component_bytes || patch.component_stride_bytes == component_bytes;
  if (has_whole_samples && !patch.is_on_device) {
    return read(ReadTarget::strided(samples.sub(patch.box), level, static_cast<std::byte*>(patch.data),
                                    sample_bytes, patch.stride_bytes));
  }
  // What the buffers of reads together leave of it.
  const Index left = options_.memory_budget_bytes - buffers_.size_bytes();
  const Index room = std::max<Index>(1, left / kPartsOfBudget / sample_bytes);
  const Point slab = slab_extent(patch.box.extents(), patch.box.rank, room);
  Box slabs = patch.box;
  for (int a = 0; a < slabs.rank; ++a) slabs.lo[a] = 0, slabs.hi[a] = div_up(patch.box.extent(a), slab[a]);
  std::vector<std::byte> buffer;
  Status status;
  for_each_place(slabs, [&](const Point& place) {
    if (!status.ok()) return;
    Box box = patch.box;
    for (int a = 0; a < box.rank; ++a) {
      box.lo[a] += place[a] * slab[a];
      box.hi[a] = std::min(box.hi[a], box.lo[a] + slab[a]);
    }
    buffer.resize(static_cast<std::size_t>(box.num_samples() * sample_bytes));
    report.buffer_bytes =
        std::max(report.buffer_bytes, buffers_.size_bytes() + static_cast<Index>(buffer.size()));
    status = read(ReadTarget::dense(samples.sub(box), level, buffer.data(), sample_bytes));
    if (status.ok()) status = fill(buffer.data(), box, patch, sample_bytes);
  });
  return status;
}

Status ParallelReader::read_strided(const std::vector<StridedRequest>& strided, ReadReport& report) {
  for (const StridedRequest& request : strided) {
    report.data_bytes += bytes_of(data_, request);
    ESKER_RETURN_IF_ERROR(read_alone(request.column, request.samples, request.target, report));
  }
  return {};
}

Status ParallelReader::sum_up(double seconds, ReadReport& report) {
  std::array<double, 3> sums{static_cast<double>(report.data_bytes), static_cast<double>(report.loaded_bytes),
                             report.loaded_bytes > 0 ? 1.0 : 0.0};
  comm_->all_reduce_sum(sums);
  constexpr double kNone = -0x1p62;
  const auto loaded = static_cast<double>(report.loaded_bytes);
  std::array<double, 4> most{seconds, static_cast<double>(report.buffer_bytes), loaded,
                             loaded > 0 ? -loaded : kNone};
  comm_->all_reduce_max(most);
  report.data_bytes = static_cast<Index>(sums[0]);
  report.loaded_bytes = static_cast<Index>(sums[1]);
  report.readers = static_cast<int>(sums[2]);
  report.seconds = most[0];
  report.buffer_bytes = static_cast<Index>(most[1]);
  report.most_loaded_bytes = static_cast<Index>(most[2]);
  report.least_loaded_bytes = report.readers > 0 ? static_cast<Index>(-most[3]) : 0;
  last_ = report;
  return {};
}

}  // namespace esker
