// PutSources: descriptions of the memory of each message, in the caller's patches and, for relayed samples,
// in the send buffer, so that puts need no packed copy.
//
// A description is relative to one of the memory areas of its message. It remains valid as long as these
// areas have the same strides and the same distances from each other. That always holds for a message from a
// single patch, wherever the patch is. Otherwise the description is rebuilt at the beginning of a step,
// before the ranks agree to continue.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "comm/comm.h"
#include "exchange/message_transport.h"
#include "plan/plan.h"

namespace esker {

class PutSources {
 public:
  /// `comm` must outlive it. Local; may throw.
  void prepare(Comm& comm, const Plan& plan);

  /// Describes the messages of `plan` for runs with these patches. Local; may throw, and must then be called
  /// again. Cost: O(patches of each message), and O(its segments) where its description is rebuilt.
  void take(const Plan& plan, const PatchesOfFields& patches, const std::byte* send_buffer);

  /// The description of message m to be sent in a stage, and its base address.
  [[nodiscard]] std::pair<const PutSource*, const std::byte*> of(std::size_t stage, std::size_t m) const {
    const Source& source = sources_[stage][m];
    return {source.made.get(), source.base};
  }

 private:
  /// The memory of segments: a patch, or with kRelayed the send buffer.
  struct Origin {
    int field = 0, patch = 0;

    friend auto operator<=>(const Origin&, const Origin&) = default;
  };
  /// The offset from the base address and the strides of an origin.
  struct MemoryLayout {
    Index from_base = 0;
    std::array<Index, kMaxRank> stride_bytes{};
    Index component_stride_bytes = 0;

    bool operator==(const MemoryLayout&) const = default;
  };
  struct Source {
    std::vector<Origin> origins;      ///< ascending, without repetition
    std::vector<MemoryLayout> memory_layouts;  ///< of the origins, when `made` was built
    std::unique_ptr<PutSource> made;
    const std::byte* base = nullptr;
  };
  struct Memory {
    const PatchesOfFields& patches;
    const std::byte* send_buffer;

    [[nodiscard]] Patch patch(const Origin& origin) const {
      return patches[static_cast<std::size_t>(origin.field)][static_cast<std::size_t>(origin.patch)];
    }
    [[nodiscard]] const std::byte* address(const Origin& origin) const {
      return origin.patch == kRelayed ? send_buffer : static_cast<const std::byte*>(patch(origin).data);
    }
  };

  static Origin origin_of(const Segment& segment) {
    return segment.patch == kRelayed ? Origin{kRelayed, kRelayed} : Origin{segment.field, segment.patch};
  }
  static Source source_of(const Message& message);
  static MemoryLayout memory_layout_of(const Origin& origin, const Memory& memory, const std::byte* base);
  void describe(Source& source, const Message& message, const Memory& memory,
                const std::vector<Relayed>& relayed);
  static SpreadBytes part_of(const Segment& segment, const Source& source, const Memory& memory,
                             const std::vector<Relayed>& relayed);

  Comm* comm_ = nullptr;
  std::vector<std::vector<Source>> sources_;  // [stage][message to be sent]
  std::vector<MemoryLayout> memory_layouts_;  // scratch
  std::vector<SpreadBytes> parts_;            // scratch
};

}  // namespace esker
