// FaultyStore: a store that fails where a test says so, the way a device or a file system would.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/store.h"

namespace esker {

enum class StoreCall {
  kOpen,
  kWrite,
  kRead,
  kSync,
  kClose,
  kCreate,
  kMakeDirectories,
  kRename,
  kRemove,
  kSyncDirectory,
  kFreeBytes,
  kExists
};

/// Asked before each call: an errno value makes the call fail with it, 0 lets it through. Called from any
/// thread.
using FaultRule = std::function<int(StoreCall call, const std::string& path)>;

/// `inner` with faults. A write that fails has stored half of its bytes; `write_failed`, if any, is told
/// then.
std::shared_ptr<Store> faulty_store(std::shared_ptr<Store> inner, FaultRule rule,
                                    std::function<void()> write_failed = nullptr);

}  // namespace esker
