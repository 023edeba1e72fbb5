#include "exchange/buffers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <new>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "device/device_memory.h"
#include "plan/plan_memory.h"

namespace esker {
namespace {

/// The bytes of a plan that no other rank accesses, and the bytes that are shared.
Index private_bytes(const Plan& plan) {
  return plan.total_buffer_bytes() - plan.node.share_bytes -
         plan.num_slots * with_room_to_align(plan.shared_buffer_bytes);
}
Index shared_bytes(const Plan& plan) {
  return NodeBuffers::bytes_for(plan.num_slots, with_room_to_align(plan.shared_buffer_bytes));
}

}  // namespace

ExchangeBuffers::ExchangeBuffers() = default;
ExchangeBuffers::~ExchangeBuffers() = default;

bool ExchangeBuffers::fit(const Plan& plan) const {
  return private_bytes(plan) <= size_ &&
         (!plan.shares_buffers || (shared_ && shared_->size_bytes() >= shared_bytes(plan))) &&
         (!plan.node.used || (staging_ && staging_->size_bytes() >= plan.node.bytes));
}

Index ExchangeBuffers::size_bytes() const {
  return size_ + (shared_ ? shared_->size_bytes() : 0) + staging_share_bytes_;
}

Index ExchangeBuffers::size_bytes_with(const Plan& plan) const {
  const Index shared = plan.shares_buffers ? shared_bytes(plan) : 0;
  return std::max(size_, private_bytes(plan)) + std::max(shared_ ? shared_->size_bytes() : 0, shared) +
         std::max(staging_share_bytes_, plan.node.share_bytes);
}

Status ExchangeBuffers::reserve(Comm& comm, const Plan& plan) {
  const Stopwatch watch;
  Status reserved = reserve_all(comm, plan);
  reserving_s_ += watch.elapsed_s();
  return reserved;
}

Status ExchangeBuffers::reserve_all(Comm& comm, const Plan& plan) {
  if (plan.shares_buffers) ESKER_RETURN_IF_ERROR(reserve_shared(comm, plan));
  if (plan.node.used) ESKER_RETURN_IF_ERROR(reserve_staging(comm, plan));
  return reserve_private(plan);
}

// Memory is made on all ranks of the node or on none. If the region of a sparse step moves, ranks take turns
// in needing the most, so that each reserves what any rank needs, as far as it needs no more in all than
// another.
Status ExchangeBuffers::reserve_shared(Comm& comm, const Plan& plan) {
  const Index has = shared_ ? shared_->size_bytes() : 0, needs = shared_bytes(plan);
  const Index others = std::max(size_, private_bytes(plan)), with_plan = others + memory_of(plan);
  const auto number = [](Index bytes) { return static_cast<std::uint64_t>(bytes); };
  std::array<std::uint64_t, 4> most{!shared_ || has < needs ? 1u : 0u, number(needs), number(others + needs),
                                    number(with_plan + needs)};
  comm.node().all_reduce_max(most);
  if (most[0] == 0) return {};
  const auto largest = static_cast<Index>(most[1]);
  const Index room = std::min(static_cast<Index>(most[2]) - others, static_cast<Index>(most[3]) - with_plan);
  unpin();
  shared_.reset();
  uses_ = 0;
  ESKER_ASSIGN_OR_RETURN(shared_, NodeBuffers::create(comm, std::max(has, std::min(largest, room))));
  allocated_ += shared_->size_bytes();
  return {};
}

// The size that is reserved and the size that is needed are the same on all ranks of a node.
Status ExchangeBuffers::reserve_staging(Comm& comm, const Plan& plan) {
  if (staging_ && staging_->size_bytes() >= plan.node.bytes) return {};
  unpin();
  staging_.reset();
  staging_share_bytes_ = 0;
  ESKER_ASSIGN_OR_RETURN(staging_, NodeStaging::create(comm, plan.node.bytes));
  staging_share_bytes_ = plan.node.share_bytes;
  allocated_ += staging_share_bytes_;
  return {};
}

Status ExchangeBuffers::reserve_private(const Plan& plan) {
  const Index bytes = private_bytes(plan);
  if (bytes <= size_) return {};
  unpin();
  data_.reset();
  size_ = 0;
  data_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!data_) return error(Code::kOutOfMemory, "cannot allocate exchange buffers of {} bytes", bytes);
  size_ = bytes;
  allocated_ += bytes;
  return {};
}

Status ExchangeBuffers::reserve_exposed(Comm& comm, const Plan& plan) {
  const Stopwatch watch;
  Status reserved = expose_all(comm, plan);
  reserving_s_ += watch.elapsed_s();
  return reserved;
}

Status ExchangeBuffers::expose_all(Comm& comm, const Plan& plan) {
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
                               "transport: puts and gets need the unified memory model (MPI_WIN_UNIFIED), "
                               "which this MPI library does not provide; set transport=messages");
  });
}

void ExchangeBuffers::release_shared() {
  unpin();
  shared_.reset();
  staging_.reset();
  staging_share_bytes_ = 0;
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

/// Before memory is freed that a device may have pinned.
void ExchangeBuffers::unpin() {
  if (device_) device_->unpin();
}

device::DeviceMemory& ExchangeBuffers::device_of(const device::Driver& driver) {
  if (!device_) device_ = std::make_unique<device::DeviceMemory>(driver);
  return *device_;
}

std::span<std::byte> ExchangeBuffers::window_of(const std::byte* address) const {
  const auto has = [&](std::span<std::byte> window) {
    return !std::less<>()(address, window.data()) && std::less<>()(address, window.data() + window.size());
  };
  const std::span<std::byte> own(data_.get(), static_cast<std::size_t>(size_));
  if (has(own)) return own;
  if (staging_ && has(staging_->memory())) return staging_->memory();
  for (std::size_t rank = 0; shared_ && rank < shared_->num_ranks(); ++rank) {
    if (has(shared_->memory_of(rank))) return shared_->memory_of(rank);
  }
  return {};
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
  if (plan.shares_buffers) {
    parts.shared = shared_.get();
    parts.shared->set_num_slots(plan.num_slots);
    parts.first_use = uses_;
  }
  if (plan.node.used) parts.staging = staging_.get();
  parts.collective = take(with_room_to_align(plan.buffer_bytes));
  parts.receive = take(plan.receive_bytes);
  parts.send = take(plan.send_bytes);
  parts.mask = take(plan.mask_bytes);
  parts.compressed = take(plan.compressed_bytes);
  if (plan.num_buffers == 2) parts.second_buffer = take(with_room_to_align(plan.buffer_bytes));
  return parts;
}

}  // namespace esker
