#include "exchange/piece_sums.h"

namespace esker {

PieceSums::PieceSums(const Plan& plan) {
  Index num_pieces = 0;
  for (const Round& round : plan.rounds) {
    const Index in_round = round.window.last_piece - round.window.first_piece;
    if (in_round > 0 && (num_pieces == 0 || round.window.first_piece < first_piece_)) {
      first_piece_ = round.window.first_piece;
    }
    num_pieces += in_round;
  }
  for (const HandOver& take : plan.takes) num_pieces += take.num_pieces();
  sums_.resize(static_cast<std::size_t>(num_pieces));
}

void PieceSums::hand_over(Comm& comm, const Plan& plan) {
  for (const HandOver& take : plan.takes) comm.start_receive(bytes_of(take), take.peer);
  for (const HandOver& give : plan.gives) comm.start_send(bytes_of(give), give.peer);
  comm.finish();
}

std::span<std::byte> PieceSums::bytes_of(const HandOver& pieces) {
  return std::as_writable_bytes(
      std::span(sums_).subspan(static_cast<std::size_t>(pieces.first_piece - first_piece_),
                               static_cast<std::size_t>(pieces.num_pieces())));
}

}  // namespace esker
