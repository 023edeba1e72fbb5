#include "write/choose_pattern.h"

#include <array>
#include <cstdint>

#include "base/macros.h"
#include "comm/agree.h"
#include "comm/count_processors.h"
#include "store/commit.h"

namespace esker {

Result<FilePattern> choose_pattern(Comm& comm, const Store& store, const std::string& path,
                                   const Options& options) {
  std::array<std::uint64_t, 2> found{};
  ESKER_RETURN_IF_ERROR(root_does(comm, "stripes", [&] {
    const Striping reported = store.striping(directory_of(path));
    found = {static_cast<std::uint64_t>(reported.size_bytes), static_cast<std::uint64_t>(reported.count)};
    return Status();
  }));
  comm.all_reduce_max(found);
  const int most_writers = most_writers_of_a_file(comm);
  ESKER_ASSIGN_OR_RETURN(FilePattern chosen,
                         FilePattern::of({static_cast<Index>(found[0]), static_cast<int>(found[1])},
                                         comm.size(), path, options));
  chosen.most_writers = most_writers;
  return chosen;
}

StorageReport describe(const FilePattern& pattern) {
  StorageReport report;
  report.pattern = name(pattern.pattern);
  report.stripe_size_bytes = pattern.stripes.size_bytes;
  report.stripe_count = pattern.stripes.count;
  return report;
}

}  // namespace esker
