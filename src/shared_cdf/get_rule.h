// GetRule: whether ranks that get values of a shared file read alone or together. Decision 58.
//
// On one node, where the system has in memory what other ranks read before, each rank reads alone, unless
// - runs that are contiguous in the file are shorter than the gaps that a rank reads through (16 KiB), so
//   that ranks would read what others want, again and again, and
// - all ranks want at least 4 MiB, a rank at least 4 KiB with each box, and none more than 1024 boxes: a plan
//   costs that much.
// On several nodes, or where the store is not of this machine,
// - what all ranks want alike is read once, and broadcast;
// - where runs are shorter than 1 MiB, and all ranks want at least 64 KiB, they read together;
// - otherwise each rank reads alone.
// Together is by an exchange: aggregators read large parts of the file. The amount that all ranks want is
// taken for that of the rank that wants most, times the ranks. The option aggregate_reads=false makes all
// ranks read alone, true never does.
#pragma once

#include <cstdint>
#include <optional>

#include "comm/comm.h"
#include "shared_cdf/brought.h"
#include "store/store.h"

namespace esker::cdf {

enum class GetMethod { kAlone, kSame, kPlan };

/// The same on all ranks.
class GetRule {
 public:
  /// `together`: the option aggregate_reads.
  GetRule(Comm& comm, const Store& store, std::optional<bool> together);

  [[nodiscard]] bool may_together() const { return kind_ != Kind::kAlone; }
  /// What all ranks want alike.
  [[nodiscard]] bool broadcasts() const { return kind_ == Kind::kFar || kind_ == Kind::kTogether; }
  /// Where any rank wants more, all read alone.
  [[nodiscard]] std::uint64_t most_boxes() const;
  /// Whether reading together pays for a rank that wants `n_bytes` in `n_boxes`, whose shortest runs have
  /// `run_bytes`.
  [[nodiscard]] bool pays(const File& file, Index n_bytes, Index n_boxes, Index run_bytes) const;

 private:
  enum class Kind {
    kAlone,
    kNear,     // all on one node
    kFar,      // on several, or far from the storage
    kTogether  // as the option says
  };
  Kind kind_;
  int n_ranks_;
};

/// What this rank wants from a get, and whether it has a plan; after compare(), what all ranks want.
class Wanted {
 public:
  Wanted() = default;
  Wanted(const Brought& brought, const GetRule& rule, const File& file);

  /// In the file.
  [[nodiscard]] Index n_bytes() const { return n_bytes_; }
  /// Whether reading together may pay for this rank. If not for any, all read alone.
  [[nodiscard]] bool would_gain() const { return n_bytes_ > 0 && (broadcasts_ || pays_); }
  /// Collective; allocates nothing. The same on all ranks.
  GetMethod compare(Comm& comm);
  /// Whether the arrays of all ranks are the same.
  [[nodiscard]] bool has_same_arrays() const { return has_same_arrays_; }
  /// Whether all ranks offered the same plan.
  [[nodiscard]] bool has_plan() const { return has_plan_; }

 private:
  Index n_bytes_ = 0;
  bool broadcasts_ = false, pays_ = false, has_plan_ = false, has_same_arrays_ = false;
  std::uint64_t boxes_hash_ = 0, arrays_hash_ = 0;
};

}  // namespace esker::cdf
