#include "exchange/run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

/// One rank's state while a plan runs. Local work is attempted; what a failed attempt leaves in a buffer is
/// sent, received and forgotten.
class Run {
 public:
  Run(Comm& comm, const Plan& plan, const std::vector<std::vector<Patch>>& patches,
      const ExchangeBuffers::Parts& buffers, ExchangeStats& stats)
      : comm_(comm), plan_(plan), patches_(patches), buffers_(buffers), stats_(stats) {}

  // A rank whose window waits for others fills theirs of later rounds meanwhile, as far as windows are free.
  // It never sleeps for its own window while another one waits for what it could place: of all ranks, the one
  // that has filled the fewest rounds finds all its windows free.
  void all_rounds(const StoreWindow& store) {
    const std::size_t num_rounds = plan_.rounds.size();
    const auto num_slots = static_cast<std::size_t>(plan_.num_slots);
    for (std::size_t r = 0; r < num_slots; ++r) empty_window(r);
    for (std::size_t r = 0; r < num_rounds; ++r) {
      while (filled_ <= r) (void)fill(true);
      if (can_work_ahead()) {
        while (filled_ < std::min(num_rounds, r + num_slots) && !is_filled(r, false) && fill(false)) {
        }
      }
      finish(r, store);
      empty_window(r + num_slots);
    }
  }

  Status& status() { return status_; }

 private:
  /// Messages share their buffers from round to round: then there is no working ahead.
  [[nodiscard]] bool can_work_ahead() const { return plan_.send_bytes == 0 && plan_.receive_bytes == 0; }

  /// Sends and places what this rank has for round filled_; false if a near rank's window is not free yet,
  /// and it does not `wait` for it: the next call goes on there.
  bool fill(bool wait) {
    const Round& round = plan_.rounds[filled_];
    Stopwatch watch;
    if (!std::exchange(begun_, true)) {
      relay(round.relay, watch);
      receive(round.receives);
      for (const Message& message : round.sends) send(message);
      pack(round.local, window(filled_).data(), round.window.begin);
      stats_.pack_s += watch.lap();
    }
    for (; placed_ < round.places.size(); ++placed_) {
      if (!place_at(round, round.places[placed_], use_of(filled_), wait, watch)) return false;
    }
    placed_ = 0;
    begun_ = false;
    ++filled_;
    return true;
  }

  [[nodiscard]] bool is_filled(std::size_t round, bool wait) {
    const int placers = plan_.rounds[round].num_placers;
    return placers == 0 || buffers_.shared->is_filled(use_of(round), placers, wait);
  }

  /// Receives what is missing of a window and stores it.
  void finish(std::size_t number, const StoreWindow& store) {
    const Round& round = plan_.rounds[number];
    Stopwatch watch;
    for_each_received(
        watch, [&](std::size_t m) { place(round.receives[m], window(number).data(), round.window.begin); });
    (void)is_filled(number, true);
    stats_.wait_s += watch.lap();
    if (round.window.size_bytes() > 0) {
      const auto bytes = window(number).first(static_cast<std::size_t>(round.window.size_bytes()));
      attempt("store", [&] { return store(round, bytes); });
      stats_.store_s += watch.lap();
    }
    comm_.finish();
    stats_.wait_s += watch.lap();
  }

  [[nodiscard]] Index use_of(std::size_t round) const {
    return buffers_.first_use + static_cast<Index>(round);
  }
  [[nodiscard]] std::span<std::byte> window(std::size_t round) const {
    return buffers_.shared ? buffers_.shared->window(use_of(round)) : buffers_.window;
  }

  /// Makes a window ready for the samples of a round, if there is that round.
  void empty_window(std::size_t number) {
    if (number >= plan_.rounds.size()) return;
    const Round& round = plan_.rounds[number];
    const Stopwatch watch;
    if (buffers_.marks.empty()) {  // with marks, padding is not stored
      for (const ByteRange& range : round.window.padded) {
        std::memset(window(number).data() + range.offset_bytes, 0, static_cast<std::size_t>(range.bytes));
      }
    }
    if (round.num_placers > 0) buffers_.shared->offer(use_of(number));
    stats_.place_s += watch.elapsed_s();
  }

  template <class Action>
  void attempt(const char* what, const Action& action) {
    if (status_.ok()) status_ = guarded(what, action);
  }

  void receive(const std::vector<Message>& messages) {
    for (const Message& message : messages) {
      comm_.start_receive(buffers_.receive.subspan(message.offset_bytes, message.bytes), message.peer);
    }
  }

  /// The first hop: what this rank relays stands in its messages of the second one then.
  void relay(const RelayHop& hop, Stopwatch& watch) {
    receive(hop.receives);
    for (const Message& message : hop.sends) send(message);
    attempt("pack", [&] {
      for (const Segment& segment : hop.local.segments) {
        const Relayed& whole = hop.relayed[static_cast<std::size_t>(segment.relayed)];
        gather(segment, in_relayed(segment, whole), map_in_relayed(segment, whole));
      }
      return Status();
    });
    stats_.pack_s += watch.lap();
    for_each_received(watch, [&](std::size_t m) {
      const std::byte* source = buffers_.receive.data() + hop.receives[m].offset_bytes;
      for (const Segment& segment : hop.receives[m].segments) {
        const Relayed& whole = hop.relayed[static_cast<std::size_t>(segment.relayed)];
        copy_samples(segment.sample_bytes, source, SampleMap::dense(segment.indices, segment.sample_bytes),
                     in_relayed(segment, whole), map_in_relayed(segment, whole));
        source += segment.bytes();
      }
    });
    comm_.finish();
    stats_.wait_s += watch.lap();
  }

  void send(const Message& message) {
    const auto bytes = buffers_.send.subspan(message.offset_bytes, message.bytes);
    attempt("pack", [&] {
      std::byte* target = bytes.data();
      for (const Segment& segment : message.segments) {
        if (segment.patch != kRelayed) {
          gather(segment, target, SampleMap::dense(segment.indices, segment.sample_bytes));
        }
        target += segment.bytes();
      }
      return Status();
    });
    comm_.start_send(bytes, message.peer);
    stats_.sent_bytes += message.bytes;
    ++stats_.messages;
  }

  /// Samples of patches, to where they stand in a window.
  void pack(const Message& message, std::byte* window, Index window_begin) {
    attempt("pack", [&] {
      for (const Segment& segment : message.segments) {
        if (segment.patch != kRelayed) {
          gather(segment, window + (segment.position - window_begin), in_piece(segment));
        }
      }
      return Status();
    });
  }

  /// To the window of a near rank, if it is free.
  bool place_at(const Round& round, const Message& message, Index use, bool wait, Stopwatch& watch) {
    const auto window = buffers_.shared->begin_placing(message.peer, use, wait);
    stats_.wait_s += watch.lap();
    if (window.empty()) return false;
    pack(message, window.data(), message.window_begin);
    attempt("pack", [&] {
      for (const Segment& segment : message.segments) {
        if (segment.patch != kRelayed) continue;
        const Relayed& whole = round.relay.relayed[static_cast<std::size_t>(segment.relayed)];
        copy_samples(segment.sample_bytes, buffers_.send.data() + whole.offset_bytes,
                     SampleMap::dense(segment.indices, segment.sample_bytes),
                     window.data() + (segment.position - message.window_begin), in_piece(segment));
      }
      return Status();
    });
    buffers_.shared->end_placing(message.peer, use);
    stats_.placed_bytes += message.bytes;
    stats_.pack_s += watch.lap();
    return true;
  }

  /// Calls place(number) for each message that has been started to be received, as they come.
  template <class Place>
  void for_each_received(Stopwatch& watch, const Place& place) {
    for (int m = comm_.wait_any_receive(); m >= 0; m = comm_.wait_any_receive()) {
      stats_.wait_s += watch.lap();
      attempt("place", [&] {
        place(static_cast<std::size_t>(m));
        return Status();
      });
      stats_.place_s += watch.lap();
    }
    stats_.wait_s += watch.lap();
  }

  /// Where a segment begins in what it is relayed with, and how it stands there: dense, but for what is
  /// around.
  [[nodiscard]] std::byte* in_relayed(const Segment& segment, const Relayed& whole) const {
    std::byte* at = buffers_.send.data() + whole.offset_bytes;
    Index stride = segment.sample_bytes;
    for (int a = 0; a < whole.indices.rank; ++a) {
      at += (segment.indices.lo[a] - whole.indices.lo[a]) * stride;
      stride *= whole.indices.extent(a);
    }
    return at;
  }
  [[nodiscard]] static SampleMap map_in_relayed(const Segment& segment, const Relayed& whole) {
    std::array<Index, kMaxRank> strides{};
    Index stride = segment.sample_bytes;
    for (int a = 0; a < whole.indices.rank; ++a) {
      strides[a] = stride;
      stride *= whole.indices.extent(a);
    }
    return SampleMap::strided(segment.indices, strides);
  }

  void place(const Message& message, std::byte* window, Index window_begin) {
    const std::byte* source = buffers_.receive.data() + message.offset_bytes;
    for (const Segment& segment : message.segments) {
      copy_samples(segment.sample_bytes, source, SampleMap::dense(segment.indices, segment.sample_bytes),
                   window + (segment.position - window_begin), in_piece(segment));
      source += segment.bytes();
    }
  }

  [[nodiscard]] static SampleMap in_piece(const Segment& segment) {
    return SampleMap::ordered(segment.indices, segment.order, segment.sample_bytes);
  }

  /// Samples of a patch, from the caller's memory to `target`.
  void gather(const Segment& segment, std::byte* target, SampleMap target_map) {
    const Patch& patch = patches_[segment.field][segment.patch];
    const auto* source = static_cast<const std::byte*>(patch.data);
    std::array<Index, kMaxRank> strides{};
    for (int a = 0; a < patch.box.rank; ++a) {
      source += (segment.samples.origin[a] - patch.box.lo[a]) * patch.stride_bytes[a];
      strides[a] = segment.samples.stride[a] * patch.stride_bytes[a];
    }
    SampleMap source_map = SampleMap::strided(segment.indices, strides);
    Index element_bytes = segment.sample_bytes;
    const Index component_bytes = size_bytes(patch.type);
    const int components = static_cast<int>(element_bytes / component_bytes);
    if (components > 1 && patch.component_stride_bytes != component_bytes) {
      element_bytes = component_bytes;
      source_map.add_strided(components, patch.component_stride_bytes);
      target_map.add_strided(components, component_bytes);
    }
    copy_samples(element_bytes, source, source_map, target, target_map);
  }

  Comm& comm_;
  const Plan& plan_;
  const std::vector<std::vector<Patch>>& patches_;
  const ExchangeBuffers::Parts& buffers_;
  ExchangeStats& stats_;
  std::size_t filled_ = 0;  // rounds that this rank has filled
  bool begun_ = false;      // the next one
  std::size_t placed_ = 0;  // messages that it has placed of that
  Status status_;
};

/// What a plan needs of memory that no other rank sees, and of memory that is shared.
Index private_bytes(const Plan& plan) {
  return plan.buffer_bytes() - (plan.shares_windows ? plan.num_slots * plan.window_bytes : 0);
}
Index shared_bytes(const Plan& plan) { return NodeWindows::bytes_for(plan.num_slots, plan.window_bytes); }

}  // namespace

bool ExchangeBuffers::fit(const Plan& plan) const {
  return private_bytes(plan) <= size_ &&
         (!plan.shares_windows || (shared_ && shared_->size_bytes() >= shared_bytes(plan)));
}

Index ExchangeBuffers::size_bytes() const { return size_ + (shared_ ? shared_->size_bytes() : 0); }

Status ExchangeBuffers::reserve(Comm& comm, const Plan& plan) {
  if (plan.shares_windows) {
    const Index has = shared_ ? shared_->size_bytes() : 0;
    std::array<std::uint64_t, 1> any_grows{has < shared_bytes(plan) ? 1u : 0u};
    comm.node().all_reduce_max(any_grows);
    if (any_grows[0] != 0) {
      shared_.reset();
      uses_ = 0;
      ESKER_ASSIGN_OR_RETURN(shared_, NodeWindows::create(comm, std::max(has, shared_bytes(plan))));
    }
  }
  const Index bytes = private_bytes(plan);
  if (bytes <= size_) return {};
  data_.reset();
  size_ = 0;
  data_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!data_) return error(Code::kOutOfMemory, "cannot allocate exchange buffers of {} bytes", bytes);
  size_ = bytes;
  return {};
}

ExchangeBuffers::Parts ExchangeBuffers::parts(const Plan& plan) {
  Parts parts;
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
  } else {
    parts.window = take(plan.window_bytes);
  }
  parts.receive = take(plan.receive_bytes);
  parts.send = take(plan.send_bytes);
  parts.marks = take(plan.mark_bytes);
  return parts;
}

Status run_exchange(Comm& comm, const Plan& plan, const std::vector<std::vector<Patch>>& patches,
                    ExchangeBuffers& buffers, ExchangeStats& stats, const StoreWindow& store) {
  const ExchangeBuffers::Parts parts = buffers.parts(plan);
  Run run(comm, plan, patches, parts, stats);
  run.all_rounds(store);
  if (plan.shares_windows) buffers.count_uses(plan);
  return std::move(run.status());
}

}  // namespace esker
