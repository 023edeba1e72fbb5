// Memory runs out on any rank, at any allocation of a collective call: all ranks return the same error or
// succeed, and none hangs.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "base/guarded.h"
#include "support/fault_fixture.h"
#include "support/test_new.h"

namespace esker::testing_support {

class MemoryFaultTest : public SubjectTest {
 protected:
  /// Runs a collective call in which allocations of the victim fail. Returns whether any failed.
  template <class Call>
  bool fail(const std::string& what, const NewFault& fault, int victim, const Call& call) {
    const std::string name = what + ", request " + std::to_string(fault.after) +
                             (fault.and_all_after ? " and all after it" : "") + " of rank " +
                             std::to_string(victim);
    SCOPED_TRACE(name);
    const Watchdog watchdog(name);
    Status status;
    long num_failed = 0;
    if (is_victim(victim)) {
      const FailingNew failing(fault);
      status = guarded("", call);
      num_failed = FailingNew::num_failed();
    } else {
      status = guarded("", call);
    }
    std::array<std::uint64_t, 2> codes{static_cast<std::uint64_t>(status.code()),
                                       ~static_cast<std::uint64_t>(status.code())};
    comm_.get()->all_reduce_max(codes);
    EXPECT_EQ(codes[0], ~codes[1]) << "not agreed: " << code_name(status.code()) << " " << status.message();
    // A rank without memory for the text of another rank's error reports that instead.
    if (!fault.and_all_after && victim != kAllRanks) expect_everywhere(status, status.code());
    EXPECT_TRUE(status.ok() || status.code() == Code::kOutOfMemory) << status.message();
    ++cases_;
    return lowest_rank_with(num_failed > 0) >= 0;
  }

  /// Calls body(fault, victim) with later and later allocations until it returns that none failed.
  template <class Body>
  void for_each_fault(const Body& body) {
    for (const NewFault kind : {NewFault{0, 0, false}, NewFault{0, 0, true}}) {
      for (const int victim : victims()) {
        NewFault fault = kind;
        while (body(fault, victim) && all_well()) fault.after += 1 + fault.after / 3;
        if (!all_well()) return;
      }
    }
  }

  void TearDown() override {
    if (comm_.rank() == 0) std::printf("%d cases\n", cases_);
    SubjectTest::TearDown();
  }

 private:
  int cases_ = 0;
};

}  // namespace esker::testing_support
