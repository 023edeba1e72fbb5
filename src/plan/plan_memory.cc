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
                round.local.segments.size_bytes() + list_bytes(round.window.padded) +
                list_bytes(round.window.unused);
  for (const auto* messages :
       {&round.relay.sends, &round.relay.receives, &round.sends, &round.receives, &round.places}) {
    bytes += messages_bytes(*messages);
  }
  return bytes;
}

Index mail_bytes(const MailPlan& mail) {
  Index bytes = list_bytes(mail.hops);
  for (const MailHop& hop : mail.hops) bytes += list_bytes(hop.sends) + list_bytes(hop.receives);
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
                hand_over_bytes(plan.takes) + mail_bytes(plan.mail);
  if (plan.pool) bytes += plan.pool->size_bytes();
  for (const Round& round : plan.rounds) bytes += round_bytes(round);
  return bytes;
}

}  // namespace esker
