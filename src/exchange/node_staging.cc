#include "exchange/node_mail.h"

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/shared_condition.h"

namespace esker {
namespace {

constexpr Index kControlBytes = 4096;  // the counters, before the messages

}  // namespace

/// Totals since create(). The counters never decrease, so no rank can miss a value.
struct NodeMail::Counters {
  SharedCondition condition;
  std::uint64_t opened, packed, arrived, read;  // packed and read count ranks, the other two hops
};

Result<std::unique_ptr<NodeMail>> NodeMail::create(Comm& comm, Index bytes) {
  static_assert(sizeof(Counters) <= kControlBytes);
  Comm& node = comm.node();
  std::unique_ptr<NodeMail> mail;
  ESKER_RETURN_IF_ERROR(all_do(node, "share mail", [&] {
    mail.reset(new NodeMail());
    mail->watch_ = comm.call_watch();
    return Status();
  }));
  mail->size_bytes_ = bytes;
  ESKER_ASSIGN_OR_RETURN(mail->memory_,
                         SharedMemory::create(node, node.rank() == 0 ? kControlBytes + bytes : 0));
  ESKER_RETURN_IF_ERROR(root_does(node, "share mail", [&] {
    const int failure = mail->counters().condition.init();
    return failure == 0 ? Status() : system_error(failure, "make a lock in", "shared memory");
  }));
  return mail;
}

NodeMail::Counters& NodeMail::counters() const { return *reinterpret_cast<Counters*>(memory_->of(0).data()); }

std::byte* NodeMail::data() const { return memory_->of(0).data() + kControlBytes; }

void NodeMail::raise(std::uint64_t Counters::*count, std::uint64_t awaited) {
  Counters& all = counters();
  const SharedCondition::Locked lock(all.condition);
  if (++(all.*count) >= awaited) all.condition.wake_all();
}

void NodeMail::wait_for(std::uint64_t Counters::*count, std::uint64_t value) {
  Counters& all = counters();
  const SharedCondition::Locked lock(all.condition);
  const CallWatch::Wait wait(watch_);
  while (all.*count < value) all.condition.wait();
}

void NodeMail::begin_hop(const MailHop& hop) {
  ++hops_;
  packed_ += static_cast<std::uint64_t>(hop.num_packers);
  read_before_ = read_;
  read_ += static_cast<std::uint64_t>(hop.num_readers);
}

void NodeMail::open() {
  wait_for(&Counters::read, read_before_);
  raise(&Counters::opened, hops_);
}
void NodeMail::wait_packed() { wait_for(&Counters::packed, packed_); }
void NodeMail::arrive() { raise(&Counters::arrived, hops_); }

void NodeMail::begin_packing() { wait_for(&Counters::opened, hops_); }
void NodeMail::end_packing() { raise(&Counters::packed, packed_); }
void NodeMail::begin_reading() { wait_for(&Counters::arrived, hops_); }
void NodeMail::end_reading() { raise(&Counters::read, read_); }

}  // namespace esker
