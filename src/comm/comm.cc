#include "comm/comm.h"

namespace esker {

std::string broadcast_text(Comm& comm, const std::string& text, int root) {
  std::uint64_t length = text.size();
  comm.broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  std::string shared = comm.rank() == root ? text : std::string(length, '\0');
  comm.broadcast(std::as_writable_bytes(std::span(shared)), root);
  return shared;
}

}  // namespace esker
