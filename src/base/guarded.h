// Converts exceptions of libraries and allocations to a Status, so that a rank cannot leave other ranks
// waiting.
#pragma once

#include <exception>
#include <new>

#include "base/error.h"

namespace esker {

/// The Status that `action` returns, or kOutOfMemory or kInternal for an exception.
template <class Action>
Status guarded(const char* operation, const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return out_of_memory(operation);
  } catch (const std::exception& failure) {
    try {
      return error(Code::kInternal, "{}: {}", operation, failure.what());
    } catch (const std::bad_alloc&) {
      return out_of_memory(operation);
    }
  }
}

}  // namespace esker
