// operator new under a test's eyes, in programs that link test_new.cc: what is asked for at once, and memory
// that runs out where the test says so.
#pragma once

#include <cstddef>

namespace esker::testing_support {

/// The largest request of this thread since it was set to 0.
extern thread_local std::size_t largest_allocation;

struct NewFault {
  long after = 0;              ///< so many requests of that size succeed before
  std::size_t min_bytes = 0;   ///< smaller requests are not counted and succeed
  bool and_all_after = false;  ///< not only one request fails, but all from then on
};

/// For this process, until it goes out of scope.
class FailingNew {
 public:
  explicit FailingNew(const NewFault& fault);
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  ~FailingNew();
  /// While paused, requests succeed and are not counted.
  static void pause(bool paused);
  /// How many requests have failed.
  [[nodiscard]] static long num_failed();
};

}  // namespace esker::testing_support
