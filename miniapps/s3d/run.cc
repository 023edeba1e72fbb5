#include "run.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>

#include "common/printer.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "common/together.h"
#include "common/world.h"
#include "esker/mpi.hpp"
#include "jet.h"
#include "output.h"
#include "restart.h"
#include "sheets.h"
#include "solver.h"
#include "verify.h"

namespace s3d {
namespace {

using miniapp::World;

class Run {
 public:
  Run(const World& world, const Settings& settings, const Bricks& bricks)
      : world_(world),
        settings_(settings),
        bricks_(bricks),
        solver_(world.comm, bricks, jet()),
        variables_(bricks),
        print_(world.rank == 0 && !settings.quiet),
        progress_(world.rank == 0 && !settings.quiet, "step") {}

  void execute() {
    const double start = MPI_Wtime();
    print_("{} x {} x {} cells, {} rank(s) as {} x {} x {}, steps of {:.3e} s\n", bricks_.cells[0],
           bricks_.cells[1], bricks_.cells[2], world_.size, bricks_.parts[0], bricks_.parts[1],
           bricks_.parts[2], solver_.step_seconds());
    begin();
    open_outputs();
    if (settings_.restart.empty()) write_output();
    const Index end = solver_.step() + settings_.steps;
    while (solver_.step() < end) one_step(end);
    if (checkpoint_ && !is_checkpointed_) write_checkpoint();
    close(output_);
    close(checkpoint_);
    print_end(MPI_Wtime() - start);
  }

 private:
  void begin() {
    if (settings_.restart.empty()) return solver_.start();
    in_output_.time([&] { restart(world_.comm, settings_.restart, bricks_, solver_); });
    print_("restart at step {} from {}\n", solver_.step(), settings_.restart);
  }

  /// Before the first step, so that a path that cannot be written ends the run early.
  void open_outputs() {
    const auto comm = esker::mpi_communicator(world_.comm);
    if (!settings_.output.empty()) {
      output_ = std::make_unique<Output>(settings_.output, comm, bricks_, settings_.output_options,
                                         settings_.regions, settings_.stored_bits);
    }
    if (!settings_.checkpoint.empty()) {
      checkpoint_ = std::make_unique<Output>(settings_.checkpoint, comm, bricks_,
                                             settings_.checkpoint_options, std::nullopt, 0);
    }
  }

  void one_step(Index end) {
    in_model_.time([&] { solver_.advance(); });
    is_checkpointed_ = false;
    progress_.show(static_cast<double>(solver_.step()), static_cast<double>(end));
    if (solver_.step() % settings_.every == 0) write_output();
    const Index every = settings_.checkpoint_every;
    if (checkpoint_ && every > 0 && solver_.step() % every == 0) write_checkpoint();
  }

  void write_output() {
    progress_.clear();
    print_model();
    if (output_) write(*output_);
  }

  void write_checkpoint() {
    progress_.clear();
    write(*checkpoint_);
    is_checkpointed_ = true;
  }

  void write(Output& output) {
    in_model_.time([&] {
      variables_.derive(solver_.velocity(), solver_.scalars());
      MPI_Barrier(world_.comm);  // so that output does not include the time of ranks that are late
    });
    in_output_.time([&] { output.write(solver_.time(), solver_.scalars(), variables_); });
    print_("esker  {}: {}\n", output.path(), output.writer().last_step().to_string());
  }

  void close(const std::unique_ptr<Output>& output) {
    if (output) in_output_.time([&] { output->close(); });
  }

  void print_model() {
    const double threshold = settings_.regions.value_or(Regions{}).hot;
    const Sheets s = find_sheets(world_.comm, solver_.scalars(), threshold);
    print_(
        "model  step {}, {:.4f} ms: {:.0f} to {:.0f} K, {:.1f} % of the cells above {:.0f} K ({:.1f} to "
        "{:.1f} % of each rank's)\n",
        solver_.step(), 1e3 * solver_.time(), s.coldest, s.hottest, 100 * s.hot, threshold, 100 * s.least,
        100 * s.most);
  }

  void print_end(double seconds) {
    const auto state = checksum(world_.comm, bricks_, solver_.scalars());
    print_("time   {:.2f} s: model {:.2f} s, output {:.2f} s\n", seconds, in_model_.seconds,
           in_output_.seconds);
    print_("state  {:016x}\n", state);
  }

  const World& world_;
  const Settings& settings_;
  const Bricks& bricks_;
  Solver solver_;
  Variables variables_;
  miniapp::Printer print_;
  miniapp::Progress progress_;
  std::unique_ptr<Output> output_, checkpoint_;
  bool is_checkpointed_ = false;
  miniapp::Stopwatch in_model_, in_output_;
};

/// The cells of the run's grid: those of the checkpoint that it continues, or as given. Collective; throws
/// AgreedError.
std::array<Index, 3> cells_of(MPI_Comm comm, const Settings& settings) {
  const std::string& from = settings.restart;
  auto cells = from.empty() ? kDefaultCells : checkpoint_cells(comm, from);
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const Index given = settings.cells[a].value_or(cells[a]);
    if (!from.empty() && given != cells[a]) {
      throw miniapp::AgreedError(
          fmt::format("{0}: expected a checkpoint of {1} cells along {2}, as --n{2} "
                      "says, found {3}; leave out --n{2} to continue it",
                      from, given, "xyz"[a], cells[a]));
    }
    cells[a] = given;
  }
  return cells;
}

}  // namespace

void run(MPI_Comm comm, const Settings& settings) {
  if (settings.verify) return verify(comm, settings.quiet);
  const World world(comm);
  const auto cells = cells_of(comm, settings);
  Bricks bricks;
  std::unique_ptr<Run> job;
  miniapp::together(comm, [&] {
    bricks = make_bricks(cells, world.rank, world.size);
    job = std::make_unique<Run>(world, settings, bricks);
  });
  job->execute();
}

}  // namespace s3d
