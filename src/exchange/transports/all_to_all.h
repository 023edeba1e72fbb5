// Moves all messages of a stage by one collective call, MPI_Alltoallv. Stages without messages are skipped.
#pragma once

#include <vector>

#include "exchange/message_transport.h"
#include "exchange/transports/busy_stages.h"

namespace esker {

class AllToAll final : public MessageTransport {
 public:
  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool keeps_step() const override { return busy_.any(); }
  void begin(const Stage& stage) override;
  void send(const Message& message) override;
  void end_sends() override;
  [[nodiscard]] int next_received() override;
  void finish() override;

 private:
  /// Bytes per rank and their offsets; zero where there is no message.
  struct Parts {
    std::vector<int> counts, starts;

    void resize(int n_ranks);
    void set(const Message& message);
    void clear(const std::vector<Message>& messages);
  };

  Comm* comm_ = nullptr;
  BusyStages busy_;
  Parts sends_, receives_;
  Stage stage_;
  std::size_t next_ = 0;  // the next message to return
};

}  // namespace esker
