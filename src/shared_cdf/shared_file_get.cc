// How values get out of a shared file: each rank reads alone, or all read together (get_rule.h).
#include <array>
#include <cstdint>
#include <optional>

#include "base/guarded.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "shared_cdf/brought.h"
#include "shared_cdf/get_rule.h"
#include "shared_cdf/shared_file.h"
#include "transfer/own_access.h"
#include "transfer/read_same.h"

namespace esker::cdf {

Status SharedFile::get_alone(std::span<Access> accesses) {
  return guarded("get", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_accesses(accesses, false));
    const Index record_bytes = header_.record_bytes();
    for (const KeyedPatch& patch : patches_of(header_, accesses)) {
      Access& access = accesses[static_cast<std::size_t>(patch.access)];
      const ArrayTarget target{0, to_read(patch, access), misfit_of(access.memory_type)};
      bool all_fit = true;
      ESKER_RETURN_IF_ERROR(read_alone(*file_, array_of(header_, record_bytes, patch.key), target.patch,
                                       target.misfit_bytes(), all_fit));
      if (!all_fit) access.is_out_of_range = true;
    }
    return {};
  });
}

// Each rank alone costs two agreements; a broadcast of up to 1 MiB one agreement, a comparison and itself.
Status SharedFile::get(const Status& local, std::span<Access> accesses) {
  Status mine;
  const GetRule rule(*comm_, *store_, options_.aggregate_reads);
  Brought brought;
  Wanted wanted;
  std::optional<SameReader> same;
  bool wants_many = false;  // boxes: they are not listed
  const Status ready = guarded("get", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_moving("get", false));
    mine = !local.ok() ? local : check_accesses(accesses, false);
    if (!mine.ok()) accesses = {};
    if (!rule.may_together()) return {};
    wants_many = amount_of(header_, accesses, rule.most_boxes()).patches > rule.most_boxes();
    if (wants_many) return {};
    brought.take(header_, accesses);
    brought.find_arrays(header_, accesses, false);
    brought.plan = transfers_->offer(brought.arrays, brought.to_get, *file_);
    wanted = Wanted(brought, rule, *file_);
    if (rule.broadcasts()) same.emplace(brought.arrays, brought.to_get, *file_, wanted.n_bytes());
    return {};
  });
  bool any_would_gain = false, any_wants_many = false;
  const Ballot ballot{ready, "get", 0, "", wanted.would_gain(), 0, wants_many};
  ESKER_RETURN_IF_ERROR(agree(*comm_, ballot, &any_would_gain, &any_wants_many));
  const GetMethod method = any_would_gain && !any_wants_many ? wanted.compare(*comm_) : GetMethod::kAlone;
  if (method == GetMethod::kSame) {
    ESKER_RETURN_IF_ERROR(same->read(*comm_));
    brought.mark(same->take_out_of_range(), accesses);
  } else if (method == GetMethod::kAlone) {
    ESKER_RETURN_IF_ERROR(agree(*comm_, get_alone(accesses)));
  } else {
    same.reset();
    ESKER_RETURN_IF_ERROR(get_by_plan(brought, wanted.has_same_arrays(), wanted.has_plan(), accesses));
  }
  return mine;
}

/// By an exchange; where the budget has no room for it, each rank alone. Collective.
Status SharedFile::get_by_plan(Brought& brought, bool has_same_arrays, bool has_plan,
                               std::span<Access> accesses) {
  if (!has_same_arrays) ESKER_RETURN_IF_ERROR(unite(brought, accesses, false));
  const auto out_of_range = has_plan ? transfers_->get_offered() : get_united(brought);
  if (out_of_range.ok()) {
    brought.mark(*out_of_range, accesses);
    return {};
  }
  const bool may_alone = out_of_range.status().code() == Code::kOutOfMemory && !options_.aggregate_reads;
  return may_alone ? agree(*comm_, get_alone(accesses)) : out_of_range.status();
}

/// Collective: ranks that want different arrays may have a plan for all of them.
Result<Transfers::OutOfRange> SharedFile::get_united(Brought& brought) {
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "get", [&] {
    brought.plan = transfers_->offer(brought.arrays, brought.to_get, *file_);
    return Status();
  }));
  std::array<std::uint64_t, 1> any_without{brought.plan == 0 ? 1u : 0u};
  comm_->all_reduce_max(any_without);
  if (any_without[0] == 0) return transfers_->get_offered();
  return transfers_->get(brought.arrays, brought.to_get, *file_);
}

}  // namespace esker::cdf
