// Keeps the collective calls of a transport inside a partition.
//
// Messages between ranks of one partition go by a transport whose collective calls have these ranks only. The
// others, which cross a border, are sent one by one. So a rank waits only for its partition and for the ranks
// that send to it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "exchange/message_transport.h"
#include "exchange/transports/point_to_point.h"
#include "exchange/transports/rank_group.h"

namespace esker {

class InPartitions final : public MessageTransport {
 public:
  /// `inside` packs messages, and waits for the ranks of `group` only: this rank's partition.
  InPartitions(std::unique_ptr<MessageTransport> inside, std::shared_ptr<const RankGroup> group)
      : inside_(std::move(inside)), group_(std::move(group)) {}

  Status prepare(Comm& comm, const Plan& plan) override;
  [[nodiscard]] bool keeps_step() const override { return inside_->keeps_step(); }
  [[nodiscard]] bool is_one_sided() const override { return inside_->is_one_sided(); }
  void begin(const Stage& stage) override;
  void send(const Message& message) override;
  void end_sends() override { inside_->end_sends(); }
  [[nodiscard]] int next_received() override;
  void finish() override;

 private:
  /// Some messages of a plan, without their samples, in the same stages.
  struct Part {
    Plan plan;
    std::vector<std::vector<int>> received;  ///< [stage] -> where its receives are in the whole plan

    explicit Part(const Plan& whole = {});
    [[nodiscard]] std::vector<Message>& sends(std::size_t stage);
    [[nodiscard]] std::vector<Message>& receives(std::size_t stage);
    [[nodiscard]] Stage stage(std::size_t number) { return {number, &sends(number), &receives(number)}; }
  };

  [[nodiscard]] bool is_inside(const Message& message) const { return group_->number_of(message.peer) >= 0; }
  void divide(const Plan& plan);

  std::unique_ptr<MessageTransport> inside_;
  PointToPoint across_;
  std::shared_ptr<const RankGroup> group_;
  Part of_group_, of_others_;
  std::size_t stage_ = 0;
};

}  // namespace esker
