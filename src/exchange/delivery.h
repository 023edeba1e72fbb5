// Delivery: an exchange backwards - aggregators load windows, and the samples go from there to the ranks that
// want them.
//
//   Plan plan = reversed(make_plan(...));   // of the ranks' boxes as if they were to be written
//   run_delivery(plan, targets, buffers, transport, stats, load);
//
// Boxes may overlap, and need not cover the grid: what several ranks want goes to each of them. Samples go
// straight, not by relays.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "esker/patch.hpp"
#include "exchange/buffers.h"
#include "exchange/message_transport.h"
#include "exchange/run.h"
#include "plan/plan.h"

namespace esker {

/// The plan backwards: what was sent is received, what was placed in near ranks' windows is taken from them.
/// `plan` has no relays and no messages that are combined by node. Local, pure.
Plan reversed(Plan plan);

/// [field of the plan] -> where this rank wants its samples, in the order of its boxes.
using TargetsOfFields = std::vector<std::vector<MutablePatch>>;

/// Fills a window of this rank with what is stored there.
using LoadWindow = std::function<Status(const Round&, std::span<std::byte>)>;

/// Collective: all ranks run their plans, reversed, of the same exchange. Returns the first thing that went
/// wrong on this rank; whatever it is, the planned bytes are moved to the end, so that no rank waits for
/// another, and `load` is not called again: targets hold anything then. `transport` has been prepared for the
/// plan and packs messages. In `stats` pack_s is gathering from windows, place_s copying to targets, store_s
/// the time of `load`.
Status run_delivery(const Plan& plan, const TargetsOfFields& targets, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, const LoadWindow& load);

}  // namespace esker
