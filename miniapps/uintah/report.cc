#include "report.h"

#include <fmt/format.h>

#include <filesystem>

#include "common/together.h"

namespace uintah {
namespace {

namespace fs = std::filesystem;

constexpr const char* kColumns = "{:<15} {:>9} {:>7} {:>12} {:>8} {:>11} {:>12}\n";

void add_file(const fs::path& path, Report& report) {
  ++report.files;
  report.bytes += static_cast<Index>(fs::file_size(path));
}

void add_files(const std::string& path, Report& report) {
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path)) return add_file(path, report);
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) add_file(entry.path(), report);
  }
}

}  // namespace

Report make_report(const miniapp::World& world, Mode& mode, double seconds, Index covered_cells) {
  Report report;
  report.writes = mode.writes();
  report.covered_not_written = mode.writes_covered_cells() ? 0 : covered_cells;
  MPI_Allreduce(&seconds, &report.seconds, 1, MPI_DOUBLE, MPI_MAX, world.comm);
  miniapp::together(world.comm, [&] {
    if (world.rank != 0) return;
    for (const std::string& path : mode.paths()) add_files(path, report);
  });
  return report;
}

std::string report_titles() {
  return fmt::format(kColumns, "mode", "seconds", "files", "bytes", "writes", "mean_write", "not_written");
}

std::string to_line(const std::string& name, const Report& report) {
  const Index mean = report.writes.count > 0 ? report.writes.bytes / report.writes.count : 0;
  return fmt::format(kColumns, name, fmt::format("{:.3f}", report.seconds), report.files, report.bytes,
                     report.writes.count, mean, report.covered_not_written);
}

}  // namespace uintah
