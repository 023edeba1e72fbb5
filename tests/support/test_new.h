// An observed operator new, for programs that link test_new.cc: records the largest request, and fails on
// demand.
#pragma once

#include <cstddef>

namespace esker::testing_support {

/// The largest request of this thread since it was set to 0.
extern thread_local std::size_t largest_allocation;

struct NewFault {
  long after = 0;              ///< number of requests of that size that succeed before
  std::size_t min_bytes = 0;   ///< smaller requests are not counted and succeed
  bool and_all_after = false;  ///< all later requests fail, too
};

/// Applies to this process until the end of the scope.
class FailingNew {
 public:
  explicit FailingNew(const NewFault& fault);
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  ~FailingNew();
  /// The number of failed requests.
  [[nodiscard]] static long num_failed();
};

}  // namespace esker::testing_support
