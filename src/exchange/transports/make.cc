#include "exchange/transports/make.h"

#include "exchange/transports/point_to_point.h"

namespace esker {

std::unique_ptr<MessageTransport> make_message_transport(Transport transport) {
  switch (transport) {
    case Transport::kAuto:
    case Transport::kMessages:
    case Transport::kShared:
      break;
  }
  return std::make_unique<PointToPoint>();
}

}  // namespace esker
