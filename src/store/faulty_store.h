// FaultyStore: a store that fails where a test requests it, the way a device or a file system would.
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

/// Called before each operation: an errno value makes the operation fail with it, 0 lets it proceed. Called
/// from any thread.
using FaultRule = std::function<int(StoreCall call, const std::string& path)>;

/// `inner` with faults. A write that fails has stored half of its bytes; `write_failed`, if given, is then
/// called.
std::shared_ptr<Store> faulty_store(std::shared_ptr<Store> inner, FaultRule rule,
                                    std::function<void()> write_failed = nullptr);

}  // namespace esker
