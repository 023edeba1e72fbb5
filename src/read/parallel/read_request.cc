#include "read/parallel/read_request.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/gather.h"
#include "grid/selection.h"

namespace esker {
namespace {

void sort_once(std::vector<ReadColumn>& columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

std::string_view as_text(const std::vector<ReadColumn>& columns) {
  return {reinterpret_cast<const char*>(columns.data()), columns.size() * sizeof(ReadColumn)};
}

void append(std::vector<ReadColumn>& columns, const void* bytes, std::size_t length) {
  if (length == 0) return;
  const std::size_t before = columns.size();
  columns.resize(before + length / sizeof(ReadColumn));
  std::memcpy(&columns[before], bytes, length);
}

}  // namespace

Result<Lattice> level_lattice(const OpenedDataset& data, int field, int level) {
  return data.samples_up_to(field, data.box(field), level);
}

Result<std::vector<ReadColumn>> columns_of_all(Comm& comm, const std::vector<ReadRequest>& mine) {
  std::vector<ReadColumn> columns;
  std::array<std::uint64_t, 3> most{};  // of requesting ranks: the list's hash, its complement, the rank + 1
  ESKER_RETURN_IF_ERROR(all_do(comm, "read", [&] {
    for (const ReadRequest& request : mine) columns.push_back(request.column);
    sort_once(columns);
    const std::uint64_t hash = hash_text(0, as_text(columns));
    if (!columns.empty()) most = {hash, ~hash, static_cast<std::uint64_t>(comm.rank()) + 1};
    return Status();
  }));
  comm.all_reduce_max(most);
  if (most[2] == 0) return columns;
  if (most[0] == ~most[1]) {
    ESKER_RETURN_IF_ERROR(share(comm, columns, static_cast<int>(most[2]) - 1));
    return columns;
  }
  ESKER_ASSIGN_OR_RETURN(const Gathered gathered, gather(comm, std::as_bytes(std::span(columns))));
  ESKER_RETURN_IF_ERROR(all_do(comm, "read", [&] {
    columns.clear();
    for (const auto& of_rank : gathered.of_rank) append(columns, of_rank.data(), of_rank.size());
    sort_once(columns);
    return Status();
  }));
  return columns;
}

}  // namespace esker
