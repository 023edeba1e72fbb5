// How much memory a test asks for at once. Link allocations.cc, which replaces operator new.
#pragma once

#include <cstddef>

namespace esker::testing_support {

/// The largest request of this thread since it was set to 0.
extern thread_local std::size_t largest_allocation;

}  // namespace esker::testing_support
