// Converts exceptions of libraries and allocations to a Status, so that a rank cannot leave other ranks
// waiting.
#pragma once

#include <exception>

#include "esker/types/status.hpp"

namespace esker {

/// kOutOfMemory for std::bad_alloc, or kInternal with the exception's text.
Status status_of(const std::exception& exception, const char* operation) noexcept;

/// The Status that `action` returns, or that of its exception.
template <class Action>
Status guarded(const char* operation, const Action& action) {
  try {
    return action();
  } catch (const std::exception& exception) {
    return status_of(exception, operation);
  }
}

}  // namespace esker
