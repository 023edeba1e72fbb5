// StepTraffic: counts what one rank sends in a step in addition to its samples, by purpose.
#pragma once

#include <array>

#include "comm/observed_comm.h"
#include "esker/types/box.hpp"

namespace esker {

class StepTraffic {
 public:
  enum class Purpose {
    kAgree,    ///< status of the ranks, and the cost of the step
    kPlan,     ///< making a plan: metadata
    kMove,     ///< samples
    kRecords,  ///< records of pieces in files that several ranks write
  };
  struct Amount {
    Index collectives = 0;  ///< collective calls
    Index messages = 0;     ///< point-to-point messages
    Index bytes = 0;        ///< that this rank sent in both
  };

  /// Counts traffic for `purpose` until it goes out of scope.
  class For {
   public:
    For(StepTraffic& traffic, Purpose purpose) : traffic_(traffic), before_(traffic.purpose_) {
      traffic.purpose_ = purpose;
    }
    For(const For&) = delete;
    For& operator=(const For&) = delete;
    ~For() { traffic_.purpose_ = before_; }

   private:
    StepTraffic& traffic_;
    Purpose before_;
  };

  void begin_step() { amounts_ = {}; }
  void count(CommCall call, std::size_t bytes) {
    Amount& amount = amounts_[static_cast<std::size_t>(purpose_)];
    const bool is_message = call == CommCall::kSend || call == CommCall::kControl;
    ++(is_message ? amount.messages : amount.collectives);
    amount.bytes += static_cast<Index>(bytes);
  }
  [[nodiscard]] const Amount& of(Purpose purpose) const {
    return amounts_[static_cast<std::size_t>(purpose)];
  }

 private:
  std::array<Amount, 4> amounts_{};
  Purpose purpose_ = Purpose::kAgree;
};

}  // namespace esker
