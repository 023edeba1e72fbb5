#include "exchange/delivery.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "exchange/device_copies.h"
#include "plan/segment_maps.h"

namespace esker {
namespace {

/// The state of one rank while a plan runs. After a failure of local work the rank still moves the planned
/// bytes, whatever its buffers contain.
class DeliveryRun {
 public:
  DeliveryRun(const Plan& plan, const TargetsOfFields& targets, const ExchangeBuffers::Parts& buffers,
              MessageTransport& transport, DeviceCopies& device, ExchangeStats& stats, PatchTarget* taker)
      : plan_(plan),
        targets_(targets),
        buffers_(buffers),
        transport_(transport),
        device_(device),
        stats_(stats),
        taker_(taker) {
    transport_.begin_run(buffers);
  }

  // While a rank waits for another rank's buffer, it loads its own buffers of later rounds, as long as some
  // are free. It never sleeps while it could load a buffer that others wait for: of all ranks, the one that
  // has loaded the fewest rounds finds a buffer free.
  void all_rounds(const LoadBuffer& load) {
    for (std::size_t r = 0; r < plan_.rounds.size(); ++r) {
      while (loaded_ <= r) (void)load_next(load, true);
      exchange_messages(r);
      for (const Message& message : plan_.rounds[r].places) {
        while (!take(message, use_of(r), !can_load_ahead(r))) (void)load_next(load, false);
      }
    }
    const Stopwatch watch;
    if (buffers_.shared) buffers_.shared->meet();
    stats_.wait_s += watch.elapsed_s();
  }

  Status& status() { return status_; }

 private:
  /// Whether the buffer of a later round can be loaded now. The messages of all rounds share their buffers,
  /// so a rank with messages does not load ahead.
  [[nodiscard]] bool can_load_ahead(std::size_t round) {
    return loaded_ < plan_.rounds.size() && loaded_ < round + static_cast<std::size_t>(plan_.num_slots) &&
           plan_.send_bytes == 0 && plan_.receive_bytes == 0 && is_free(loaded_, false);
  }

  /// Whether the ranks that took samples from the buffer before have left it.
  [[nodiscard]] bool is_free(std::size_t round, bool wait) {
    return plan_.rounds[round].num_visitors == 0 || buffers_.shared->have_left(use_of(round), wait);
  }

  /// Loads the buffer of round loaded_, takes this rank's own samples from it, and lets others enter.
  bool load_next(const LoadBuffer& load, bool wait) {
    Stopwatch watch;
    const bool free = is_free(loaded_, wait);
    stats_.wait_s += watch.lap();
    if (!free) return false;
    const Round& round = plan_.rounds[loaded_];
    const auto buffer = buffer_of(loaded_).first(static_cast<std::size_t>(round.content.size_bytes()));
    if (!buffer.empty()) attempt("load", [&] { return load(round, buffer); });
    stats_.store_s += watch.lap();
    deliver(round.local, buffer.data(), round.content.begin);
    stats_.place_s += watch.lap();
    if (round.num_visitors > 0) buffers_.shared->offer(use_of(loaded_), round.num_visitors);
    ++loaded_;
    return true;
  }

  /// Exchanges the messages of a round, whose buffer is the last one loaded.
  void exchange_messages(std::size_t number) {
    const Round& round = plan_.rounds[number];
    Stopwatch watch;
    transport_.begin({2 * number + 1, &round.sends, &round.receives});
    stats_.wait_s += watch.lap();
    for (const Message& message : round.sends) {
      pack(message, buffer_of(number).data(), round.content.begin);
      transport_.send(message);
      stats_.sent_bytes += message.bytes;
      ++stats_.messages;
    }
    stats_.pack_s += watch.lap();
    transport_.end_sends();
    stats_.wait_s += watch.lap();
    for (int m = transport_.next_received(); m >= 0; m = transport_.next_received()) {
      stats_.wait_s += watch.lap();
      unpack(round.receives[static_cast<std::size_t>(m)]);
      stats_.place_s += watch.lap();
    }
    transport_.finish();
    stats_.wait_s += watch.lap();
  }

  /// Takes this rank's samples from a near rank's buffer. False if that is not loaded yet, and `wait` is
  /// false.
  bool take(const Message& message, Index use, bool wait) {
    Stopwatch watch;
    const auto buffer = buffers_.shared->enter(message.peer, use, wait);
    stats_.wait_s += watch.lap();
    if (buffer.empty()) return false;
    deliver(message, buffer.data(), message.buffer_begin);
    buffers_.shared->leave(message.peer, use);
    stats_.placed_bytes += message.bytes;
    stats_.place_s += watch.lap();
    return true;
  }

  [[nodiscard]] Index use_of(std::size_t round) const {
    return buffers_.first_use + static_cast<Index>(round);
  }
  [[nodiscard]] std::span<std::byte> buffer_of(std::size_t round) const {
    return plan_.rounds[round].num_visitors > 0 ? buffers_.shared->buffer(use_of(round))
                                                : buffers_.collective;
  }

  /// Local work. Copies of a device that it starts have ended when this returns.
  template <class Action>
  void attempt(const char* what, const Action& action) {
    if (!status_.ok()) return;
    Status done = guarded(what, action);
    Status ended = guarded(what, [&] { return device_.finish(); });  // also after an error
    status_ = done.ok() ? std::move(ended) : std::move(done);
  }

  /// Copies samples of a buffer to this rank's targets.
  void deliver(const Message& message, const std::byte* buffer, Index buffer_begin) {
    attempt("place", [&]() -> Status {
      for (const Segment& segment : message.segments) {
        ESKER_RETURN_IF_ERROR(place(segment, buffer, map_in_buffer(segment, buffer_begin)));
      }
      return {};
    });
  }

  void unpack(const Message& message) {
    attempt("place", [&]() -> Status {
      const std::byte* source = transport_.received(message);
      for (const Segment& segment : message.segments) {
        ESKER_RETURN_IF_ERROR(
            place(segment, source, {0, SampleMap::dense(segment.indices, segment.sample_bytes)}));
        source += segment.bytes();
      }
      return {};
    });
  }

  void pack(const Message& message, const std::byte* buffer, Index buffer_begin) {
    attempt("pack", [&] {
      std::byte* target = transport_.target(message).data();
      for (const Segment& segment : message.segments) {
        const SegmentMap from = map_in_buffer(segment, buffer_begin);
        copy_samples(segment.sample_bytes, buffer + from.first_bytes, from.samples, target,
                     SampleMap::dense(segment.indices, segment.sample_bytes));
        target += segment.bytes();
      }
      return Status();
    });
  }

  Status place(const Segment& segment, const std::byte* source, SegmentMap from) {
    const MutablePatch& target =
        targets_[static_cast<std::size_t>(segment.field)][static_cast<std::size_t>(segment.patch)];
    if (taker_ != nullptr && taker_->takes(segment.field)) {
      return taker_->take(segment, target, source, from);
    }
    const PatchCopy copy = map_patch_copy(segment, target, std::move(from));
    if (target.is_on_device) return device_.deliver(copy, source, target);
    copy_samples(copy.element_bytes, source + copy.in_place.first_bytes, copy.in_place.samples,
                 static_cast<std::byte*>(target.data) + copy.in_patch.first_bytes, copy.in_patch.samples);
    return {};
  }

  const Plan& plan_;
  const TargetsOfFields& targets_;
  const ExchangeBuffers::Parts& buffers_;
  MessageTransport& transport_;
  DeviceCopies& device_;
  ExchangeStats& stats_;
  PatchTarget* taker_;
  std::size_t loaded_ = 0;  // rounds whose buffers this rank has loaded
  Status status_;
};

}  // namespace

Plan reversed(Plan plan) {
  for (Round& round : plan.rounds) std::swap(round.sends, round.receives);
  std::swap(plan.send_bytes, plan.receive_bytes);
  std::swap(plan.num_sends, plan.num_receives);
  plan.gives.clear();  // hand-overs are for headers, which are only written
  plan.takes.clear();
  return plan;
}

Status run_delivery(const Plan& plan, const TargetsOfFields& targets, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, const LoadBuffer& load,
                    PatchTarget* taker) {
  const ExchangeBuffers::Parts parts = buffers.parts(plan);
  DeviceCopies device(buffers);
  DeliveryRun delivery(plan, targets, parts, transport, device, stats, taker);
  delivery.all_rounds(load);
  if (plan.shares_buffers) buffers.count_uses(plan);
  return std::move(delivery.status());
}

}  // namespace esker
