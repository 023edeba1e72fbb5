#include "exchange/transports/point_to_point.h"

namespace esker {

void PointToPoint::begin(const Stage& stage) {
  for (const Message& message : *stage.receives) {
    comm_->start_receive(memory().receive.subspan(static_cast<std::size_t>(message.offset_bytes),
                                                  static_cast<std::size_t>(message.bytes)),
                         message.peer);
  }
}

void PointToPoint::send(const Message& message) { comm_->start_send(target(message), message.peer); }

}  // namespace esker
