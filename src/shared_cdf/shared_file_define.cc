// How a shared file gets its header.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "shared_cdf/header_edit.h"
#include "shared_cdf/move_variables.h"
#include "shared_cdf/placement.h"
#include "shared_cdf/shared_file.h"
#include "store/checksum.h"
#include "store/commit.h"

namespace esker::cdf {
namespace {

/// The header without what is not defined.
std::vector<std::byte> print_definition(Header header) {
  header.num_records = 0;
  for (Variable& variable : header.variables) variable.begin = 0;
  return print_header(header);
}

/// kInvalidArgument: variables that the file has were removed, or are of another shape.
Status check_kept(const Header& stored, const Header& header) {
  const auto is_kept = [](const Variable& a, const Variable& b) {
    return a.type == b.type && a.dims == b.dims;
  };
  const auto& before = stored.variables;
  const auto& after = header.variables;
  if (after.size() >= before.size() && std::equal(before.begin(), before.end(), after.begin(), is_kept))
    return {};
  return error(Code::kInvalidArgument,
               "variables that the file has must keep their positions, types and dimensions");
}

}  // namespace

Status SharedFile::redefine() {
  ESKER_RETURN_IF_ERROR(sync());
  return all_do(*comm_, "redefine", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_moving("redefine", true));
    stored_ = header_;
    is_defining_ = true;
    return {};
  });
}

Status SharedFile::end_definition(const FileRoom& room) {
  mismatch_ = Mismatch::kNone;
  const Status local = guarded("end_definition", [&]() -> Status {
    if (!is_defining_) return error(Code::kWrongOrder, "end_definition: {} is not being defined", path_);
    ESKER_RETURN_IF_ERROR(check_structure(header_));
    return stored_ ? check_kept(*stored_, header_) : Status();
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{local, "end_definition", 0, ""}));
  ESKER_RETURN_IF_ERROR(compare_definitions());
  Header placed;
  bool moves = false;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "end_definition", [&]() -> Status {
    placed = header_;
    if (stored_) {
      placed.num_records = stored_->num_records;
      moves = !place_next_to(*stored_, room, placed);
    } else {
      place_variables(placed, room);
    }
    return check_header(placed);
  }));
  ESKER_RETURN_IF_ERROR(store_definition(placed, moves));
  header_ = placed;
  stored_ = std::move(placed);
  is_defining_ = false;
  return {};
}

/// Collective.
Status SharedFile::compare_definitions() {
  std::uint64_t hash = 0;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "end_definition", [&] {
    hash = checksum(print_definition(header_), 0);
    return Status();
  }));
  std::array<std::uint64_t, 2> hashes{hash, ~hash};
  comm_->all_reduce_max(hashes);
  return hashes[0] == ~hashes[1] ? Status() : share_difference();
}

/// Finds what differs from rank 0. Collective.
Status SharedFile::share_difference() {
  std::vector<std::byte> of_root;
  ESKER_RETURN_IF_ERROR(root_does(*comm_, "end_definition", [&] {
    of_root = print_definition(header_);
    return Status();
  }));
  ESKER_RETURN_IF_ERROR(share(*comm_, of_root, 0));
  HeaderDifference found;
  const Status differs = all_do(*comm_, "end_definition", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(const Header header, parse_header(of_root));
    found = compare_headers(header_, header);
    if (found.kind == Mismatch::kNone) return {};
    return error(Code::kMismatchedCall, "{}: {}", path_, found.text);
  });
  std::array<std::uint64_t, 1> kind{static_cast<std::uint64_t>(found.kind)};
  comm_->all_reduce_max(kind);
  mismatch_ = static_cast<Mismatch>(kind[0]);
  return differs;
}

/// Collective.
Status SharedFile::store_definition(const Header& placed, bool moves) {
  std::vector<std::byte> bytes;
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "end_definition", [&] {
    bytes = print_header(placed);
    return Status();
  }));
  if (!stored_) return create_file(bytes);
  if (moves) return move_file(placed, bytes);
  return root_does(*comm_, "end_definition",
                   [&] { return edit_header(*store_, path_, bytes, is_durable()); });
}

Status SharedFile::create_file(const std::vector<std::byte>& bytes) {
  const Status created = root_does(*comm_, "end_definition", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(
        recover_header(*store_, path_, is_durable()));  // a journal would change the new file
    ESKER_RETURN_IF_ERROR(stage_file(
        *store_, path_, [&](File& file) { return file.write_at(bytes, 0); }, is_durable()));
    return publish_file(*store_, path_, is_durable());
  });
  return created.ok() ? open_file() : created;
}

/// Rank 0 makes the new file with its header.
Status SharedFile::stage_header(const Header& placed, const std::vector<std::byte>& bytes) {
  const auto write = [&](File& file) -> Status {
    ESKER_RETURN_IF_ERROR(file.write_at(bytes, 0));
    return file.extend_to(file_bytes(placed, placed.num_records));
  };
  return root_does(*comm_, "end_definition", [&] { return stage_file(*store_, path_, write, false); });
}

/// All ranks copy the values to the staged file.
Status SharedFile::fill_staged(const Header& placed) {
  std::unique_ptr<File> target;
  const Status opened = all_do(*comm_, "end_definition", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(target, store_->open(temporary_of(path_), OpenMode::kWrite));
    return {};
  });
  ESKER_RETURN_IF_ERROR(opened);
  ESKER_RETURN_IF_ERROR(move_variables(*comm_, *file_, *stored_, *target, placed));
  return all_do(*comm_, "end_definition", [&]() -> Status {
    if (is_durable()) ESKER_RETURN_IF_ERROR(target->sync());
    return target->close();
  });
}

/// The old file is whole until the new one takes its place.
Status SharedFile::move_file(const Header& placed, const std::vector<std::byte>& bytes) {
  Status moved = stage_header(placed, bytes);
  if (moved.ok()) moved = fill_staged(placed);
  if (moved.ok()) {
    moved = root_does(*comm_, "end_definition", [&] { return publish_file(*store_, path_, is_durable()); });
  }
  if (moved.ok()) return open_file();
  if (comm_->rank() == 0) (void)store_->remove(temporary_of(path_));
  return moved;
}

}  // namespace esker::cdf
