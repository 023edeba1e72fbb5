#include "write/boxes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "exchange/list_groups.h"
#include "grid/dense_axis.h"
#include "write/gap.h"

namespace esker {
namespace {

Box domain_of(const Schema& schema, int field) {
  return schema.box_of(schema.grids()[schema.fields()[field].grid]);
}

/// The boxes of this rank for each list.
std::vector<BoxList> make_lists(const Schema& schema, const std::vector<int>& fields,
                                const ListGroups& groups, const std::vector<PatchBoxes>& boxes,
                                bool partial) {
  std::vector<BoxList> lists;
  for (const int first : groups.first_field) {
    const auto f = static_cast<std::size_t>(first);
    const bool is_mesh = schema.grids()[schema.fields()[fields[f]].grid].mesh.has_value();
    lists.push_back({domain_of(schema, fields[f]), boxes[f].to_vector(), partial || is_mesh});
  }
  return lists;
}

/// The errors that all ranks see. `first_fields`: [list], positions in the schema.
Status check_all_put(const Schema& schema, const std::vector<int>& first_fields, const Directory& directory) {
  for (std::size_t l = 0; l < first_fields.size(); ++l) {
    if (directory.lists()[l]->num_put() == 0) return missing_error(schema.fields()[first_fields[l]]);
  }
  return {};
}

/// The errors that this rank sees as a directory owner.
Status check_bricks(const Schema& schema, const std::vector<int>& first_fields, const Directory& directory) {
  const auto& defect = directory.defect();
  if (!defect) return {};
  const Field& field = schema.fields()[first_fields[defect->list]];
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
  Status are_regular = all_do(comm, "plan", [&] { return check_regular(schema, patches, extents); });
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
  std::vector<int> grids;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    for (const int f : fields) grids.push_back(schema.fields()[f].grid);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(const ListGroups groups, group_lists(comm, grids, mine));
  std::vector<int> first_fields;  // [list], positions in the schema
  std::vector<BoxList> lists;
  ESKER_RETURN_IF_ERROR(all_do(comm, "share boxes", [&] {
    for (const int first : groups.first_field)
      first_fields.push_back(fields[static_cast<std::size_t>(first)]);
    lists = make_lists(schema, fields, groups, mine, partial);
    return Status();
  }));
  ESKER_ASSIGN_OR_RETURN(Directory directory, Directory::publish(comm, lists));
  BoxesOfField of_field;
  Status all_put;
  const Status covered = all_do(comm, "share boxes", [&]() -> Status {
    all_put = check_all_put(schema, first_fields, directory).with_context(context);
    if (!all_put.ok()) return {};
    for (std::size_t f = 0; f < fields.size(); ++f) {
      of_field[fields[f]] = directory.lists()[static_cast<std::size_t>(groups.list_of[f])];
    }
    return check_bricks(schema, first_fields, directory).with_context(context);
  });
  if (covered.code() == Code::kInvalidArgument) {
    ESKER_ASSIGN_OR_RETURN(const auto gap, describe_gap(comm, schema, lists, first_fields, directory));
    if (gap) return Status(Code::kInvalidArgument, context + ": " + *gap);
  }
  ESKER_RETURN_IF_ERROR(covered);
  if (!all_put.ok()) return all_put;  // the same on all ranks
  return SharedBoxes{std::move(directory), std::move(of_field)};
}

}  // namespace esker
