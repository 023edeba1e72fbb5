#include "transfer.h"

#include <algorithm>

#include "detached.h"

namespace esker::pnetcdf {
namespace {

/// Whether the file is in a state for the call. Not even a part without values takes part after these errors,
/// which all ranks have.
int check_state(const OpenFile& file, Direction direction, bool all) {
  if (direction == Direction::kIn && !file.file->is_writable()) return NC_EPERM;
  return file.check_moving(all);
}

/// PnetCDF asks for no values, whatever the place.
bool has_no_items(const Memory& memory) {
  return memory.is_flexible && memory.datatype != MPI_DATATYPE_NULL && memory.n == 0;
}

int check_part(const OpenFile& file, Direction direction, const Part& part) {
  const int code = check_variable(file, part.variable, part.memory);
  return code != NC_NOERR ? code : check_place(file, part.variable, direction, part.place);
}

/// The accesses of all parts, which are taken from these.
std::vector<cdf::Access> take_accesses(std::vector<Prepared>& parts) {
  std::vector<cdf::Access> accesses;
  for (Prepared& part : parts) {
    for (cdf::Access& access : part.accesses) accesses.push_back(std::move(access));
  }
  return accesses;
}

/// One transfer of all parts.
int move_parts(OpenFile& file, Direction direction, bool all, std::vector<Prepared>& parts,
               std::vector<cdf::Access>& accesses) {
  const bool in = direction == Direction::kIn;
  for (const Prepared& part : parts) (in ? file.put_bytes : file.get_bytes) += part.bytes;
  if (!all && accesses.empty()) return NC_NOERR;
  if (const auto moved = file.move(in, all, {}, accesses); !moved.first_error().ok()) {
    return code_of(moved.first_error());
  }
  int handed = NC_NOERR;
  for (Prepared& part : parts) {
    if (part.unpack.is_needed()) part.unpack.unpack();
    const int code = in ? int{NC_NOERR} : hand_over(part.mirror);
    if (handed == NC_NOERR) handed = code;
  }
  if (handed != NC_NOERR) return handed;
  const bool all_fit =
      std::all_of(parts.begin(), parts.end(), [](const Prepared& part) { return part.fits; }) &&
      std::none_of(accesses.begin(), accesses.end(),
                   [](const cdf::Access& access) { return access.is_out_of_range; });
  return all_fit ? NC_NOERR : NC_ERANGE;
}

/// Checks and prepares all parts, up to the first error.
int prepare_all(const OpenFile& file, Direction direction, bool all, int n,
                const std::function<Part(int)>& part, std::vector<Prepared>& parts) {
  parts.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const Part next = part(i);
    int code = check_part(file, direction, next);
    if (code == NC_NOERR && (all || !has_no_items(next.memory))) {
      code = prepare(file, direction, next, parts.emplace_back());
    }
    if (code != NC_NOERR) return code;
  }
  for (Prepared& each : parts) {
    if (direction == Direction::kIn) each.fits = detach_unfit(file, each);
  }
  return NC_NOERR;
}

}  // namespace

int move_many(Direction direction, bool all, int ncid, int n, const std::function<Part(int)>& part) {
  return with_file(ncid, [&](OpenFile& file) {
    int code = check_state(file, direction, all);
    if (!all && code != NC_NOERR) return code;
    std::vector<Prepared> parts;
    std::vector<cdf::Access> accesses;
    if (code == NC_NOERR) {
      code = guarded([&] {
        const int prepared = prepare_all(file, direction, all, n, part, parts);
        if (prepared == NC_NOERR) accesses = take_accesses(parts);
        return prepared;
      });
      if (!all && code != NC_NOERR) return code;
      if (code != NC_NOERR) parts.clear();  // a rank without memory takes part, too
    }
    if (all && file.is_safe) {
      code = file.agreed(code);
      if (code != NC_NOERR) return code;
    }
    if (code == NC_EPERM || code == NC_EINDEFINE || code == NC_EINDEP) return code;
    const int moved = move_parts(file, direction, all, parts, accesses);
    return code != NC_NOERR ? code : moved;
  });
}

int move_now(Direction direction, bool all, int ncid, const Part& part) {
  return move_many(direction, all, ncid, 1, [&](int) { return part; });
}

int move_later(Direction direction, Copy copy, int ncid, const Part& part, int* request) {
  return with_file(ncid, [&](OpenFile& file) -> int {
    give(request, NC_REQ_NULL);
    const bool in = direction == Direction::kIn;
    if (in && !file.file->is_writable()) return NC_EPERM;
    int code = check_variable(file, part.variable, part.memory);
    if (code != NC_NOERR) return code;
    const bool is_buffered = copy == Copy::kToAttachedBuffer;
    if (is_buffered && !file.buffer.is_attached()) return NC_ENULLABUF;
    code = check_place(file, part.variable, direction, part.place);
    if (code != NC_NOERR || has_no_items(part.memory)) return code;
    Prepared prepared;
    code = prepare(file, direction, part, prepared);
    if (code != NC_NOERR || prepared.accesses.empty()) return code;
    if (is_buffered && !file.buffer.has_room(prepared.bytes)) return NC_EINSUFFBUF;
    const bool fits = !in || detach(file, copy != Copy::kNo, prepared);
    if (in && !prepared.copy.empty()) prepared.mirror = {};
    Request pending{0,
                    std::move(prepared.accesses),
                    std::move(prepared.copy),
                    std::move(prepared.unpack),
                    std::move(prepared.mirror),
                    prepared.bytes};
    if (is_buffered) pending.part_of_buffer = file.buffer.take(prepared.bytes);
    give(request, keep(in ? file.requests.puts : file.requests.gets, in ? 0 : 1, std::move(pending)));
    return fits ? NC_NOERR : NC_ERANGE;
  });
}

}  // namespace esker::pnetcdf
