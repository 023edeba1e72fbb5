#include "exchange/run.h"

#include <algorithm>
#include <cstring>
#include <new>

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
  Run(Comm& comm, const std::vector<std::vector<Patch>>& patches, const ExchangeBuffers::Parts& buffers,
      ExchangeStats& stats)
      : comm_(comm), patches_(patches), buffers_(buffers), stats_(stats) {}

  void round(const Round& round, const StoreWindow& store) {
    for (const Message& message : round.receives) {
      comm_.start_receive(buffers_.receive.subspan(message.offset_bytes, message.bytes), message.peer);
    }
    Stopwatch watch;
    for (const Message& message : round.sends) send(message);
    stats_.pack_s += watch.lap();
    const bool has_padding =
        !round.window.complete && buffers_.marks.empty();  // with marks, it is not stored
    if (has_padding && round.window.size_bytes() > 0) {
      std::memset(buffers_.window.data(), 0, static_cast<std::size_t>(round.window.size_bytes()));
      stats_.place_s += watch.lap();
    }
    attempt("pack", [&] {
      for (const Segment& segment : round.local.segments) {
        gather(segment, in_window(segment, round.window), in_piece(segment));
      }
      return Status();
    });
    stats_.pack_s += watch.lap();
    place_received(round, watch);
    if (round.window.size_bytes() > 0) {
      const auto bytes = buffers_.window.first(static_cast<std::size_t>(round.window.size_bytes()));
      attempt("store", [&] { return store(round, bytes); });
      stats_.store_s += watch.lap();
    }
    comm_.finish();
    stats_.wait_s += watch.lap();
  }

  Status& status() { return status_; }

 private:
  template <class Action>
  void attempt(const char* what, const Action& action) {
    if (status_.ok()) status_ = guarded(what, action);
  }

  void send(const Message& message) {
    const auto bytes = buffers_.send.subspan(message.offset_bytes, message.bytes);
    attempt("pack", [&] {
      std::byte* target = bytes.data();
      for (const Segment& segment : message.segments) {
        gather(segment, target, SampleMap::dense(segment.indices, segment.sample_bytes));
        target += segment.bytes();
      }
      return Status();
    });
    comm_.start_send(bytes, message.peer);
    stats_.sent_bytes += message.bytes;
    ++stats_.messages;
  }

  void place_received(const Round& round, Stopwatch& watch) {
    for (int m = comm_.wait_any_receive(); m >= 0; m = comm_.wait_any_receive()) {
      stats_.wait_s += watch.lap();
      attempt("place", [&] {
        place(round.receives[static_cast<std::size_t>(m)], round.window);
        return Status();
      });
      stats_.place_s += watch.lap();
    }
    stats_.wait_s += watch.lap();
  }

  void place(const Message& message, const Window& window) {
    const std::byte* source = buffers_.receive.data() + message.offset_bytes;
    for (const Segment& segment : message.segments) {
      copy_samples(segment.sample_bytes, source, SampleMap::dense(segment.indices, segment.sample_bytes),
                   in_window(segment, window), in_piece(segment));
      source += segment.bytes();
    }
  }

  [[nodiscard]] std::byte* in_window(const Segment& segment, const Window& window) {
    return buffers_.window.data() + (segment.position - window.begin);
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
  const std::vector<std::vector<Patch>>& patches_;
  const ExchangeBuffers::Parts& buffers_;
  ExchangeStats& stats_;
  Status status_;
};

}  // namespace

Status ExchangeBuffers::reserve(const Plan& plan) {
  const Index bytes = plan.buffer_bytes();
  if (bytes <= size_) return {};
  data_.reset();
  size_ = 0;
  data_.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!data_) return error(Code::kOutOfMemory, "cannot allocate exchange buffers of {} bytes", bytes);
  size_ = bytes;
  return {};
}

ExchangeBuffers::Parts ExchangeBuffers::parts(const Plan& plan) {
  std::byte* window = data_.get();
  std::byte* receive = window + plan.window_bytes;
  std::byte* send = receive + plan.receive_bytes;
  std::byte* marks = send + plan.send_bytes;
  return {{send, static_cast<std::size_t>(plan.send_bytes)},
          {receive, static_cast<std::size_t>(plan.receive_bytes)},
          {window, static_cast<std::size_t>(plan.window_bytes)},
          {marks, static_cast<std::size_t>(plan.mark_bytes)}};
}

Status run_exchange(Comm& comm, const Plan& plan, const std::vector<std::vector<Patch>>& patches,
                    ExchangeBuffers& buffers, ExchangeStats& stats, const StoreWindow& store) {
  const ExchangeBuffers::Parts parts = buffers.parts(plan);
  Run run(comm, patches, parts, stats);
  for (const Round& round : plan.rounds) run.round(round, store);
  return std::move(run.status());
}

}  // namespace esker
