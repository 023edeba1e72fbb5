// The memory of a plan itself, without the buffers that it runs in.
#pragma once

#include "plan/plan.h"

namespace esker {

/// The bytes that the lists of a plan occupy. Local, pure. Cost: O(messages).
Index memory_of(const Plan& plan);

}  // namespace esker
