#include "write/boxes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "grid/dense_axis.h"
#include "write/gap.h"

namespace esker {
namespace {

Box domain_of(const Schema& schema, int field) {
  return schema.box_of(schema.grids()[schema.fields()[field].grid]);
}

/// [position in fields] -> position of an earlier field on the same grid, or -1.
std::vector<int> find_earlier(const Schema& schema, const std::vector<int>& fields) {
  std::map<int, int> last_on_grid;
  std::vector<int> earlier;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const auto [last, is_first] = last_on_grid.try_emplace(schema.fields()[fields[f]].grid, -1);
    earlier.push_back(std::exchange(last->second, static_cast<int>(f)));
  }
  return earlier;
}

/// Most fields are put in the boxes of an earlier field, and share its list: the list of each field.
struct Lists {
  std::vector<int> earlier;
  std::vector<std::uint64_t> is_new;  // [position in fields]: some rank's boxes differ from the earlier ones
  std::vector<int> list_of;           // [position in fields]
  std::vector<int> first_field;       // [list], position in the schema
  std::vector<BoxList> mine;

  void compare(const Schema& schema, const std::vector<int>& fields, const std::vector<PatchBoxes>& boxes) {
    earlier = find_earlier(schema, fields);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      is_new.push_back(earlier[f] < 0 || !(boxes[f] == boxes[static_cast<std::size_t>(earlier[f])]) ? 1 : 0);
    }
  }

  void make(const Schema& schema, const std::vector<int>& fields, const std::vector<PatchBoxes>& boxes,
            bool partial) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (is_new[f] == 0) {
        list_of.push_back(list_of[static_cast<std::size_t>(earlier[f])]);
        continue;
      }
      list_of.push_back(static_cast<int>(mine.size()));
      first_field.push_back(fields[f]);
      const bool is_mesh = schema.grids()[schema.fields()[fields[f]].grid].mesh.has_value();
      mine.push_back({domain_of(schema, fields[f]), boxes[f].to_vector(), partial || is_mesh});
    }
  }
};

/// The errors that all ranks see.
Status check_all_put(const Schema& schema, const Lists& lists, const Directory& directory) {
  for (std::size_t l = 0; l < lists.mine.size(); ++l) {
    if (directory.lists()[l]->num_put() == 0) return missing_error(schema.fields()[lists.first_field[l]]);
  }
  return {};
}

/// The errors that this rank sees as a directory owner.
Status check_bricks(const Schema& schema, const Lists& lists, const Directory& directory) {
  const auto& defect = directory.defect();
  if (!defect) return {};
  const Field& field = schema.fields()[lists.first_field[defect->list]];
  if (!defect->first) return gap_error(field, defect->where);
  return overlap_error(field, defect->where, *defect->first, *defect->second);
}

Status check_regular(const Schema& schema, const std::vector<PatchList>& patches,
                     const std::vector<Point>& extents) {
  for (std::size_t f = 0; f < patches.size(); ++f) {
    for (const Box& box : patches[f].boxes()) {
      ESKER_RETURN_IF_ERROR(check_regular(schema.fields()[f], box, extents[f]));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Point>> regular_extents(Comm& comm, const Schema& schema,
                                           const std::vector<PatchList>& patches) {
  std::vector<Point> extents;
  std::vector<std::uint64_t> most;  // of all fields, axis by axis
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    extents.resize(schema.fields().size());
    most.resize(extents.size() * kMaxRank);
    for (std::size_t f = 0; f < patches.size(); ++f) {
      for (const Box& box : patches[f].boxes()) {
        for (int a = 0; a < box.rank; ++a) {
          std::uint64_t& extent = most[f * kMaxRank + static_cast<std::size_t>(a)];
          extent = std::max(extent, static_cast<std::uint64_t>(box.extent(a)));
        }
      }
    }
    return Status();
  }));
  comm.all_reduce_max(most);
  for (std::size_t i = 0; i < most.size(); ++i) {
    extents[i / kMaxRank][i % kMaxRank] = static_cast<Index>(most[i]);
  }
  const Status are_regular = all_do(comm, "plan", [&] { return check_regular(schema, patches, extents); });
  if (!are_regular.ok()) return are_regular;
  return extents;
}

// For each field the highest and the lowest axis of all ranks' patches, as numbers whose maximum is taken.
Result<std::vector<int>> common_dense_axes(Comm& comm, const std::vector<PatchList>& patches) {
  std::vector<std::uint64_t> most;
  std::vector<int> axes;
  ESKER_RETURN_IF_ERROR(all_do(comm, "plan", [&] {
    most.resize(2 * patches.size());
    axes.resize(patches.size());
    for (std::size_t f = 0; f < patches.size(); ++f) {
      for (const Patch& patch : patches[f]) {
        const auto axis = static_cast<std::uint64_t>(dense_axis(patch, patch.box));
        most[2 * f] = std::max(most[2 * f], axis);
        most[2 * f + 1] = std::max(most[2 * f + 1], kMaxRank - axis);
      }
    }
    return Status();
  }));
  comm.all_reduce_max(most);
  for (std::size_t f = 0; f < axes.size(); ++f) {
    const std::uint64_t highest = most[2 * f], lowest = kMaxRank - most[2 * f + 1];
    if (highest == lowest) axes[f] = static_cast<int>(highest);
  }
  return axes;
}

std::vector<PatchBoxes> boxes_of(const std::vector<PatchList>& patches, const std::vector<int>& fields) {
  std::vector<PatchBoxes> boxes;
  for (const int f : fields) boxes.push_back(patches[static_cast<std::size_t>(f)].boxes());
  return boxes;
}

namespace {

constexpr auto kBytesOfBox = static_cast<Index>(sizeof(HeldBox) + 2 * sizeof(Box));  // with its index

}  // namespace

Index size_bytes(const SharedBoxes& boxes) {
  Index bytes = 0;
  for (const auto& list : boxes.directory.lists()) bytes += list->num_known() * kBytesOfBox;
  return bytes;
}

Index size_bytes_of_all(const SharedBoxes& boxes) {
  Index bytes = 0;
  for (const auto& list : boxes.directory.lists()) bytes += list->num_put() * kBytesOfBox;
  return bytes;
}

Result<SharedBoxes> share_boxes(Comm& comm, const Schema& schema, const std::vector<int>& fields,
                                const std::vector<PatchBoxes>& mine, const std::string& context,
                                bool partial) {
  Lists lists;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    lists.compare(schema, fields, mine);
    return Status();
  }));
  comm.all_reduce_max(lists.is_new);
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    lists.make(schema, fields, mine, partial);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, lists.mine));
  BoxesOfField of_field;
  Status all_put;
  const Status covered = all_do(comm, "share boxes", [&]() -> Status {
    all_put = check_all_put(schema, lists, directory).with_context(context);
    if (!all_put.ok()) return {};
    for (std::size_t f = 0; f < fields.size(); ++f) {
      of_field[fields[f]] = directory.lists()[static_cast<std::size_t>(lists.list_of[f])];
    }
    return check_bricks(schema, lists, directory).with_context(context);
  });
  if (covered.code() == Code::kInvalidArgument) {
    ESKER_ASSIGN_OR_RETURN(const auto gap,
                           describe_gap(comm, schema, lists.mine, lists.first_field, directory));
    if (gap) return Status(Code::kInvalidArgument, context + ": " + *gap);
  }
  ESKER_RETURN_IF_ERROR(covered);
  if (!all_put.ok()) return all_put;  // the same on all ranks
  return SharedBoxes{std::move(directory), std::move(of_field)};
}

}  // namespace esker
