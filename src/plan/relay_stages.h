// The relay stages (hops) of a plan: in each round first the hop to relays, then the hop to aggregators.
#pragma once

#include <cstddef>

#include "plan/plan.h"

namespace esker {

/// Calls visit(number, sends, receives) for every hop, in the order of Hop::number.
template <class SomePlan, class Visit>
void for_each_hop(SomePlan& plan, const Visit& visit) {
  std::size_t number = 0;
  for (auto& round : plan.rounds) {
    visit(number++, round.relay.sends, round.relay.receives);
    visit(number++, round.sends, round.receives);
  }
}

}  // namespace esker
