// Delivery: an exchange in the reverse direction. Aggregators load their collective buffers, and
// the samples go from there to the ranks that requested them.
//
//   Plan plan = reversed(make_plan(...));   // of the ranks' boxes as if they were to be written
//   run_delivery(plan, targets, buffers, transport, stats, load);
//
// Boxes may overlap and need not cover the grid: samples that several ranks request go to each of them.
// Samples go directly, without relays.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "esker/types/patch.hpp"
#include "exchange/buffers.h"
#include "exchange/message_transport.h"
#include "exchange/patch_target.h"
#include "exchange/run.h"
#include "plan/plan.h"

namespace esker {

/// Reverses a plan: messages sent become messages received, and samples placed in near ranks' buffers are
/// taken from them. `plan` has no relays and no node-level aggregation messages. Local, pure.
Plan reversed(Plan plan);

/// [field of the plan] -> the destinations of this rank's samples, in the order of its boxes.
using TargetsOfFields = std::vector<std::vector<MutablePatch>>;

/// Fills a buffer of this rank with the bytes stored for it.
using LoadBuffer = std::function<Status(const Round&, std::span<std::byte>)>;

/// Collective: all ranks run their reversed plans of the same exchange. Returns the first error on this rank.
/// After an error the planned bytes still move, so that no rank waits for another; `load` is not called
/// again, and the contents of the targets are undefined. `transport` has been prepared for the plan and packs
/// messages. In `stats` pack_s is the time of gathering from buffers, place_s of copying to targets, store_s
/// of `load`. `taker`: takes the samples of some fields; null: all are copied.
Status run_delivery(const Plan& plan, const TargetsOfFields& targets, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, const LoadBuffer& load,
                    PatchTarget* taker = nullptr);

}  // namespace esker
