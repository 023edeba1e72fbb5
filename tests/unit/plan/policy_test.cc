// The exchange policy of the options: each value of `transport` is a preset, and its name can be recovered.
#include "plan/policy.h"

#include <gtest/gtest.h>

#include <utility>

#include "support/transport_cases.h"

namespace esker {
namespace {

Options with(Transport transport) {
  Options options;
  options.transport = transport;
  return options;
}

std::string value_of_transport(const Options& options) {
  for (const Options::Entry& entry : options.entries()) {
    if (entry.name == "transport") return entry.value;
  }
  return {};
}

TEST(ExchangePolicy, APresetHasTheNameOfItsOption) {
  for (const Transport transport : testing_support::kTransports) {
    if (transport == Transport::kAuto) continue;
    const ExchangePolicy policy = policy_for_writing(with(transport), 4);
    EXPECT_EQ(transport_name(policy, false, 4), value_of_transport(with(transport)));
    EXPECT_FALSE(policy.may_use_messages) << "an explicit transport is used, or is an error";
  }
}

TEST(ExchangePolicy, AutoIsSharedMemoryThatMayBecomeLeadersOrMessages) {
  ExchangePolicy policy = policy_for_writing({}, 4);
  EXPECT_TRUE(policy.shares_memory());
  EXPECT_EQ(transport_name(policy, false, 4), "shared");
  EXPECT_EQ(transport_name(policy, true, 4), "leaders");
  EXPECT_GT(policy.combine_from, 0);
  use_messages(policy, "no /dev/shm");
  EXPECT_FALSE(policy.shares_memory());
  EXPECT_EQ(transport_name(policy, false, 4), "messages");
  EXPECT_EQ(policy.fallback, "not shared: no /dev/shm");
}

TEST(ExchangePolicy, PackedMessagesReplaceWrongDatatypes) {
  ExchangePolicy asked = policy_for_writing(with(Transport::kPutTypes), 4);
  ExchangePolicy used = asked;
  use_packed_messages(used, "rank 2 packs wrongly");
  EXPECT_EQ(transport_name(used, false, 4), "put_fence");
  keep_fallback(std::move(used), asked);
  EXPECT_TRUE(asked.packs);
  EXPECT_EQ(asked.fallback, "not put_types: rank 2 packs wrongly");
}

TEST(ExchangePolicy, OneRankAndOnePhaseHaveNoExchange) {
  EXPECT_EQ(transport_name(policy_for_writing({}, 1), false, 1), "none");
  Options options;
  options.aggregate = false;
  const ExchangePolicy policy = policy_for_writing(options, 4);
  EXPECT_EQ(transport_name(policy, false, 4), "none");
  EXPECT_FALSE(policy.shares_memory());
}

TEST(ExchangePolicy, ReadingPacksAndNeedsNoLeaders) {
  EXPECT_TRUE(policy_for_reading(with(Transport::kPutTypes), 4).packs);
  EXPECT_EQ(policy_for_reading(with(Transport::kLeaders), 4).topology, Topology::kSharedMemory);
  EXPECT_EQ(policy_for_reading({}, 4).combine_from, 0);
}

}  // namespace
}  // namespace esker
