#include "exchange/transports/put_sources.h"

#include <algorithm>
#include <cstdint>

#include "plan/relay_stages.h"
#include "plan/segment_maps.h"

namespace esker {
namespace {

/// The distance of two addresses, which may be in different arrays, as MPI computes it.
Index distance(const std::byte* from, const std::byte* to) {
  return static_cast<Index>(reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from));
}

/// The samples of a segment in their patch, in the order of transfer; offsets count from patch.data.
SpreadBytes spread_in_patch(const Segment& segment, const Patch& patch) {
  const SegmentMap map = map_in_patch(segment, patch);
  const Index component_bytes = size_bytes(patch.type);
  const Index components = segment.sample_bytes / component_bytes;
  SpreadBytes spread{map.first_bytes, segment.sample_bytes};
  if (components > 1 && patch.component_stride_bytes != component_bytes) {
    spread.block_bytes = component_bytes;
    spread.add_axis(components, patch.component_stride_bytes);
  }
  for (int a = 0; a < map.samples.num_axes(); ++a) {
    spread.add_axis(map.samples.axis(a).count, map.samples.axis(a).stride);
  }
  return spread;
}

}  // namespace

void PutSources::prepare(Comm& comm, const Plan& plan) {
  comm_ = &comm;
  sources_.clear();
  for_each_stage(plan, [&](std::size_t, const auto& sends, const auto&) {
    auto& sources = sources_.emplace_back();
    for (const Message& message : sends) sources.push_back(source_of(message));
  });
}

PutSources::Source PutSources::source_of(const Message& message) {
  Source source;
  for (const Segment& segment : message.segments) source.origins.push_back(origin_of(segment));
  std::sort(source.origins.begin(), source.origins.end());
  source.origins.erase(std::unique(source.origins.begin(), source.origins.end()), source.origins.end());
  source.origins.shrink_to_fit();
  return source;
}

void PutSources::take(const Plan& plan, const PatchesOfFields& patches, const std::byte* send_buffer) {
  const Memory memory{patches, send_buffer};
  std::size_t stage = 0;
  for (const Round& round : plan.rounds) {
    for (const auto* sends : {&round.relay.sends, &round.sends}) {
      for (std::size_t m = 0; m < sends->size(); ++m) {
        describe(sources_[stage][m], (*sends)[m], memory, round.relay.relayed);
      }
      ++stage;
    }
  }
}

PutSources::MemoryLayout PutSources::memory_layout_of(const Origin& origin, const Memory& memory,
                                                      const std::byte* base) {
  MemoryLayout layout{distance(base, memory.address(origin))};
  if (origin.patch == kRelayed) return layout;
  const Patch patch = memory.patch(origin);
  layout.stride_bytes = patch.stride_bytes;
  layout.component_stride_bytes = patch.component_stride_bytes;
  return layout;
}

void PutSources::describe(Source& source, const Message& message, const Memory& memory,
                          const std::vector<Relayed>& relayed) {
  source.base = memory.address(source.origins.front());
  memory_layouts_.clear();
  for (const Origin& origin : source.origins) {
    memory_layouts_.push_back(memory_layout_of(origin, memory, source.base));
  }
  if (source.made && source.memory_layouts == memory_layouts_) return;
  source.made.reset();
  source.memory_layouts = memory_layouts_;
  parts_.clear();
  for (const Segment& segment : message.segments) parts_.push_back(part_of(segment, source, memory, relayed));
  source.made = comm_->make_put_source(parts_);
}

SpreadBytes PutSources::part_of(const Segment& segment, const Source& source, const Memory& memory,
                                const std::vector<Relayed>& relayed) {
  const Origin origin = origin_of(segment);
  SpreadBytes part;
  if (origin.patch == kRelayed) {
    part = {relayed[static_cast<std::size_t>(segment.relayed)].offset_bytes, segment.bytes()};
  } else {
    part = spread_in_patch(segment, memory.patch(origin));
  }
  part.offset_bytes += distance(source.base, memory.address(origin));
  return part;
}

}  // namespace esker
