// Moves all messages of a stage by one collective call, MPI_Alltoallv, of all ranks or of a group. Stages
// without messages are skipped.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "exchange/message_transport.h"
#include "exchange/transports/busy_stages.h"
#include "exchange/transports/rank_group.h"

namespace esker {

class AllToAll final : public MessageTransport {
 public:
  /// `group`: the ranks that have messages for each other, see InPartitions; null: all.
  explicit AllToAll(std::shared_ptr<const RankGroup> group) : group_(std::move(group)) {}

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
    void set(std::size_t number, const Message& message);
    void clear(std::size_t number) { counts[number] = 0; }
  };

  [[nodiscard]] std::size_t number_of(const Message& message) const {
    return static_cast<std::size_t>(group_ ? group_->number_of(message.peer) : message.peer);
  }

  std::shared_ptr<const RankGroup> group_;
  Comm* comm_ = nullptr;  // of the group
  BusyStages busy_;
  Parts sends_, receives_;
  Stage stage_;
  std::size_t next_ = 0;  // the next message to return
};

}  // namespace esker
