// StoreCost: what calls that store have cost, and whether they mostly waited for the storage.
#pragma once

#include "base/clock.h"
#include "base/system.h"
#include "esker/types/box.hpp"

namespace esker {

struct StoreCost {
  double seconds = 0;
  double cpu_s = 0;  ///< processor time of that
  Index calls = 0;
  Index sleeps = 0;  ///< voluntary context switches in them

  /// Whether a thread could do something else meanwhile. The elapsed time alone is not conclusive: a rank may
  /// share its core.
  [[nodiscard]] bool waits() const { return 4 * cpu_s < seconds && sleeps >= calls; }

  /// Adds the cost of one call, from its construction to its end on the same thread.
  class Meter {
   public:
    explicit Meter(StoreCost& cost) : cost_(cost) {}
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter() {
      cost_.seconds += watch_.elapsed_s();
      cost_.cpu_s += thread_cpu_s() - cpu_s_;
      cost_.sleeps += thread_sleeps() - sleeps_;
      ++cost_.calls;
    }

   private:
    StoreCost& cost_;
    Stopwatch watch_;
    double cpu_s_ = thread_cpu_s();
    long sleeps_ = thread_sleeps();
  };
};

}  // namespace esker
