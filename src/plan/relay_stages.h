// The relay stages of a plan: in each round first the stage to relays, then the stage to aggregators.
#pragma once

#include <cstddef>

#include "plan/plan.h"

namespace esker {

/// Calls visit(number, sends, receives) for every stage, in the order of Stage::number.
template <class SomePlan, class Visit>
void for_each_stage(SomePlan& plan, const Visit& visit) {
  std::size_t number = 0;
  for (auto& round : plan.rounds) {
    visit(number++, round.relay.sends, round.relay.receives);
    visit(number++, round.sends, round.receives);
  }
}

}  // namespace esker
