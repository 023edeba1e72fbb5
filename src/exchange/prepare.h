// prepare: makes the plan, the transport and the buffers of an exchange.
//
//   Prepared prepared;
//   ESKER_RETURN_IF_ERROR(prepare(comm, {space, directory, fields}, policy, buffers, prepared));
//   run_exchange(prepared.plan, patches, buffers, *prepared.transport, stats, store, false);
//
// Collective writing and reading differ only in the direction. `esker plan` counts what the plans of all
// ranks would be (plan/count_step.h). All three shrink the collective buffers to the budget by
// StepCut::fit().
#pragma once

#include <memory>
#include <optional>
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
  kFromFiles,  ///< from aggregators to the ranks that request samples (run_delivery)
};

/// The samples to be moved. All objects that it refers to outlive the call.
struct ExchangeInputs {
  const PieceSpace& space;
  Directory& directory;
  const std::vector<FieldPatches>& fields;  ///< their holders are, or are known by, lists of `directory`
  Direction direction = Direction::kToFiles;
  Index held_bytes = 0;          ///< memory of this rank's lists that counts in the budget, like the plan
  bool keeps_ownership = false;  ///< see Prepared::ownership
};

/// Must not be moved after prepare(): the transport refers to the plan.
struct Prepared {
  Plan plan;
  std::unique_ptr<MessageTransport> transport;
  int num_writers = 0;                 ///< ranks that store pieces
  int num_aggregators = 0;             ///< ranks that collect them; some may collect none
  std::optional<Ownership> ownership;  ///< if it was requested; refers to the space
  std::string used;                    ///< the value of the option `transport` that names the choice
  std::string reason;                  ///< of the choice, for the report
};

/// Places the aggregators, fits the exchange to the budget, chooses the transport and reserves `buffers`;
/// those of earlier plans are kept if the budget has room for both.
/// Where this machine lacks what `policy` requests, and a fallback is allowed, `policy` is changed.
/// Collective, the same choices on all ranks; errors are those of all ranks: kOutOfMemory for a budget that
/// no collective buffer fits in, or for memory; kUnsupported. Memory that other ranks put to or get from is
/// exposed at once for kToFiles, otherwise by the caller before the run.
Status prepare(Comm& comm, const ExchangeInputs& inputs, ExchangePolicy& policy, ExchangeBuffers& buffers,
               Prepared& prepared);

}  // namespace esker
