#include "exchange/piece_records.h"

#include <algorithm>
#include <utility>

namespace esker {

PieceRecords::PieceRecords(const Plan& plan) {
  std::vector<Ownership::Pieces> known = plan.owned;
  std::size_t num_travelling = 0;
  for (const HandOver& take : plan.takes) {
    known.insert(known.end(), take.pieces.begin(), take.pieces.end());
    num_travelling += static_cast<std::size_t>(take.num_pieces());
  }
  for (const HandOver& give : plan.gives) num_travelling += static_cast<std::size_t>(give.num_pieces());
  numbers_ = PieceNumbers(std::move(known));
  records_.resize(numbers_.size());
  travelling_.resize(num_travelling);
}

void PieceRecords::hand_over(Comm& comm, const Plan& plan) {
  PieceRecord* next = travelling_.data();
  for (const HandOver& give : plan.gives) {
    const std::span message(next, static_cast<std::size_t>(give.num_pieces()));
    for (const Ownership::Pieces& pieces : give.pieces) {
      const auto records = of(pieces.first, pieces.last);
      next = std::copy(records.begin(), records.end(), next);
    }
    comm.start_send(std::as_bytes(message), give.peer);
  }
  const PieceRecord* taken = next;
  for (const HandOver& take : plan.takes) {
    const std::span message(next, static_cast<std::size_t>(take.num_pieces()));
    comm.start_receive(std::as_writable_bytes(message), take.peer);
    next += message.size();
  }
  comm.finish();
  for (const HandOver& take : plan.takes) {
    for (const Ownership::Pieces& pieces : take.pieces) {
      const auto count = static_cast<std::size_t>(pieces.last - pieces.first);
      std::copy_n(taken, count, records_.data() + numbers_.of(pieces.first));
      taken += count;
    }
  }
}

}  // namespace esker
