#include "exchange/transports/make.h"

#include <utility>

#include "exchange/transports/all_to_all.h"
#include "exchange/transports/get.h"
#include "exchange/transports/in_partitions.h"
#include "exchange/transports/leaders.h"
#include "exchange/transports/point_to_point.h"
#include "exchange/transports/put.h"

namespace esker {
namespace {

std::unique_ptr<MessageTransport> of_primitive(const ExchangePolicy& policy,
                                               std::shared_ptr<const RankGroup> group) {
  switch (policy.primitive) {
    case Primitive::kPut:
      return std::make_unique<PutMessages>(policy.synchronization, policy.packs, std::move(group));
    case Primitive::kGet:
      return std::make_unique<GetMessages>();
    case Primitive::kSend:
      break;
  }
  if (policy.synchronization == Synchronization::kFence) return std::make_unique<AllToAll>(std::move(group));
  return std::make_unique<PointToPoint>();
}

}  // namespace

bool waits_for_all(const ExchangePolicy& policy, int n_ranks) {
  return policy.aggregate && n_ranks > 1 && policy.synchronization == Synchronization::kFence;
}

std::unique_ptr<MessageTransport> make_message_transport(const ExchangePolicy& policy, bool combined,
                                                         int n_ranks,
                                                         std::shared_ptr<const RankGroup> group) {
  if (!policy.aggregate || n_ranks == 1) return std::make_unique<PointToPoint>();
  if (combined) return std::make_unique<ByLeaders>();
  auto transport = of_primitive(policy, group);
  if (!group) return transport;
  return std::make_unique<InPartitions>(std::move(transport), std::move(group));
}

}  // namespace esker
