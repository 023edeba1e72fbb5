#include "exchange/run.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/error.h"
#include "base/macros.h"
#include "grid/copy_samples.h"

namespace esker {
namespace {

/// One rank's state while a plan runs.
class Run {
 public:
  Run(Comm& comm, const std::vector<std::vector<Patch>>& patches, const ExchangeBuffers::Parts& buffers)
      : comm_(comm), patches_(patches), buffers_(buffers) {}

  void round(const Round& round) {
    Stopwatch watch;
    start_receives(round);
    pack_and_send(round);
    stats_.pack_s += watch.lap();
    if (!round.window.complete && round.window.size_bytes() > 0) {
      std::memset(buffers_.window.data(), 0, static_cast<std::size_t>(round.window.size_bytes()));
      stats_.place_s += watch.lap();
    }
    for (const Segment& segment : round.local.segments) {
      gather(segment, in_window(segment, round.window), in_piece(segment));
    }
    stats_.pack_s += watch.lap();
    place_received(round, watch);
  }

  /// After the window has been stored.
  void finish_round() {
    const Stopwatch watch;
    comm_.finish();
    stats_.wait_s += watch.elapsed_s();
  }

  ExchangeStats& stats() { return stats_; }

 private:
  void start_receives(const Round& round) {
    Index offset = 0;
    receive_offsets_.clear();
    for (const Message& message : round.receives) {
      receive_offsets_.push_back(offset);
      comm_.start_receive(buffers_.receive.subspan(offset, message.bytes), message.peer);
      offset += message.bytes;
    }
  }

  void pack_and_send(const Round& round) {
    Index offset = 0;
    for (const Message& message : round.sends) {
      const auto bytes = buffers_.send.subspan(offset, message.bytes);
      std::byte* target = bytes.data();
      for (const Segment& segment : message.segments) {
        gather(segment, target, SampleMap::dense(segment.indices, segment.sample_bytes));
        target += segment.bytes();
      }
      comm_.start_send(bytes, message.peer);
      offset += message.bytes;
      stats_.sent_bytes += message.bytes;
      ++stats_.messages;
    }
  }

  void place_received(const Round& round, Stopwatch& watch) {
    for (int m = comm_.wait_any_receive(); m >= 0; m = comm_.wait_any_receive()) {
      stats_.wait_s += watch.lap();
      const std::byte* source = buffers_.receive.data() + receive_offsets_[m];
      for (const Segment& segment : round.receives[m].segments) {
        copy_samples(segment.sample_bytes, source, SampleMap::dense(segment.indices, segment.sample_bytes),
                     in_window(segment, round.window), in_piece(segment));
        source += segment.bytes();
      }
      stats_.place_s += watch.lap();
    }
    stats_.wait_s += watch.lap();
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
  std::vector<Index> receive_offsets_;
  ExchangeStats stats_;
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
  return {{receive + plan.receive_bytes, static_cast<std::size_t>(plan.send_bytes)},
          {receive, static_cast<std::size_t>(plan.receive_bytes)},
          {window, static_cast<std::size_t>(plan.window_bytes)}};
}

ExchangeStats run_exchange(Comm& comm, const Plan& plan, const std::vector<std::vector<Patch>>& patches,
                           ExchangeBuffers& buffers,
                           const std::function<void(const Window&, std::span<const std::byte>)>& store) {
  const ExchangeBuffers::Parts parts = buffers.parts(plan);
  Run run(comm, patches, parts);
  for (const Round& round : plan.rounds) {
    run.round(round);
    if (round.window.size_bytes() > 0) {
      const Stopwatch watch;
      store(round.window, parts.window.first(static_cast<std::size_t>(round.window.size_bytes())));
      run.stats().store_s += watch.elapsed_s();
    }
    run.finish_round();
  }
  return run.stats();
}

}  // namespace esker
