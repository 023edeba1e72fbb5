#include "exchange/cut_to_budget.h"

#include <array>
#include <optional>

#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

/// The most of all ranks.
StepCut::Needs most_of_all(Comm& comm, const StepCut::Needs& mine) {
  std::array<std::uint64_t, 3> most{static_cast<std::uint64_t>(mine.total_bytes()),
                                    static_cast<std::uint64_t>(mine.plan_bytes),
                                    static_cast<std::uint64_t>(mine.largest_part_bytes)};
  comm.all_reduce_max(most);
  const auto plan_bytes = static_cast<Index>(most[1]);
  return {static_cast<Index>(most[0]) - plan_bytes, plan_bytes, static_cast<Index>(most[2])};
}

}  // namespace

Status cut_to_budget(Comm& comm, const CutInputs& inputs, Directory& directory,
                     const std::vector<FieldPatches>& fields, const MakePlan& make) {
  std::optional<StepCut> cut;
  std::optional<Relays> relays;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    cut.emplace(inputs.space, inputs.options, comm.size(), inputs.near, inputs.placement, inputs.most_slots);
    relays = cut->relays(fields);
    return Status();
  }));
  for (;;) {
    ESKER_RETURN_IF_ERROR(directory.learn([&](const VisitRegion& visit) {
      cut->for_each_region_to_know(comm.rank(), fields, *relays, visit);
    }));
    ESKER_ASSIGN_OR_RETURN(const StepCut::Needs mine, make(*cut, *relays));
    const StepCut::Needs needs = most_of_all(comm, mine);
    if (cut->fits(needs)) return {};
    bool is_smaller = false;
    ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
      is_smaller = cut->shrink();
      relays = cut->relays(fields);
      return Status();
    }));
    if (!is_smaller) return cut->does_not_fit(needs);
  }
}

}  // namespace esker
