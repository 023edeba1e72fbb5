// How values get into a shared file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "formats/netcdf/model/fill.h"
#include "shared_cdf/access_boxes.h"
#include "shared_cdf/brought.h"
#include "shared_cdf/shared_file.h"
#include "transfer/own_access.h"

namespace esker::cdf {
namespace {

/// Patches are moved by a plan, unless they are many and small: then as runs of samples, without a plan.
constexpr std::uint64_t kFewPatches = 64, kSmallPatchBytes = 4096;

/// Of one rank.
bool are_runs(const PatchAmount& amount) {
  if (amount.patches > kMostPlannedPatches) return true;
  return amount.patches > kFewPatches && amount.bytes / amount.patches < kSmallPatchBytes;
}

}  // namespace

Status SharedFile::check_moving(const char* operation, bool writes) const {
  if (is_defining_) return error(Code::kWrongOrder, "{}: {} is being defined", operation, path_);
  if (!file_) return error(Code::kWrongOrder, "{}: {} is closed", operation, path_);
  if (writes && !is_writable_)
    return error(Code::kInvalidArgument, "{}: {} was opened for reading", operation, path_);
  return {};
}

Status SharedFile::check_accesses(std::span<const Access> accesses, bool writes) const {
  ESKER_RETURN_IF_ERROR(check_moving(writes ? "put" : "get", writes));
  for (const Access& access : accesses) ESKER_RETURN_IF_ERROR(check_access(header_, access));
  const Index needed = records_needed(header_, accesses);
  if (needed <= header_.num_records) return {};
  if (writes) return check_num_records(header_, needed);
  return error(Code::kOutOfRange, "get: record {} of {} that the file has", needed, header_.num_records);
}

/// Before later records are written, those before them are in the file. Collective, with equal arguments:
/// `known`: the records of the file according to any rank, which others may have put alone.
Status SharedFile::begin_records(Index known, Index num_records) {
  header_.num_records = known;
  if (num_records <= known) return {};
  if (known != stored_->num_records) {
    ESKER_RETURN_IF_ERROR(root_does(*comm_, "put", [&] { return write_num_records(); }));
    stored_->num_records = known;
  }
  header_.num_records = num_records;
  return {};
}

/// Finds the arrays of all ranks. Collective.
Status SharedFile::unite(Brought& brought, std::span<const Access> accesses, bool writes) {
  ESKER_ASSIGN_OR_RETURN(const Gathered all, gather(*comm_, std::as_bytes(std::span(brought.keys))));
  return all_do(*comm_, writes ? "put" : "get", [&] {
    for (const auto bytes : all.of_rank) {
      if (bytes.empty()) continue;
      const std::size_t n = brought.keys.size();
      brought.keys.resize(n + bytes.size() / sizeof(ArrayKey));
      std::memcpy(brought.keys.data() + n, bytes.data(), bytes.size());
    }
    std::sort(brought.keys.begin(), brought.keys.end());
    brought.keys.erase(std::unique(brought.keys.begin(), brought.keys.end()), brought.keys.end());
    brought.find_arrays(header_, accesses, writes);
    return Status();
  });
}

// In the usual case ranks bring boxes of the same arrays, and have a plan: then they open the call, compare
// what they bring, move it, and agree on the result.
Status SharedFile::put(const Status& local, std::span<Access> accesses) {
  Status mine;
  Brought brought;
  PatchAmount amount;  // patches are listed if a plan can move so many
  const Status ready = guarded("put", [&]() -> Status {
    mine = local;
    ESKER_RETURN_IF_ERROR(check_moving("put", true));
    if (mine.ok()) mine = check_accesses(accesses, true);
    if (!mine.ok()) accesses = {};
    amount = amount_of(header_, accesses, kMostPlannedPatches);
    if (amount.patches > kMostPlannedPatches) return {};
    brought.take(header_, accesses);
    brought.find_arrays(header_, accesses, true);
    brought.plan = transfers_->offer(brought.arrays, brought.to_put, *file_);
    return {};
  });
  std::array<std::uint64_t, 7> most{};
  if (ready.ok()) {
    const std::uint64_t hash = brought.hash();
    most = {hash,
            ~hash,
            brought.plan == 0 ? 1u : 0u,
            static_cast<std::uint64_t>(header_.num_records),
            static_cast<std::uint64_t>(records_needed(header_, accesses)),
            are_runs(amount) ? 1u : 0u,
            static_cast<std::uint64_t>(transfers_->size_bytes())};
  }
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{.status = ready, .operation = "put", .most = most}));
  ESKER_RETURN_IF_ERROR(begin_records(static_cast<Index>(most[3]), static_cast<Index>(most[4])));
  if (most[5] != 0) {
    ESKER_RETURN_IF_ERROR(put_boxes(accesses, static_cast<Index>(most[6])));
    return mine;
  }
  const bool are_equal = most[0] == ~most[1];
  const bool has_plan = are_equal && most[2] == 0;
  if (!are_equal) ESKER_RETURN_IF_ERROR(unite(brought, accesses, true));
  ESKER_ASSIGN_OR_RETURN(const Transfers::OutOfRange out_of_range,
                         has_plan ? transfers_->put_offered() : put_united(brought));
  brought.mark(out_of_range, accesses);
  return mine;
}

/// `used_bytes`: what transfers_ has, at most, on any rank. Collective.
Status SharedFile::put_boxes(std::span<Access> accesses, Index used_bytes) {
  std::vector<ArrayBoxes> boxes;
  EndOfArray end_of_array;
  const Status found = guarded("put", [&] {
    boxes = boxes_of(header_, accesses);
    end_of_array = ends_of_arrays(header_);
    return Status();
  });
  ESKER_ASSIGN_OR_RETURN(const Transfers::OutOfRange out_of_range,
                         transfers_->put_runs(found, boxes, *file_, std::move(end_of_array), used_bytes));
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    if (out_of_range[a]) accesses[a].is_out_of_range = true;
  }
  return {};
}

/// Collective: ranks that brought different arrays may have a plan for all of them.
Result<Transfers::OutOfRange> SharedFile::put_united(Brought& brought) {
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "put", [&] {
    brought.plan = transfers_->offer(brought.arrays, brought.to_put, *file_);
    return Status();
  }));
  std::array<std::uint64_t, 1> any_without{brought.plan == 0 ? 1u : 0u};
  comm_->all_reduce_max(any_without);
  if (any_without[0] == 0) return transfers_->put_offered();
  return transfers_->put(brought.arrays, brought.to_put, *file_);
}

Status SharedFile::put_alone(std::span<Access> accesses) {
  return guarded("put", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_accesses(accesses, true));
    const Index record_bytes = header_.record_bytes();
    for (const KeyedPatch& patch : patches_of(header_, accesses)) {
      Access& access = accesses[static_cast<std::size_t>(patch.access)];
      bool all_fit = true;
      ESKER_RETURN_IF_ERROR(
          write_alone(*file_, array_of(header_, record_bytes, patch.key), to_write(patch, access), all_fit));
      if (!all_fit) access.is_out_of_range = true;
    }
    header_.num_records = std::max(header_.num_records, records_needed(header_, accesses));
    return {};
  });
}

Status SharedFile::fill(int variable, Index record) {
  std::uint64_t arguments = 0;
  const Status local = guarded("fill", [&]() -> Status {
    arguments = hash_text(static_cast<std::uint64_t>(variable), std::to_string(record));
    ESKER_RETURN_IF_ERROR(check_moving("fill", true));
    if (variable < 0 || variable >= std::ssize(header_.variables) || record < 0 ||
        record == std::numeric_limits<Index>::max()) {
      return error(Code::kOutOfRange, "fill: variable {} or record {} does not exist", variable, record);
    }
    const bool is_record = header_.is_record(header_.variables[static_cast<std::size_t>(variable)]);
    return is_record ? check_num_records(header_, record + 1) : Status();
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{local, "fill", arguments, "another variable or record"}));
  const Variable& filled = header_.variables[static_cast<std::size_t>(variable)];
  if (header_.is_record(filled)) {
    std::array<std::uint64_t, 1> known{static_cast<std::uint64_t>(header_.num_records)};
    comm_->all_reduce_max(known);
    ESKER_RETURN_IF_ERROR(begin_records(static_cast<Index>(known[0]), record + 1));
  }
  return all_do(*comm_, "fill", [&] {  // a share of the values by each rank
    const Index size = netcdf::size_bytes(filled.type), n = header_.value_bytes(filled) / size;
    const Index first = share(n, comm_->rank(), comm_->size());
    const Index last = share(n, comm_->rank() + 1, comm_->size());
    const Index begin = offset_of(header_, variable, header_.is_record(filled) ? record : 0);
    return netcdf::write_fill(*file_, filled, begin + first * size, (last - first) * size);
  });
}

}  // namespace esker::cdf
