#include "exchange/transports/make.h"

#include "exchange/transports/all_to_all.h"
#include "exchange/transports/get.h"
#include "exchange/transports/leaders.h"
#include "exchange/transports/point_to_point.h"
#include "exchange/transports/put.h"

namespace esker {

std::unique_ptr<MessageTransport> make_message_transport(const ExchangePolicy& policy, bool combined,
                                                         int n_ranks) {
  if (!policy.aggregate || n_ranks == 1) return std::make_unique<PointToPoint>();
  if (combined) return std::make_unique<ByLeaders>();
  const bool by_fences = policy.synchronization == Synchronization::kFence;
  switch (policy.primitive) {
    case Primitive::kPut:
      return std::make_unique<PutMessages>(policy.synchronization, policy.packs);
    case Primitive::kGet:
      return std::make_unique<GetMessages>();
    case Primitive::kSend:
      break;
  }
  if (by_fences) return std::make_unique<AllToAll>();
  return std::make_unique<PointToPoint>();
}

}  // namespace esker
