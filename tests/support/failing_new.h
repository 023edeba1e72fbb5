// Memory that runs out where a test says so: in a program that links failing_new.cc, operator new fails.
#pragma once

#include <cstddef>

namespace esker::testing_support {

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
