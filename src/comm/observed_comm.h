// ObservedComm: a Comm that tells of each call which gives something to other ranks, before it is made.
//
// The pipeline counts with it what a step says beside its samples; tests forbid calls, or end a rank at one.
#pragma once

#include <functional>
#include <memory>

#include "comm/comm.h"

namespace esker {

enum class CommCall { kBarrier, kReduce, kBroadcast, kGather, kAllToAll, kSizes, kSend, kNote };

/// Told of a call and the bytes that this rank gives to it. It runs between collective calls: it must neither
/// throw nor fail.
using CommObserver = std::function<void(CommCall call, std::size_t bytes)>;

/// Stands for `comm`, with its roll call, its guests and its end. `observer` is told of what is called here
/// and at node(); what is called of `comm` itself, and of its RemoteMemory, it does not hear. Local; may
/// throw.
std::shared_ptr<Comm> observed_comm(std::shared_ptr<Comm> comm, CommObserver observer);

}  // namespace esker
