// How the records of a file become the steps of the dataset next to it.
#include <numeric>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "companion/companion.h"
#include "model/field_facts.h"
#include "shared_cdf/access_arrays.h"

namespace esker {
namespace {

/// The share of a rank: a slab along the slowest axis that is long enough for all ranks, else along the
/// longest one.
Box share_of(const Box& grid, int rank, int num_ranks) {
  int axis = 0;
  for (int a = 0; a < grid.rank; ++a) {
    const bool is_longer = grid.extent(a) > grid.extent(axis);
    if (grid.extent(a) >= num_ranks || is_longer) axis = a;
  }
  Box share = grid;
  const Index n = grid.extent(axis);
  const auto place = [&](Index r) { return n / num_ranks * r + n % num_ranks * r / num_ranks; };
  share.lo[axis] = grid.lo[axis] + place(rank);
  share.hi[axis] = grid.lo[axis] + place(rank + 1);
  return share;
}

Patch dense_patch(const Box& box, SampleType type, const std::byte* data) {
  Patch patch{box, data, type, {}, size_bytes(type)};
  Index stride = size_bytes(type);
  for (int a = 0; a < box.rank; ++a) {
    patch.stride_bytes[a] = stride;
    stride *= box.extent(a);
  }
  return patch;
}

}  // namespace

/// Reads all values of a fixed variable, or of records, which are their numbers. Local.
Status Companion::read_values(int variable, const Records& records, cdf::Type type, std::byte* target) {
  const cdf::Header& header = file_.header();
  const cdf::Variable& read = header.variables[static_cast<std::size_t>(variable)];
  cdf::Access access;
  access.variable = variable;
  access.memory_type = type;
  access.target = target;
  for (const int dim : read.dims) {
    access.start.push_back(0);
    access.count.push_back(header.dims[static_cast<std::size_t>(dim)].length);
  }
  if (header.is_record(read)) {
    access.start[0] = records.first;
    access.count[0] = records.end - records.first;
  }
  return file_.get_alone({&access, 1});
}

/// Of the steps [first, end). Collective.
Result<std::vector<double>> Companion::share_times(const ChosenVariables& chosen, Index first, Index end) {
  std::vector<double> times;
  const bool reads_times = has_times(chosen);
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "commit", [&]() -> Status {
    times.resize(static_cast<std::size_t>(end - first));
    if (!reads_times) {
      std::iota(times.begin(), times.end(), static_cast<double>(first));
    } else if (comm_->rank() == 0 && first < end) {
      auto* target = reinterpret_cast<std::byte*>(times.data());
      return read_values(time_variable_of(file_.header()), {first, end}, cdf::Type::kDouble, target);
    }
    return {};
  }));
  if (reads_times) comm_->broadcast(std::as_writable_bytes(std::span(times)), 0);
  return times;
}

/// Writes the next step. `brought`: this rank's boxes of the fields that a transfer covered; null: all fields
/// are read. Collective.
Status Companion::write_step(double time, const std::vector<BroughtBox>* brought) {
  StepInput input;
  input.step = num_steps();
  input.time = time;
  input.status = guarded("commit", [&] { return add_patches(input, brought); });
  return pipeline_->write_step(std::move(input));
}

/// Local.
Status Companion::add_patches(StepInput& input, const std::vector<BroughtBox>* brought) {
  const auto& fields = pipeline_->schema().fields();
  const bool brings_records = may_have_records();
  input.patches.resize(fields.size());
  std::vector<bool> is_read(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const bool is_brought = brought && fields[f].fixed != brings_records;
    is_read[f] = is_due(fields[f], input.step) && !is_brought;
    if (!is_brought) continue;
    for (const BroughtBox& each : *brought) {
      if (each.variable == schema_.variable_of_field[f]) input.patches[f].push_back(each.patch);
    }
  }
  return read_shares(input, is_read);
}

/// The shares of this rank in some fields of a step. Local.
Status Companion::read_shares(StepInput& input, const std::vector<bool>& is_read) {
  const Schema& schema = pipeline_->schema();
  const auto& fields = schema.fields();
  std::vector<Box> boxes;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    boxes.push_back(share_of(schema.box_of(schema.grid_of(fields[f])), comm_->rank(), comm_->size()));
    if (is_read[f]) input.copied_bytes += boxes.back().num_samples() * fields[f].sample_bytes();
  }
  if (input.copied_bytes > pipeline_->most_copied_bytes()) {
    return error(Code::kOutOfMemory,
                 "this rank's share of a record has {} bytes, but half of memory_budget is {}; set "
                 "ESKER_MEMORY_BUDGET to {}",
                 input.copied_bytes, pipeline_->most_copied_bytes(), 2 * input.copied_bytes);
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!is_read[f] || boxes[f].empty()) continue;
    const Index n_bytes = boxes[f].num_samples() * fields[f].sample_bytes();
    input.copies.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(n_bytes)));
    std::byte* memory = input.copies.back().get();
    ESKER_RETURN_IF_ERROR(read_share(schema_.variable_of_field[f], input.step, boxes[f], memory));
    input.patches[f].push_back(dense_patch(boxes[f], fields[f].type, memory));
  }
  return {};
}

/// Reads a box of a fixed variable, or of a record. Local.
Status Companion::read_share(int variable, Index record, const Box& box, std::byte* target) {
  const cdf::Header& header = file_.header();
  const cdf::Variable& read = header.variables[static_cast<std::size_t>(variable)];
  cdf::Access access;
  access.variable = variable;
  access.memory_type = read.type;
  access.target = target;
  if (header.is_record(read)) {
    access.start.push_back(record);
    access.count.push_back(1);
  }
  for (int axis = static_cast<int>(read.dims.size() - access.start.size()) - 1; axis >= 0; --axis) {
    access.start.push_back(box.lo[axis]);
    access.count.push_back(box.extent(axis));
  }
  return file_.get_alone({&access, 1});
}

}  // namespace esker
