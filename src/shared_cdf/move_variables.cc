#include "shared_cdf/move_variables.h"

#include <algorithm>
#include <vector>

#include "base/macros.h"
#include "comm/agree.h"
#include "formats/netcdf/cdf/cdf_file.h"
#include "store/read_present.h"

namespace esker::cdf {
namespace {

constexpr Index kChunkBytes = Index{1} << 20;

/// Calls visit(offset in `from`, offset in `to`, bytes) for the values that both have, in parts of at most
/// kChunkBytes.
template <class Visit>
Status for_each_chunk(const Header& from, const Header& to, const Visit& visit) {
  const std::size_t n = std::min(from.variables.size(), to.variables.size());
  for (std::size_t v = 0; v < n; ++v) {
    const Variable& variable = from.variables[v];
    const Index records = from.is_record(variable) ? from.num_records : 1, bytes = from.value_bytes(variable);
    for (Index r = 0; r < records; ++r) {
      const Index source = offset_of(from, static_cast<int>(v), r),
                  target = offset_of(to, static_cast<int>(v), r);
      for (Index at = 0; at < bytes; at += kChunkBytes) {
        ESKER_RETURN_IF_ERROR(visit(source + at, target + at, std::min(kChunkBytes, bytes - at)));
      }
    }
  }
  return {};
}

}  // namespace

Index bytes_to_move(const Header& from, const Header& to) {
  Index total = 0;
  for (std::size_t v = 0; v < std::min(from.variables.size(), to.variables.size()); ++v) {
    const Variable& variable = from.variables[v];
    total += (from.is_record(variable) ? from.num_records : 1) * from.value_bytes(variable);
  }
  return total;
}

Status move_variables(Comm& comm, const File& source, const Header& from, File& target, const Header& to) {
  return all_do(comm, "move variables", [&]() -> Status {
    std::vector<std::byte> chunk(static_cast<std::size_t>(kChunkBytes));
    Index number = 0;
    return for_each_chunk(from, to, [&](Index source_offset, Index target_offset, Index bytes) -> Status {
      if (number++ % comm.size() != comm.rank()) return {};
      const auto part = std::span(chunk).first(static_cast<std::size_t>(bytes));
      ESKER_RETURN_IF_ERROR(read_present(source, part, source_offset));
      return target.write_at(part, target_offset);
    });
  });
}

}  // namespace esker::cdf
