#include "exchange/buffers.h"

#include <algorithm>
#include <array>
#include <new>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"

namespace esker {
namespace {

/// The bytes of a plan that no other rank accesses, and the bytes that are shared.
Index private_bytes(const Plan& plan) {
  return plan.buffer_bytes() - plan.mail.share_bytes - plan.num_slots * plan.shared_window_bytes;
}
Index shared_bytes(const Plan& plan) {
  return NodeWindows::bytes_for(plan.num_slots, plan.shared_window_bytes);
}

}  // namespace

bool ExchangeBuffers::fit(const Plan& plan) const {
  return private_bytes(plan) <= size_ &&
         (!plan.shares_windows || (shared_ && shared_->size_bytes() >= shared_bytes(plan))) &&
         (!plan.mail.used || (mail_ && mail_->size_bytes() >= plan.mail.bytes));
}

Index ExchangeBuffers::size_bytes() const {
  return size_ + (shared_ ? shared_->size_bytes() : 0) + mail_share_bytes_;
}

Status ExchangeBuffers::reserve(Comm& comm, const Plan& plan) {
  if (plan.shares_windows) ESKER_RETURN_IF_ERROR(reserve_shared(comm, plan));
  if (plan.mail.used) ESKER_RETURN_IF_ERROR(reserve_mail(comm, plan));
  return reserve_private(plan);
}

Status ExchangeBuffers::reserve_shared(Comm& comm, const Plan& plan) {
  const Index has = shared_ ? shared_->size_bytes() : 0;
  std::array<std::uint64_t, 1> any_grows{!shared_ || has < shared_bytes(plan) ? 1u : 0u};
  comm.node().all_reduce_max(any_grows);
  if (any_grows[0] == 0) return {};
  shared_.reset();
  uses_ = 0;
  ESKER_ASSIGN_OR_RETURN(shared_, NodeWindows::create(comm, std::max(has, shared_bytes(plan))));
  allocated_ += shared_->size_bytes();
  return {};
}

// The size that is reserved and the size that is needed are the same on all ranks of a node.
Status ExchangeBuffers::reserve_mail(Comm& comm, const Plan& plan) {
  if (mail_ && mail_->size_bytes() >= plan.mail.bytes) return {};
  mail_.reset();
  mail_share_bytes_ = 0;
  ESKER_ASSIGN_OR_RETURN(mail_, NodeMail::create(comm, plan.mail.bytes));
  mail_share_bytes_ = plan.mail.share_bytes;
  allocated_ += mail_share_bytes_;
  return {};
}

Status ExchangeBuffers::reserve_private(const Plan& plan) {
  const Index bytes = private_bytes(plan);
  if (bytes <= size_) return {};
  data_.reset();
  size_ = 0;
  data_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!data_) return error(Code::kOutOfMemory, "cannot allocate exchange buffers of {} bytes", bytes);
  size_ = bytes;
  allocated_ += bytes;
  return {};
}

Status ExchangeBuffers::reserve_exposed(Comm& comm, const Plan& plan) {
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    if (!remote_) remote_ = comm.make_remote_memory();
    return Status();
  }));
  std::array<std::uint64_t, 1> any_grows{!is_exposed_ || private_bytes(plan) > size_ ? 1u : 0u};
  comm.all_reduce_max(any_grows);
  if (any_grows[0] == 0) return {};
  withdraw();
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] { return reserve_private(plan); }));
  is_exposed_ = remote_->expose({data_.get(), static_cast<std::size_t>(size_)});
  return all_do(comm, "plan", [&] {
    return is_exposed_ ? Status()
                       : error(Code::kUnsupported,
                               "transport: this MPI has no unified memory for puts and gets (MPI_WIN_MODEL)");
  });
}

void ExchangeBuffers::release_shared() {
  shared_.reset();
  mail_.reset();
  mail_share_bytes_ = 0;
  uses_ = 0;
}

void ExchangeBuffers::release() {
  release_shared();
  withdraw();
  data_.reset();
  size_ = 0;
}

void ExchangeBuffers::withdraw() {
  if (is_exposed_) remote_->withdraw();
  is_exposed_ = false;
}

// In the order that receive_offset() and send_offset() define.
ExchangeBuffers::Parts ExchangeBuffers::parts(const Plan& plan) {
  Parts parts;
  if (is_exposed_) parts.remote = remote_.get();
  std::byte* next = data_.get();
  const auto take = [&next](Index bytes) {
    const std::span<std::byte> part(next, static_cast<std::size_t>(bytes));
    next += bytes;
    return part;
  };
  if (plan.shares_windows) {
    parts.shared = shared_.get();
    parts.shared->set_num_slots(plan.num_slots);
    parts.first_use = uses_;
  }
  if (plan.mail.used) parts.mail = mail_.get();
  parts.window = take(plan.window_bytes);
  parts.receive = take(plan.receive_bytes);
  parts.send = take(plan.send_bytes);
  parts.marks = take(plan.mark_bytes);
  if (plan.num_windows == 2) parts.second_window = take(plan.window_bytes);
  return parts;
}

}  // namespace esker
