#include "exchange/run.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "exchange/device_copies.h"
#include "exchange/store_ahead.h"
#include "plan/segment_maps.h"

namespace esker {
namespace {

/// The state of one rank while a plan runs. After a failure of local work the rank still sends and receives
/// the planned bytes, whatever its buffers contain.
class ExchangeRun {
 public:
  ExchangeRun(const Plan& plan, const PatchesOfFields& patches, const ExchangeBuffers::Parts& buffers,
              MessageTransport& transport, DeviceCopies& device, ExchangeStats& stats, BufferSink& sink,
              PatchSource* source, std::span<const std::vector<std::byte>> fill)
      : plan_(plan),
        patches_(patches),
        buffers_(buffers),
        transport_(transport),
        device_(device),
        stats_(stats),
        sink_(sink),
        source_(source),
        fill_(fill) {
    transport_.begin_run(buffers);
  }

  // While the buffer of a rank waits for others, the rank fills their buffers of later rounds, as long as
  // some are free. It never sleeps for its own buffer while another one waits for samples that it could
  // place: of all ranks, the one that has filled the fewest rounds finds all its buffers free.
  void all_rounds(bool in_thread) {
    double cleared_s = 0;
    for (std::size_t r = 0; r < num_slots(); ++r) offer(r, cleared_s);
    stats_.place_s += cleared_s;
    {
      StoreAhead ahead([&](std::size_t r) { store_and_offer(r); }, in_thread && can_store_ahead());
      if (ahead.in_thread()) num_buffers_ = plan_.num_buffers;
      for (std::size_t r = 0; r < plan_.rounds.size(); ++r) {
        while (filled_ <= r) (void)fill(true);
        if (can_work_ahead()) {
          while (filled_ < std::min(plan_.rounds.size(), r + num_slots()) && !is_filled(r, ahead, false) &&
                 fill(false)) {
          }
        }
        finish(r, ahead);
      }
      (void)ahead.have_stored(plan_.rounds.size(), true);  // counted in store_s
    }
    stats_.place_s.correct(cleared_s_);
    const Stopwatch watch;
    if (buffers_.shared) buffers_.shared->meet();
    stats_.idle_s += watch.elapsed_s();
  }

  Status& status() { return status_.ok() ? stored_ : status_; }

 private:
  /// Whether this rank can fill buffers of later rounds. The messages of all rounds share their buffers, so a
  /// rank with messages does not work ahead. (A transport that packs in no buffer of this rank keeps step.)
  [[nodiscard]] bool can_work_ahead() const {
    return plan_.send_bytes == 0 && plan_.receive_bytes == 0 && !transport_.keeps_step();
  }

  /// Sends and places this rank's samples for others in round filled_. False if a near rank's buffer is not
  /// free yet, and `wait` is false: the next call continues there.
  bool fill(bool wait) {
    const Round& round = plan_.rounds[filled_];
    Stopwatch watch;
    if (!std::exchange(begun_, true)) {
      relay(round.relay, watch);
      send_all({2 * filled_ + 1, &round.sends, &round.receives}, watch);
    }
    for (; placed_ < round.places.size(); ++placed_) {
      if (!place_at(round.places[placed_], use_of(filled_), wait, watch)) return false;
    }
    placed_ = 0;
    begun_ = false;
    ++filled_;
    return true;
  }

  /// Whether the buffer of a round has been stored since its last use, and all near ranks have filled it.
  [[nodiscard]] bool is_filled(std::size_t round, StoreAhead& ahead, bool wait) {
    if (!ahead.have_stored(num_stored_before(round), wait)) return false;
    return !is_shared(plan_.rounds[round]) || buffers_.shared->have_left(use_of(round), wait);
  }

  /// Puts this rank's own samples into a buffer, and receives the missing ones. Own samples come late, so
  /// that they are in the core's cache when they are stored. Buffers that no near rank fills always use the
  /// same memory, or alternate between two if a thread stores.
  void finish(std::size_t number, StoreAhead& ahead) {
    const Round& round = plan_.rounds[number];
    (void)ahead.have_stored(num_stored_before(number), true);  // counted in store_s
    Stopwatch watch;
    if (!is_shared(round)) clear_padding(number);
    stats_.place_s += watch.lap();
    std::byte* begin = buffer(number).data();
    pack(round.local, begin, round.content.begin);
    stats_.pack_s += watch.lap();
    for_each_received(watch, [&](std::size_t m) { place(round.receives[m], begin, round.content.begin); });
    (void)is_filled(number, ahead, true);
    stats_.wait_s += watch.lap();
    ahead.add();
    (void)watch.lap();
    transport_.finish();
    stats_.wait_s += watch.lap();
  }

  /// Stores the full buffer of a round. May run in a separate thread. It then offers the next buffer itself,
  /// because this rank may sleep until a buffer of another rank is free, and that rank may wait for this
  /// offer.
  void store_and_offer(std::size_t number) {
    const Round& round = plan_.rounds[number];
    const Index size = has_failed_ ? 0 : round.content.size_bytes();
    Stopwatch watch;
    std::optional<StoreCost::Meter> meter;
    if (size > 0) meter.emplace(stats_.stores);
    const auto bytes =
        size > 0 ? buffer(number).first(static_cast<std::size_t>(size)) : std::span<std::byte>();
    Status stored = guarded("store", [&] { return sink_.store(round, bytes); });
    meter.reset();
    if (stored_.ok() && !stored.ok()) {
      stored_ = std::move(stored);
      has_failed_ = true;
    }
    stats_.store_s += watch.lap();
    offer(number + num_slots(), cleared_s_);
  }

  [[nodiscard]] std::size_t num_slots() const { return static_cast<std::size_t>(plan_.num_slots); }
  /// The number of rounds that must have been stored before the buffer of a round may be filled.
  [[nodiscard]] std::size_t num_stored_before(std::size_t round) const {
    const auto in_turn =
        static_cast<std::size_t>(is_shared(plan_.rounds[round]) ? plan_.num_slots : num_buffers_);
    return round < in_turn ? 0 : round + 1 - in_turn;
  }
  /// Whether a buffer can be filled while another one is stored.
  [[nodiscard]] bool can_store_ahead() const {
    int buffers = 0;
    bool in_turn = false;
    for (const Round& round : plan_.rounds) {
      if (round.content.size_bytes() == 0) continue;
      ++buffers;
      in_turn |= (is_shared(round) ? plan_.num_slots : plan_.num_buffers) > 1;
    }
    return buffers > 1 && in_turn;
  }

  [[nodiscard]] Index use_of(std::size_t round) const {
    return buffers_.first_use + static_cast<Index>(round);
  }
  /// Whether near ranks fill its buffer, too.
  [[nodiscard]] static bool is_shared(const Round& round) { return round.num_visitors > 0; }
  /// The buffer begins where its address and its file offset are congruent. If the kernel writes a page from
  /// an address that is up to 32 bytes lower, modulo the page, it takes twice as long: stores then seem to
  /// overlap the loads that follow (4K aliasing). In CDF files every step has another offset.
  [[nodiscard]] std::span<std::byte> buffer(std::size_t round) const {
    const auto memory = memory_of(round);
    return memory.subspan(bytes_to_align(round, memory.data()));
  }
  [[nodiscard]] std::span<std::byte> memory_of(std::size_t round) const {
    if (is_shared(plan_.rounds[round])) return buffers_.shared->buffer(use_of(round));
    return num_buffers_ == 2 && round % 2 == 1 ? buffers_.second_buffer : buffers_.collective;
  }
  [[nodiscard]] std::size_t bytes_to_align(std::size_t number, const std::byte* memory) const {
    const Round& round = plan_.rounds[number];
    if (round.content.size_bytes() == 0) return 0;
    const auto offset = static_cast<std::uintptr_t>(sink_.file_offset(round));
    return (offset - reinterpret_cast<std::uintptr_t>(memory)) % kBufferAlignment;
  }

  /// Lets near ranks fill the buffer of a round, if the round exists and they have samples for it.
  void offer(std::size_t number, double& seconds) {
    if (number >= plan_.rounds.size() || !is_shared(plan_.rounds[number])) return;
    const Stopwatch watch;
    clear_padding(number);
    seconds += watch.elapsed_s();
    const Index use = use_of(number);
    const std::size_t begin = bytes_to_align(number, buffers_.shared->buffer(use).data());
    buffers_.shared->offer(use, plan_.rounds[number].num_visitors, begin);
  }

  void clear_padding(std::size_t number) {
    if (!buffers_.mask.empty()) return;  // with a mask, padding is not stored
    std::byte* begin = buffer(number).data();
    for (const PaddedPiece& piece : plan_.rounds[number].content.padded) {
      std::byte* first = begin + piece.offset_bytes;
      const auto size = static_cast<std::size_t>(piece.bytes);
      if (fill_.empty() || piece.field < 0) {
        std::memset(first, 0, size);
        continue;
      }
      fill_with(fill_[static_cast<std::size_t>(piece.field)], {first, size});
    }
    if (fill_.empty()) return;
    for (const ByteRange& hole : plan_.rounds[number].content.unused) {  // may not be written: reads as zeros
      std::memset(begin + hole.offset_bytes, 0, static_cast<std::size_t>(hole.bytes));
    }
  }

  /// The filled part is copied behind itself.
  static void fill_with(const std::vector<std::byte>& value, std::span<std::byte> target) {
    std::size_t filled = std::min(value.size(), target.size());
    std::memcpy(target.data(), value.data(), filled);
    while (filled < target.size()) {
      const std::size_t next = std::min(filled, target.size() - filled);
      std::memcpy(&target[filled], target.data(), next);
      filled += next;
    }
  }

  /// Samples that no rank holds are forwarded with the others of their box.
  void clear_relayed(const RelayStage& stage) {
    if (fill_.empty()) return;
    for (const Relayed& whole : stage.relayed) {
      fill_with(fill_[static_cast<std::size_t>(whole.field)],
                {buffers_.send.data() + whole.offset_bytes, static_cast<std::size_t>(whole.bytes)});
    }
  }

  /// Local work. Copies of a device that it starts have ended when this returns.
  template <class Action>
  void attempt(const char* what, const Action& action) {
    start(what, action);
    finish_device(what);
  }

  /// Local work, and the start of copies of a device.
  template <class Action>
  void start(const char* what, const Action& action) {
    if (!has_failed_) note(guarded(what, action));
  }

  /// Returns when the copies of a device that were started have ended, also after an error.
  void finish_device(const char* what) {
    note(guarded(what, [&] { return device_.finish(); }));
  }

  void note(Status done) {
    if (done.ok()) return;
    if (status_.ok()) status_ = std::move(done);
    has_failed_ = true;
  }

  /// Starts a stage: packs and sends this rank's messages for others. A device gathers as many as it has at
  /// once.
  void send_all(const Stage& stage, Stopwatch& watch) {
    transport_.begin(stage);
    stats_.wait_s += watch.lap();
    const std::vector<Message>& messages = *stage.sends;
    std::size_t sent = 0;
    for (const Message& message : messages) {
      if (transport_.packs()) start_packing(message);
      if (device_.has_started()) continue;  // sent when the device has gathered it
      send(message);
      ++sent;
    }
    finish_device("pack");
    for (; sent < messages.size(); ++sent) send(messages[sent]);
    stats_.pack_s += watch.lap();
    transport_.end_sends();
    stats_.wait_s += watch.lap();
  }

  /// Runs the first stage. Afterwards the samples that this rank relays are in its messages of the second
  /// stage.
  void relay(const RelayStage& stage, Stopwatch& watch) {
    send_all({2 * filled_, &stage.sends, &stage.receives}, watch);
    clear_relayed(stage);
    attempt("pack", [&] {
      for (const Segment& segment : stage.local.segments) {
        const Relayed& whole = stage.relayed[static_cast<std::size_t>(segment.relayed)];
        ESKER_RETURN_IF_ERROR(gather(segment, buffers_.send.data(), map_in_relayed(segment, whole)));
      }
      return Status();
    });
    stats_.pack_s += watch.lap();
    for_each_received(watch, [&](std::size_t m) {
      const std::byte* source = transport_.received(stage.receives[m]);
      for (const Segment& segment : stage.receives[m].segments) {
        const Relayed& whole = stage.relayed[static_cast<std::size_t>(segment.relayed)];
        scatter(segment, source, buffers_.send.data(), map_in_relayed(segment, whole));
        source += segment.bytes();
      }
    });
    transport_.finish();
    stats_.wait_s += watch.lap();
  }

  void send(const Message& message) {
    transport_.send(message);
    stats_.sent_bytes += message.bytes;
    ++stats_.messages;
  }

  void start_packing(const Message& message) {
    start("pack", [&] {
      std::byte* target = transport_.target(message).data();
      for (const Segment& segment : message.segments) {
        if (segment.patch != kRelayed) {
          ESKER_RETURN_IF_ERROR(
              gather(segment, target, {0, SampleMap::dense(segment.indices, segment.sample_bytes)}));
        } else if (plan_.relayed_apart) {
          std::memcpy(target, relayed(segment), static_cast<std::size_t>(segment.bytes()));
        }
        target += segment.bytes();
      }
      return Status();
    });
  }

  /// The samples that this rank has collected, as a relay, for the round that it fills.
  [[nodiscard]] const std::byte* relayed(const Segment& segment) const {
    const auto& all = plan_.rounds[filled_].relay.relayed;
    return buffers_.send.data() + all[static_cast<std::size_t>(segment.relayed)].offset_bytes;
  }

  /// Copies samples of patches to their place in a buffer.
  void pack(const Message& message, std::byte* buffer, Index buffer_begin) {
    attempt("pack", [&] {
      for (const Segment& segment : message.segments) {
        if (segment.patch == kRelayed) continue;
        ESKER_RETURN_IF_ERROR(gather(segment, buffer, map_in_buffer(segment, buffer_begin)));
      }
      return Status();
    });
  }

  /// Copies samples to the buffer of a near rank, if it is free.
  bool place_at(const Message& message, Index use, bool wait, Stopwatch& watch) {
    const auto buffer = buffers_.shared->enter(message.peer, use, wait);
    stats_.idle_s += watch.lap();
    if (buffer.empty()) return false;
    pack(message, buffer.data(), message.buffer_begin);
    attempt("pack", [&] {
      for (const Segment& segment : message.segments) {
        if (segment.patch != kRelayed) continue;
        scatter(segment, relayed(segment), buffer.data(), map_in_buffer(segment, message.buffer_begin));
      }
      return Status();
    });
    buffers_.shared->leave(message.peer, use);
    stats_.placed_bytes += message.bytes;
    stats_.pack_s += watch.lap();
    return true;
  }

  /// Calls place(number) for each started receive, in the order of completion.
  template <class Place>
  void for_each_received(Stopwatch& watch, const Place& place) {
    for (int m = transport_.next_received(); m >= 0; m = transport_.next_received()) {
      stats_.wait_s += watch.lap();
      attempt("place", [&] {
        place(static_cast<std::size_t>(m));
        return Status();
      });
      stats_.place_s += watch.lap();
    }
    stats_.wait_s += watch.lap();
  }

  void place(const Message& message, std::byte* buffer, Index buffer_begin) {
    const std::byte* source = transport_.received(message);
    for (const Segment& segment : message.segments) {
      scatter(segment, source, buffer, map_in_buffer(segment, buffer_begin));
      source += segment.bytes();
    }
  }

  /// Copies dense samples, as in a message, to their places in `target`.
  static void scatter(const Segment& segment, const std::byte* source, std::byte* target,
                      const SegmentMap& place) {
    copy_samples(segment.sample_bytes, source, SampleMap::dense(segment.indices, segment.sample_bytes),
                 target + place.first_bytes, place.samples);
  }

  /// Copies samples of a patch from the caller's memory to their places in `target`, or makes them.
  Status gather(const Segment& segment, std::byte* target, SegmentMap place) {
    const Patch& patch = patches_[segment.field][segment.patch];
    if (source_ && source_->makes(segment.field)) return source_->make(segment, patch, target, place);
    const PatchCopy copy = map_patch_copy(segment, patch, std::move(place));
    if (patch.is_on_device) {
      stats_.device_bytes += segment.bytes();
      return device_.gather(copy, patch, target);
    }
    copy_samples(copy.element_bytes, static_cast<const std::byte*>(patch.data) + copy.in_patch.first_bytes,
                 copy.in_patch.samples, target + copy.in_place.first_bytes, copy.in_place.samples);
    return {};
  }

  const Plan& plan_;
  const PatchesOfFields& patches_;
  const ExchangeBuffers::Parts& buffers_;
  MessageTransport& transport_;
  DeviceCopies& device_;
  ExchangeStats& stats_;
  BufferSink& sink_;
  PatchSource* source_;
  std::span<const std::vector<std::byte>> fill_;
  std::size_t filled_ = 0;  // rounds that this rank has filled
  bool begun_ = false;      // whether the next round has been begun
  std::size_t placed_ = 0;  // messages of that round that it has placed
  Status status_;
  int num_buffers_ = 1;  // buffers in use that only this rank fills
  std::atomic<bool> has_failed_ = false;
  // Of store_and_offer(), with the counters of stores.
  Status stored_;
  double cleared_s_ = 0;
};

}  // namespace

Status run_exchange(const Plan& plan, const PatchesOfFields& patches, ExchangeBuffers& buffers,
                    MessageTransport& transport, ExchangeStats& stats, BufferSink& sink, bool in_thread,
                    PatchSource* source, std::span<const std::vector<std::byte>> fill) {
  const ExchangeBuffers::Parts parts = buffers.parts(plan);
  DeviceCopies device(buffers);
  ExchangeRun run(plan, patches, parts, transport, device, stats, sink, source, fill);
  run.all_rounds(in_thread);
  if (plan.shares_buffers) buffers.count_uses(plan);
  return std::move(run.status());
}

}  // namespace esker
