// Reports memory exhaustion in a reader's call as an error of the call.
#pragma once

#include <new>
#include <stdexcept>

#include "base/error.h"

namespace esker {

/// The result of `work`, or kOutOfMemory. Other exceptions propagate, including those of a caller's function.
template <class Work>
auto within_memory(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return error(Code::kOutOfMemory, "out of memory");
  } catch (const std::length_error&) {
    return error(Code::kOutOfMemory, "more memory needed than can be addressed");
  }
}

}  // namespace esker
