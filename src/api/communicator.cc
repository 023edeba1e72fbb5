#include "esker/communicator.hpp"

#include "comm/comm.h"

namespace esker {

Communicator Communicator::serial() { return Communicator(serial_comm()); }
int Communicator::rank() const { return comm_->rank(); }
int Communicator::size() const { return comm_->size(); }

}  // namespace esker
