// PutSources: what each message is where it stands - in the caller's patches, and, if it is relayed, in the
// send buffer - so that puts need no copy of it.
//
// It is described relative to one of the places where it stands, so that a description holds as long as these
// have the same strides and are as far from each other as before: those of a message from one patch always
// are, wherever the patch is. Else it is made anew when a step begins, before the ranks agree to go on.
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
  /// `comm` outlives it. Local; may throw.
  void prepare(Comm& comm, const Plan& plan);

  /// Describes the messages of `plan` for runs with these patches. Local; may throw: then it is to be called
  /// again. Cost: O(patches of each message), and O(its segments) where it has to be described anew.
  void take(const Plan& plan, const PatchesOfFields& patches, const std::byte* send_buffer);

  /// Message m to be sent in a hop, and the place that it is counted from.
  [[nodiscard]] std::pair<const PutSource*, const std::byte*> of(std::size_t hop, std::size_t m) const {
    const Source& source = sources_[hop][m];
    return {source.made.get(), source.base};
  }

 private:
  /// Memory that segments are in: a patch, or with kRelayed the send buffer.
  struct Origin {
    int field = 0, patch = 0;

    friend auto operator<=>(const Origin&, const Origin&) = default;
  };
  /// How it stands.
  struct Standing {
    Index from_base = 0;
    std::array<Index, kMaxRank> stride_bytes{};
    Index component_stride_bytes = 0;

    bool operator==(const Standing&) const = default;
  };
  struct Source {
    std::vector<Origin> origins;      ///< ascending, without repetition
    std::vector<Standing> standings;  ///< of the origins, when it was made
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
  static Standing standing_of(const Origin& origin, const Memory& memory, const std::byte* base);
  void describe(Source& source, const Message& message, const Memory& memory,
                const std::vector<Relayed>& relayed);
  static SpreadBytes part_of(const Segment& segment, const Source& source, const Memory& memory,
                             const std::vector<Relayed>& relayed);

  Comm* comm_ = nullptr;
  std::vector<std::vector<Source>> sources_;  // [hop][message to be sent]
  std::vector<Standing> standings_;           // used again
  std::vector<SpreadBytes> parts_;            // used again
};

}  // namespace esker
