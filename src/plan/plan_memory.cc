#include "plan/plan_memory.h"

namespace esker {
namespace {

template <class T>
Index list_bytes(const std::vector<T>& list) {
  return static_cast<Index>(list.capacity() * sizeof(T));
}

Index messages_bytes(const std::vector<Message>& messages) {
  Index bytes = list_bytes(messages);
  for (const Message& message : messages) bytes += message.segments.size_bytes();
  return bytes;
}

Index round_bytes(const Round& round) {
  Index bytes = round.relay.local.segments.size_bytes() + list_bytes(round.relay.relayed) +
                round.local.segments.size_bytes() + list_bytes(round.content.padded) +
                list_bytes(round.content.unused);
  for (const auto* messages :
       {&round.relay.sends, &round.relay.receives, &round.sends, &round.receives, &round.places}) {
    bytes += messages_bytes(*messages);
  }
  return bytes;
}

Index node_plan_bytes(const NodePlan& node) {
  Index bytes = list_bytes(node.stages);
  for (const NodeStage& stage : node.stages) bytes += list_bytes(stage.sends) + list_bytes(stage.receives);
  return bytes;
}

Index hand_over_bytes(const std::vector<HandOver>& hand_overs) {
  Index bytes = list_bytes(hand_overs);
  for (const HandOver& hand_over : hand_overs) bytes += list_bytes(hand_over.pieces);
  return bytes;
}

}  // namespace

Index memory_of(const Plan& plan) {
  Index bytes = list_bytes(plan.rounds) + list_bytes(plan.owned) + hand_over_bytes(plan.gives) +
                hand_over_bytes(plan.takes) + node_plan_bytes(plan.node);
  if (plan.pool) bytes += plan.pool->size_bytes();
  for (const Round& round : plan.rounds) bytes += round_bytes(round);
  return bytes;
}

}  // namespace esker
