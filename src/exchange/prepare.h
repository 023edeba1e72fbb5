// prepare: from what is to be moved to what is needed to move it - plan, transport, memory.
//
//   Prepared prepared;
//   ESKER_RETURN_IF_ERROR(prepare(comm, {space, directory, fields}, policy, buffers, prepared));
//   run_exchange(prepared.plan, patches, buffers, *prepared.transport, stats, store, false);
//
// Writing and reading together differ in the direction alone. `esker plan` counts what the plans of all ranks
// would be (plan/count_step.h); all three shrink the collective buffers to the budget by StepCut::fit().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/comm.h"
#include "exchange/buffers.h"
#include "exchange/directory.h"
#include "exchange/message_transport.h"
#include "plan/plan.h"
#include "plan/policy.h"

namespace esker {

enum class Direction {
  kToFiles,    ///< from the ranks that hold samples to aggregators (run_exchange)
  kFromFiles,  ///< from aggregators to the ranks that want samples (run_delivery)
};

/// What is to be moved. All that it refers to outlives the call.
struct ExchangeInputs {
  const PieceSpace& space;
  Directory& directory;
  const std::vector<FieldPatches>& fields;  ///< their holders are lists of `directory`
  Direction direction = Direction::kToFiles;
  Index held_bytes = 0;  ///< lists of this rank that count in the budget next to the plan
};

/// Stays where prepare() filled it in: the transport refers to the plan.
struct Prepared {
  Plan plan;
  std::unique_ptr<MessageTransport> transport;
  int num_writers = 0;  ///< ranks that store
  std::string used;     ///< the value of the option `transport` that stands for what was chosen
  std::string reason;   ///< why, for the report
};

/// Places the aggregators, fits the exchange to the budget, chooses the transport and reserves `buffers`. Where
/// this machine lacks what `policy` asks for, and it may do without, `policy` is changed. Collective, the same
/// choices on all ranks; errors are those of all ranks: kOutOfMemory for a budget that no collective buffer fits
/// in, or memory; kUnsupported.
/// Memory that other ranks put to or get from is exposed at once for kToFiles, else by run time.
Status prepare(Comm& comm, const ExchangeInputs& inputs, ExchangePolicy& policy, ExchangeBuffers& buffers,
               Prepared& prepared);

}  // namespace esker
