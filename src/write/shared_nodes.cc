#include "write/shared_nodes.h"

#include <fmt/ranges.h>

#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/macros.h"
#include "base/with_type.h"
#include "comm/agree.h"
#include "comm/deliver.h"
#include "grid/points.h"

namespace esker {
namespace {

/// The wire format of what precedes the values of a patch at the nodes that another one has, too.
struct Header {
  int level = 0;
  int patch = 0;  // of the receiver, on that level
  Box sender;
  Box nodes;
};

using Bytes = std::vector<std::byte>;

class Comparison {
 public:
  Comparison(Comm& comm, const Schema& schema, const StepInput& input, const MeshStep& step, int field)
      : comm_(comm),
        schema_(schema),
        step_(step),
        field_(schema.fields()[static_cast<std::size_t>(field)]),
        patches_(patches_of(input, field)) {}

  Status run(const Directory& directory) {
    std::map<int, Bytes> of_rank;
    std::vector<OutgoingMessage> messages;
    ESKER_RETURN_IF_ERROR(all_do(comm_, "shared nodes", [&] {
      pack(directory, of_rank);
      for (const auto& [rank, bytes] : of_rank) messages.push_back({rank, bytes});
      return Status();
    }));
    ESKER_ASSIGN_OR_RETURN(const Deliveries received, deliver(comm_, messages));
    return all_do(comm_, "shared nodes", [&]() -> Status {
      for (const Delivery& delivery : received.deliveries) {
        ESKER_RETURN_IF_ERROR(compare(delivery.rank, delivery.bytes));
      }
      return {};
    });
  }

 private:
  /// The values of this rank's patches for the holders of patches that precede them.
  void pack(const Directory& directory, std::map<int, Bytes>& of_rank) {
    on_level_.resize(static_cast<std::size_t>(step_.mesh->num_levels()));
    for (const MeshPatch& put : patches_) {
      on_level_[static_cast<std::size_t>(put.level)].push_back(&put.patch);
      const MeshBox own{put.level, put.patch.box};
      step_.known(directory, put.level).for_each_meeting(own.box, [&](int rank, int patch, const Box& box) {
        if (!precedes({put.level, box}, own)) return;
        const Header header{put.level, patch, own.box, intersect(box, own.box)};
        Bytes& bytes = of_rank[rank];
        const auto* first = reinterpret_cast<const std::byte*>(&header);
        bytes.insert(bytes.end(), first, first + sizeof(Header));
        for_each_value(put.patch, header.nodes, [&](const Point&, int, const std::byte* value) {
          bytes.insert(bytes.end(), value, value + size_bytes(field_.type));
        });
      });
    }
  }

  template <class Visit>
  void for_each_value(const Patch& patch, const Box& nodes, const Visit& visit) const {
    for_each_index_point(nodes, [&](const Point& p) {
      const auto* value = static_cast<const std::byte*>(patch.data);
      for (int a = 0; a < nodes.rank; ++a) value += (p[a] - patch.box.lo[a]) * patch.stride_bytes[a];
      for (int c = 0; c < field_.components; ++c) visit(p, c, value + c * patch.component_stride_bytes);
    });
  }

  [[nodiscard]] Status compare(int rank, std::span<const std::byte> bytes) const {
    const auto element = static_cast<std::size_t>(size_bytes(field_.type));
    while (!bytes.empty()) {
      Header header;
      std::memcpy(&header, bytes.data(), sizeof(Header));
      bytes = bytes.subspan(sizeof(Header));
      const Patch& own =
          *on_level_[static_cast<std::size_t>(header.level)][static_cast<std::size_t>(header.patch)];
      Status status;
      for_each_value(own, header.nodes, [&](const Point& node, int component, const std::byte* value) {
        if (status.ok() && std::memcmp(value, bytes.data(), element) != 0) {
          status = differ(header, own.box, rank, node, component, value, bytes.data());
        }
        bytes = bytes.subspan(element);
      });
      ESKER_RETURN_IF_ERROR(status);
    }
    return {};
  }

  /// An error, unless the values are equal in spite of their bytes.
  [[nodiscard]] Status differ(const Header& header, const Box& own, int rank, const Point& node,
                              int component, const std::byte* mine, const std::byte* other) const {
    return with_type(field_.type, [&](auto type) -> Status {
      auto a = type, b = type;
      std::memcpy(&a, mine, sizeof(a));
      std::memcpy(&b, other, sizeof(b));
      if (a == b || (a != a && b != b)) return {};
      return error(
          Code::kInvalidArgument,
          "mesh '{}', level {}, field '{}': the patches {} of rank {} and {} of rank {} have different "
          "values at the node ({}){}: {} and {}",
          schema_.grids()[static_cast<std::size_t>(step_.grid)].name, header.level, field_.name,
          own.to_string(), comm_.rank(), header.sender.to_string(), rank,
          fmt::join(node.begin(), node.begin() + own.rank, ", "),
          field_.components > 1 ? fmt::format(", component {}", component) : "", a, b);
    });
  }

  Comm& comm_;
  const Schema& schema_;
  const MeshStep& step_;
  const Field& field_;
  const std::vector<MeshPatch>& patches_;
  std::vector<std::vector<const Patch*>> on_level_;  // this rank's, in the order of the put calls
};

}  // namespace

Status compare_shared_nodes(Comm& comm, const Schema& schema, const StepInput& input, const MeshStep& step,
                            const Directory& directory) {
  for (const int field : step.fields) {
    ESKER_RETURN_IF_ERROR(Comparison(comm, schema, input, step, field).run(directory));
  }
  return {};
}

}  // namespace esker
