#include "exchange/buffers.h"

#include <gtest/gtest.h>

#include "support/thread_comm.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: ranks

constexpr Index kKiB = 1024;

Plan private_plan(Index bytes) {
  Plan plan;
  plan.send_bytes = bytes;
  return plan;
}

Plan shared_plan(Index private_bytes, Index shared_bytes) {
  Plan plan = private_plan(private_bytes);
  plan.shares_buffers = true;
  plan.shared_buffer_bytes = shared_bytes;
  return plan;
}

TEST(ExchangeBuffers, AreKeptForSmallerPlans) {
  run_ranks(2, [](const Communicator& comm) {
    ExchangeBuffers buffers;
    ASSERT_TRUE(buffers.reserve(*comm.get(), private_plan(90 * kKiB)).ok());
    const Index allocated = buffers.allocated_bytes();
    EXPECT_EQ(buffers.size_bytes_with(private_plan(10 * kKiB)), buffers.size_bytes());
    ASSERT_TRUE(buffers.reserve(*comm.get(), private_plan(10 * kKiB)).ok());
    EXPECT_EQ(buffers.allocated_bytes(), allocated);
  });
}

// Each rank shares what any rank of the node needs, but has no more in all than another: also if it has kept
// much from an earlier plan.
TEST(ExchangeBuffers, OfAnEarlierPlanCountInWhatRanksShare) {
  run_ranks(2, [](const Communicator& comm) {
    const bool is_first = comm.rank() == 0;
    ExchangeBuffers buffers;
    ASSERT_TRUE(buffers.reserve(*comm.get(), private_plan(is_first ? 90 * kKiB : 10 * kKiB)).ok());
    const Plan next = is_first ? shared_plan(5 * kKiB, 10 * kKiB) : shared_plan(10 * kKiB, 80 * kKiB);
    ASSERT_TRUE(buffers.reserve(*comm.get(), next).ok());
    EXPECT_TRUE(buffers.fit(next));
    EXPECT_LE(buffers.size_bytes(), 102 * kKiB);
  });
}

}  // namespace
}  // namespace esker
