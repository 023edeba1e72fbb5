// The conformance suite of transports: runs whose files must equal those of one rank.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "support/runs.h"

namespace esker::testing_support {

inline constexpr std::array kTransports{Transport::kAuto,     Transport::kMessages, Transport::kShared,
                                        Transport::kLeaders,  Transport::kAllToAll, Transport::kPut,
                                        Transport::kPutFence, Transport::kPutTypes, Transport::kGet};
inline constexpr std::array kTransportNames{"Auto", "Messages", "Shared",   "Leaders", "AllToAll",
                                            "Put",  "PutFence", "PutTypes", "Get"};

/// Three steps of three plans: straight, by boxes of neighbours, and by coarse boxes; in one round and in
/// many, which makes all ranks aggregators, the last in two partitions. Boxes are random, some empty; some
/// ranks hold none.
inline std::vector<RunPlan> transport_runs(Transport transport, int n_ranks) {
  std::vector<RunPlan> runs;
  for (const int relays : {0, 1, 2}) {
    for (const bool is_small : {false, true}) {
      RunPlan run;
      run.n_ranks = n_ranks;
      run.end_step = 3;
      run.transport = transport;
      if (relays == 1) run.restructure = Restructure::parse("default").value();
      if (relays == 2) run.max_fan_in = 2;
      if (is_small) {
        run.memory_budget = Index{192} << 10;
        run.aggregators = n_ranks;
        run.options = {{"store_thread", relays == 1 ? "false" : "true"}};
        if (relays == 2 && n_ranks > 1) run.options["partitions"] = "2";
      }
      run.in_block = is_small == (relays == 0) ? InBlockOrder::kHz : InBlockOrder::kRowMajor;
      run.seed = static_cast<unsigned>(17 * n_ranks + 5 * relays + (is_small ? 1 : 0));
      run.shuffle_puts = true;
      runs.push_back(run);
    }
  }
  return runs;
}

/// The description of a run, for messages.
inline std::string name_of(const RunPlan& run) {
  return "ranks " + std::to_string(run.n_ranks) + ", per node " + std::to_string(run.ranks_per_node) +
         ", restructure " + run.restructure.to_string() + ", max_fan_in " + std::to_string(run.max_fan_in) +
         ", budget " + std::to_string(run.memory_budget);
}

}  // namespace esker::testing_support
