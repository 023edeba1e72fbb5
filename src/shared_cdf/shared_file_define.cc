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

std::array<Index, 4> numbers_of(const FileRoom& room) {
  return {room.spare_header_bytes, room.variable_alignment_bytes, room.spare_variable_bytes,
          room.record_alignment_bytes};
}

/// The header without its version and what is not defined, in CDF-5, where all offsets have room.
std::vector<std::byte> print_definition(Header header) {
  header.version = Version::kData64;
  header.num_records = 0;
  place_variables(header, {0, netcdf::kCdfAlignment, 0, netcdf::kCdfAlignment});
  return print_header(header);
}

/// Whether `after` begins with `before`, where kept(a, b) says that an element is still the same.
template <class Element, class Kept>
bool begins_with(const std::vector<Element>& after, const std::vector<Element>& before, const Kept& kept) {
  return after.size() >= before.size() && std::equal(before.begin(), before.end(), after.begin(), kept);
}

/// kInvalidArgument: dimensions or variables that the file has were removed, or are of another shape.
Status check_kept(const Header& stored, const Header& header) {
  const bool keeps_dims = begins_with(
      header.dims, stored.dims, [](const Dimension& a, const Dimension& b) { return a.length == b.length; });
  const bool keeps_variables =
      begins_with(header.variables, stored.variables,
                  [](const Variable& a, const Variable& b) { return a.type == b.type && a.dims == b.dims; });
  if (keeps_dims && keeps_variables && header.version == stored.version) return {};
  return error(
      Code::kInvalidArgument,
      "what the file has must be kept: its version, the positions and lengths of dimensions, and the "
      "positions, types and dimensions of variables");
}

/// kInvalidArgument: sizes that are negative, or would make offsets overflow.
Status check_room(const FileRoom& room) {
  constexpr Index kMost = Index{1} << 40;
  for (const Index bytes : numbers_of(room)) {
    if (bytes < 0 || bytes > kMost)
      return error(Code::kInvalidArgument, "room or alignment of {} bytes, expected 0 to {}", bytes, kMost);
  }
  return {};
}

}  // namespace

Status SharedFile::redefine() {
  ESKER_RETURN_IF_ERROR(sync());
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "redefine", [&] { return check_moving("redefine", true); }));
  is_defining_ = true;
  return {};
}

Status SharedFile::end_definition(const FileRoom& room) {
  mismatch_ = Mismatch::kNone;
  moved_bytes_ = 0;
  const Status local = guarded("end_definition", [&]() -> Status {
    if (!is_defining_) return error(Code::kWrongOrder, "end_definition: {} is not being defined", path_);
    ESKER_RETURN_IF_ERROR(check_structure(header_));
    return stored_ ? check_kept(*stored_, header_) : Status();
  });
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{local, "end_definition", 0, ""}));
  ESKER_RETURN_IF_ERROR(compare_definitions());
  Header placed, stored;
  bool moves = false;
  const Status fits = guarded("end_definition", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(check_room(room));
    placed = header_;
    if (stored_) {
      placed.num_records = stored_->num_records;
      moves = !place_next_to(*stored_, room, placed);
    } else {
      place_variables(placed, room);
    }
    stored = placed;
    return check_fits(placed);
  });
  const auto numbers = numbers_of(room);
  const std::uint64_t arguments = checksum(std::as_bytes(std::span(numbers)), 0);
  ESKER_RETURN_IF_ERROR(agree(*comm_, Ballot{fits, "end_definition", arguments, "another room"}));
  moved_bytes_ = moves ? bytes_to_move(*stored_, placed) : 0;
  ESKER_RETURN_IF_ERROR(store_definition(placed, moves));
  header_ = std::move(placed);
  stored_ = std::move(stored);
  is_defining_ = false;
  return {};
}

/// Collective.
Status SharedFile::compare_definitions() {
  std::array<std::uint64_t, 2> hashes{};
  ESKER_RETURN_IF_ERROR(all_do(*comm_, "end_definition", hashes, [&] {
    hashes[0] = hash_definition(header_);
    hashes[1] = ~hashes[0];
    return Status();
  }));
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
  std::array<Version, 1> version{header_.version};
  comm_->broadcast(std::as_writable_bytes(std::span(version)), 0);
  HeaderDifference found;
  Status differs = all_do(*comm_, "end_definition", [&]() -> Status {
    ESKER_ASSIGN_OR_RETURN(Header header, parse_header(of_root));
    header.version = version[0];
    found = compare_headers(header_, header);
    if (found.kind == Mismatch::kNone) return {};
    return error(Code::kMismatchedCall, "{}: {}", path_, found.text);
  });
  std::array<std::uint64_t, 1> kind{static_cast<std::uint64_t>(found.kind)};
  comm_->all_reduce_max(kind);
  mismatch_ = static_cast<Mismatch>(kind[0]);
  if (differs.ok()) differs = Status(Code::kMismatchedCall, path_ + ": definitions differ");
  return differs;
}

/// Collective.
Status SharedFile::store_definition(const Header& placed, bool moves) {
  if (!stored_) return create_file(placed);
  if (moves) return move_file(placed);
  return root_does(*comm_, "end_definition",
                   [&] { return edit_header(*store_, path_, print_header(placed), is_durable()); });
}

Status SharedFile::create_file(const Header& placed) {
  const Status created = root_does(*comm_, "end_definition", [&]() -> Status {
    ESKER_RETURN_IF_ERROR(
        recover_header(*store_, path_, is_durable()));  // a journal would change the new file
    ESKER_RETURN_IF_ERROR(stage_file(
        *store_, path_, [&](File& file) { return file.write_at(print_header(placed), 0); }, is_durable()));
    return publish_file(*store_, path_, is_durable());
  });
  return created.ok() ? open_file() : created;
}

/// Rank 0 makes the new file with its header.
Status SharedFile::stage_header(const Header& placed) {
  const auto write = [&](File& file) -> Status {
    ESKER_RETURN_IF_ERROR(file.write_at(print_header(placed), 0));
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
Status SharedFile::move_file(const Header& placed) {
  Status moved = stage_header(placed);
  if (moved.ok()) moved = fill_staged(placed);
  const bool is_staged = moved.ok();
  if (is_staged) {
    moved = root_does(*comm_, "end_definition", [&] { return publish_file(*store_, path_, is_durable()); });
  }
  if (moved.ok()) moved = open_file();
  if (moved.ok()) return {};
  (void)root_does(*comm_, "end_definition", [&] { return store_->remove(temporary_of(path_)); });
  if (is_staged) {  // the path may be that of the new file, where values have other places
    file_.reset();
    is_defining_ = false;
  }
  return moved;
}

}  // namespace esker::cdf
