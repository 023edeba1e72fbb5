// What a plan itself takes of memory, beside the buffers that it runs in.
#pragma once

#include "plan/plan.h"

namespace esker {

/// Bytes that the lists of a plan hold. Local, pure. Cost: O(messages).
Index memory_of(const Plan& plan);

}  // namespace esker
