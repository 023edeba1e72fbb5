#include "runner.h"

#include <filesystem>

#include "common/stopwatch.h"
#include "common/together.h"

namespace bench {
namespace {

namespace fs = std::filesystem;
using uintah::Snapshot;

class AmrRunner {
 public:
  AmrRunner(const miniapp::World& world, const AmrSettings& settings) : world_(world), settings_(settings) {
    const esker::Mesh mesh = uintah::make_mesh(settings.sizes);
    for (Index step = 0; step < settings.steps; ++step) {
      steps_.push_back(
          make_snapshot(world, settings.sizes, mesh, step, static_cast<double>(step) * settings.time_step));
    }
  }

  void run_once(const NamedMode& named, bool is_timed, AmrMeasured& measured) {
    const std::string path = settings_.directory + "/" + named.name;
    std::unique_ptr<uintah::Mode> mode;
    const double write_s = seconds_of([&] {
      mode = named.make(path);
      for (const Snapshot& snapshot : steps_) mode->write(snapshot);
      mode->close();
    });
    const double read_s = seconds_of([&] {
      for (const Snapshot& snapshot : steps_) mode->check(snapshot);
    });
    measured.data_bytes = data_bytes(mode->writes_covered_cells());
    if (is_timed) {
      measured.write_s.push_back(write_s);
      measured.read_s.push_back(read_s);
    }
    miniapp::together(world_.comm, [&] {
      if (world_.rank == 0) remove(mode->paths(), measured);
    });
  }

 private:
  /// Of the slowest rank.
  template <class Action>
  double seconds_of(const Action& action) {
    MPI_Barrier(world_.comm);
    miniapp::Stopwatch watch;
    watch.time(action);
    MPI_Allreduce(MPI_IN_PLACE, &watch.seconds, 1, MPI_DOUBLE, MPI_MAX, world_.comm);
    return watch.seconds;
  }

  [[nodiscard]] Index data_bytes(bool covered) const {
    Index cells = 0;
    for (const Snapshot& snapshot : steps_) {
      cells += snapshot.hierarchy->num_cells() - (covered ? 0 : snapshot.hierarchy->num_covered_cells());
    }
    return cells * uintah::kNumFields * Index{sizeof(double)};
  }

  static void remove(const std::vector<std::string>& paths, AmrMeasured& measured) {
    measured.stored_bytes = measured.files = 0;
    const auto add = [&](const fs::path& path) {
      ++measured.files;
      measured.stored_bytes += static_cast<Index>(fs::file_size(path));
    };
    for (const std::string& path : paths) {
      if (fs::is_regular_file(path)) add(path);
      if (fs::is_directory(path)) {
        for (const auto& entry : fs::recursive_directory_iterator(path)) {
          if (entry.is_regular_file()) add(entry.path());
        }
      }
      fs::remove_all(path);
    }
  }

  const miniapp::World& world_;
  const AmrSettings& settings_;
  std::vector<Snapshot> steps_;
};

}  // namespace

std::vector<AmrMeasured> run_modes(const miniapp::World& world, const AmrSettings& settings,
                                   const std::vector<NamedMode>& modes) {
  AmrRunner runner(world, settings);
  std::vector<AmrMeasured> measured;
  for (const NamedMode& mode : modes) {
    measured.push_back({mode.name, {}, {}});
    runner.run_once(mode, false, measured.back());
  }
  for (Index repeat = 0; repeat < settings.repeats; ++repeat) {
    for (std::size_t i = 0; i < modes.size(); ++i) {
      const std::size_t m = (i + static_cast<std::size_t>(repeat)) % modes.size();
      runner.run_once(modes[m], true, measured[m]);
    }
  }
  return measured;
}

}  // namespace bench
