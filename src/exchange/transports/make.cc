#include "exchange/transports/make.h"

#include "exchange/transports/all_to_all.h"
#include "exchange/transports/get.h"
#include "exchange/transports/leaders.h"
#include "exchange/transports/point_to_point.h"
#include "exchange/transports/put.h"

namespace esker {

std::unique_ptr<MessageTransport> make_message_transport(Transport transport) {
  switch (transport) {
    case Transport::kAuto:
    case Transport::kMessages:
    case Transport::kShared:
      break;
    case Transport::kLeaders:
      return std::make_unique<ByLeaders>();
    case Transport::kAllToAll:
      return std::make_unique<AllToAll>();
    case Transport::kPut:
      return std::make_unique<PutMessages>(PutSync::kPairs, PutFrom::kBuffer);
    case Transport::kPutFence:
      return std::make_unique<PutMessages>(PutSync::kFence, PutFrom::kBuffer);
    case Transport::kPutTypes:
      return std::make_unique<PutMessages>(PutSync::kFence, PutFrom::kPatches);
    case Transport::kGet:
      return std::make_unique<GetMessages>();
  }
  return std::make_unique<PointToPoint>();
}

}  // namespace esker
