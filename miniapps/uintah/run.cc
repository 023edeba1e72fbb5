#include "run.h"

#include <memory>

#include "common/checksum.h"
#include "common/printer.h"
#include "common/stopwatch.h"
#include "common/together.h"
#include "modes.h"
#include "report.h"

namespace uintah {
namespace {

class Run {
 public:
  Run(const miniapp::World& world, const Settings& settings, const Sizes& sizes)
      : world_(world),
        settings_(settings),
        sizes_(sizes),
        mesh_(make_mesh(sizes)),
        print_(world.rank == 0 && !settings.quiet) {}

  void execute() {
    miniapp::check_all(mesh_.check());
    for (Index step = 0; step < settings_.steps; ++step) count(snapshot_of(step));
    std::string table = report_titles();
    for (const std::string& name : settings_.modes) table += to_line(name, run_mode(name));
    print_("{}", table);
    print_state();
  }

 private:
  [[nodiscard]] Snapshot snapshot_of(Index step) const {
    return make_snapshot(world_, sizes_, mesh_, step, static_cast<double>(step) * settings_.time_step);
  }

  void count(const Snapshot& snapshot) {
    const Hierarchy& h = *snapshot.hierarchy;
    print_("step {}: {} patches on {} levels, {} cells, {} of them covered\n", snapshot.step, h.num_patches(),
           mesh_.num_levels(), h.num_cells(), h.num_covered_cells());
    covered_cells_ += h.num_covered_cells();
    for (const OwnPatch& patch : snapshot.own) add_to_state(patch);
  }

  void add_to_state(const OwnPatch& patch) {
    Index position = (Index{patch.level} << 40) + (patch.number << 16);
    for (const auto& values : patch.values) {
      for (const double value : values) state_ += miniapp::hash_of(value, position++);
    }
  }

  Report run_mode(const std::string& name) {
    miniapp::Stopwatch writing;
    const auto mode = make_mode(name, {world_, mesh_, settings_.path, settings_.options});
    for (Index step = 0; step < settings_.steps; ++step) {
      const Snapshot snapshot = snapshot_of(step);
      MPI_Barrier(world_.comm);  // so that output does not include the time of ranks that are late
      writing.time([&] { mode->write(snapshot); });
    }
    writing.time([&] { mode->close(); });
    const Report report = make_report(world_, *mode, writing.seconds, covered_cells_);
    for (Index step = 0; settings_.check && step < settings_.steps; ++step) mode->check(snapshot_of(step));
    if (settings_.check) print_("{}: all values are as expected\n", name);
    return report;
  }

  void print_state() {
    std::uint64_t sum = 0;
    MPI_Reduce(&state_, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, world_.comm);
    print_("state  {:016x}\n", sum);
  }

  const miniapp::World& world_;
  const Settings& settings_;
  Sizes sizes_;
  esker::Mesh mesh_;
  miniapp::Printer print_;
  Index covered_cells_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace

void run(MPI_Comm comm, const Settings& settings) {
  const miniapp::World world(comm);
  Sizes sizes = settings.sizes;
  if (sizes.coarse_patches[0] == 0) sizes.coarse_patches = coarse_patches_for(world.size);
  Run(world, settings, sizes).execute();
}

}  // namespace uintah
