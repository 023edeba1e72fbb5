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
#include "tune/adaptive_run.h"
#include "write/report.h"
#include "write/step_input.h"
#include "write/step_plan.h"
#include "write/step_traffic.h"
#include "write/timeline.h"

namespace esker {

class OpenDataset;
class StepPlans;

class RunRecord {
 public:
  /// `timeline`: null: not recorded.
  explicit RunRecord(std::unique_ptr<Timeline> timeline);
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// A step begins: what it costs is the difference to now. Local.
  void begin_step(const ExchangeBuffers& buffers);
  /// The ranks have agreed to begin it, which took this rank so long. Local.
  void opened(Index step, double seconds);
  /// Reserves what add() needs. Local.
  void make_room();
  /// The seconds of a step on this rank.
  struct StepTime {
    double all_s = 0;
    double opening_s = 0;  ///< of these, until the ranks had agreed to begin it
  };
  /// The step was committed. Returns what tuning needs to know of a dense step. Collective; allocates nothing
  /// that it cannot do without.
  TunedStep add(Comm& comm, const OpenDataset& dataset, StepPlans& plans, const StepPlan& plan,
                const StepInput& input, StepTime time);

  /// The report so far. Collective; the same on all ranks.
  Result<RunReport> report(Comm& comm, const OpenDataset& dataset, StepPlans& plans) const;
  /// Writes it as the options say; nothing without steps. Collective.
  Status write(Comm& comm, const OpenDataset& dataset, StepPlans& plans) const;

  // All local.
  [[nodiscard]] RankCounters& counters() { return counters_; }
  [[nodiscard]] StepTraffic& traffic() { return traffic_; }
  [[nodiscard]] const std::vector<StepReport>& steps() const { return steps_; }
  /// Of the last step with compressed pieces; 0: none yet.
  [[nodiscard]] double stored_over_raw() const { return stored_over_raw_; }
  /// Whether storing was mostly waiting, on this rank, in the last step.
  [[nodiscard]] bool store_waits() const { return store_waits_; }
  /// What an exchange cost, of which encoding while storing took `encoding_s`.
  void add(ExchangeStats stats, double encoding_s);

 private:
  void count_put(const Schema& schema, const StepPlan& plan, const StepInput& input);
  void note_infinite(const StepPlan& plan, Index step);
  [[nodiscard]] std::vector<std::string> infinity_warnings(const Schema& schema) const;
  [[nodiscard]] RunReport begin_report(Comm& comm, const Options& options) const;
  Status add_details(Comm& comm, const OpenDataset& dataset, StepPlans& plans, RunReport& report) const;

  std::unique_ptr<Timeline> timeline_;
  RankCounters counters_;
  RankCounters critical_;  // the phases of the steps in which the others waited for this rank
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
};

}  // namespace esker
