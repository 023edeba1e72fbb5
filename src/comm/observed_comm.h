// ObservedComm: a Comm that reports each call that sends data to other ranks, before the call is made.
//
// The pipeline uses it to count the bytes that a step sends in addition to its samples. Tests use it to
// forbid calls, or to end a rank at a call.
#pragma once

#include <functional>
#include <memory>

#include "comm/comm.h"

namespace esker {

enum class CommCall { kBarrier, kReduce, kBroadcast, kGather, kAllToAll, kSizes, kSend, kControl };

/// Receives a call and the number of bytes that this rank contributes to it. The observer runs between
/// collective calls: it must not throw or fail.
using CommObserver = std::function<void(CommCall call, std::size_t bytes)>;

/// Wraps `comm` and shares its roll call, its end_listeners and its end. `observer` sees the calls made here
/// and at node(). It does not see calls made on `comm` itself or on its RemoteMemory. Local; may throw.
std::shared_ptr<Comm> observed_comm(std::shared_ptr<Comm> comm, CommObserver observer);

}  // namespace esker
