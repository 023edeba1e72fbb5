// RunRecord: what a run has cost so far: counters of this rank, the traffic of a step, reports of steps.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "esker/types/step_report.hpp"
#include "exchange/buffers.h"
#include "write/rank_counters.h"
#include "write/step_input.h"
#include "write/step_plan.h"
#include "write/step_traffic.h"
#include "write/timeline.h"

namespace esker {

class OpenDataset;
class PlanMaker;

/// What a step cost on the slowest rank.
struct StepCost {
  double seconds = 0;    ///< without opening and planning
  double plan_s = 0;     ///< 0: it had a plan
  double store_s = 0;    ///< storing
  double reserve_s = 0;  ///< reserving memory
  Index buffer_bytes = 0;
};

class RunRecord {
 public:
  /// `timeline`: null: not recorded.
  explicit RunRecord(std::unique_ptr<Timeline> timeline);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// A step begins: what it costs is the difference to now. Local.
  void begin_step(const ExchangeBuffers& buffers);
  /// The ranks have agreed whether it `begins`, which took this rank so long. Local.
  void opened(Index step, double seconds, bool begins);
  /// Reserves what add() needs. Local.
  void make_room();
  /// The seconds of a step on this rank.
  struct StepTime {
    double all_s = 0;
    double opening_s = 0;  ///< of these, until the ranks had agreed to begin it
  };
  /// A step of a plan of `maker` was committed. Collective; allocates nothing that it cannot do without.
  StepCost add(Comm& comm, const OpenDataset& dataset, PlanMaker& maker, const StepPlan& plan,
               const StepInput& input, StepTime time);

  // All local.
  [[nodiscard]] RankCounters& counters() { return counters_; }
  [[nodiscard]] StepTraffic& traffic() { return traffic_; }
  [[nodiscard]] const RankCounters& counters() const { return counters_; }
  /// The phases of the steps in which the others waited for this rank.
  [[nodiscard]] const RankCounters& critical() const { return critical_; }
  /// Null: not recorded.
  [[nodiscard]] const Timeline* timeline() const { return timeline_.get(); }
  /// One for each field at most; the same on all ranks.
  [[nodiscard]] std::vector<std::string> infinity_warnings(const Schema& schema) const;
  [[nodiscard]] const std::vector<StepReport>& steps() const { return steps_; }
  /// Of the last step with compressed pieces; 0: none yet.
  [[nodiscard]] double stored_over_raw() const { return stored_over_raw_; }
  /// Whether storing was mostly waiting, on this rank, in the last step.
  [[nodiscard]] bool store_waits() const { return store_waits_; }
  /// What an exchange cost; encoding while storing took `encoding_s` of it. `stores`: storing alone.
  void add(ExchangeStats stats, double encoding_s, const StoreCost& stores);
  /// The same of an exchange whose buffers are queued for a thread.
  void add_queued(const ExchangeStats& stats);

 private:
  void count_put(const Schema& schema, const StepPlan& plan, const StepInput& input);
  void note_infinite(const StepPlan& plan, Index step);

  std::unique_ptr<Timeline> timeline_;
  RankCounters counters_;
  RankCounters critical_;
  StepTraffic traffic_;
  /// At the begin of the step.
  struct Before {
    RankCounters counters;
    Index allocated_bytes = 0;
    double reserving_s = 0;
  } before_;
  std::vector<StepReport> steps_;
  std::map<std::size_t, Index>
      infinite_;  // field: the first step with finite values that are read as infinity
  double stored_over_raw_ = 0;
  bool store_waits_ = false;
  bool is_queued_ = false;  // a thread stored the step after it was moved
};

}  // namespace esker
