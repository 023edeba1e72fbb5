// cut_to_budget: all ranks together cut an exchange so that the plan of each fits in the memory budget.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "comm/comm.h"
#include "exchange/directory.h"
#include "plan/step_cut.h"

namespace esker {

/// What a StepCut is made of, beside the number of ranks. All that it refers to outlives it.
struct CutInputs {
  const PieceSpace& space;
  const Options& options;
  std::span<const int> near;
  const Placement& placement;
  int most_slots = StepCut::kSharedSlots;
};

/// Makes this rank's plan with the cut as it is, and says what it needs. May be collective; errors are those
/// of all ranks then. To be handed over by std::cref: making the function object needs no memory then, where
/// a rank that has none could not tell the others.
using MakePlan = std::function<Result<StepCut::Needs>(const StepCut&, const Relays&)>;

/// Learns from `directory` whose boxes a rank must know, and lets `make` plan, with smaller windows until the
/// largest rank fits. Collective; errors are those of all ranks: those of `make`, kOutOfMemory for a budget
/// that no window fits in.
Status cut_to_budget(Comm& comm, const CutInputs& inputs, Directory& directory,
                     const std::vector<FieldPatches>& fields, const MakePlan& make);

}  // namespace esker
