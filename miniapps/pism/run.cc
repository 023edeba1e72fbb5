#include "run.h"

#include <fmt/format.h>

#include <memory>

#include "common/printer.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "common/world.h"
#include "esker/mpi.hpp"
#include "esker/types/decomposition.hpp"
#include "geometry.h"
#include "halfar.h"
#include "output.h"
#include "reduce.h"
#include "restart.h"
#include "step_output.h"

namespace pism {
namespace {

using miniapp::World;

/// The grid, and its split over the ranks.
struct Domain {
  Grid grid;
  esker::BrickDecomposition parts;
};

/// Seconds of this rank.
struct Stages {
  miniapp::Stopwatch init, compute, write, verify;
};

Domain make_domain(const World& world, const Settings& s) {
  Grid grid = make_whole_grid(s);
  auto parts = esker::BrickDecomposition::pism(2, {grid.Mx, grid.My}, world.size).value();
  grid = with_own_part(std::move(grid), parts.box(world.rank));
  return {std::move(grid), std::move(parts)};
}

class Run {
 public:
  Run(const World& world, const Settings& settings, const Domain& domain, Stages& stages)
      : world_(world),
        settings_(settings),
        domain_(domain),
        stages_(stages),
        halo_(world.comm, domain.parts),
        model_(world.comm, domain.grid, halo_, settings.model),
        description_(description()),
        print_(world.rank == 0 && !settings.quiet),
        progress_(world.rank == 0 && !settings.quiet, "year") {}

  /// `start`: MPI_Wtime() at the start of the run.
  void execute(double start) {
    print_("{} x {} x {} points, {} rank(s) as {} x {}, {}\n", domain_.grid.Mx, domain_.grid.My,
           domain_.grid.Mz, world_.size, domain_.parts.num_parts(0), domain_.parts.num_parts(1),
           name(settings_.precision));
    stages_.init.time([&] { initialise(); });
    std::unique_ptr<StepOutput> output;
    stages_.write.time([&] { output = make_output(world_, domain_.grid, settings_, description_); });
    start_ = model_.state().time;
    for (Index step = 0; step < settings_.output_steps; ++step) one_step(*output, step);
    const std::string report = output->report();
    stages_.write.time([&] { output->close(); });
    print_end(report, MPI_Wtime() - start);
  }

 private:
  [[nodiscard]] Description description() const {
    if (!settings_.restart.empty()) return description_of_dataset(settings_.restart);
    if (!settings_.dome) return {};
    const std::string title =
        fmt::format("Esker ice-sheet miniapp (shallow ice, {}'s dome{})",
                    settings_.dome->kind == DomeKind::kHalfar ? "Halfar" : "Vialov",
                    settings_.model.flow_law.isothermal_softness > 0 ? ", isothermal" : "");
    return {title, false};
  }

  void initialise() {
    if (!settings_.restart.empty()) {
      read_state(world_.comm, settings_.restart, domain_.grid, model_.state());
      return model_.resume();
    }
    together(world_.comm, [&] { fill_geometry(settings_, domain_.grid, model_.state()); });
    model_.initialise();
  }

  void one_step(StepOutput& output, Index step) {
    const auto time_of = [&](Index n) { return start_ + static_cast<double>(n) * settings_.output_interval; };
    const double end = time_of(settings_.output_steps - 1);
    stages_.compute.time(
        [&] { model_.advance_to(time_of(step), [&](double time) { progress_.show(time, end); }); });
    progress_.clear();
    print_model();
    stages_.write.time([&] { output.write(model_.state()); });
    const std::string written = output.last_step();
    print_("{:<6} {}\n", settings_.mode, written);
    if (settings_.verify) stages_.verify.time([&] { output.verify(); });
  }

  void print_model() {
    const Summary s = model_.summary();
    print_(
        "model  year {:.1f}: volume {:.4f} million km3, thickest {:.1f} m, fastest {:.1f} m/a, {} steps of "
        "thickness and {} of temperature\n",
        s.time, s.volume / 1e15, s.max_thk, s.max_speed, s.mass_steps - before_.mass_steps,
        s.energy_steps - before_.energy_steps);
    before_ = s;
    print_exact(s.time);
  }

  /// The error against Halfar's solution, if it describes the run.
  void print_exact(double time) {
    const double softness = settings_.model.flow_law.isothermal_softness;
    if (softness <= 0 || !settings_.dome || settings_.dome->kind != DomeKind::kHalfar) return;
    const Halfar halfar{softness, *settings_.dome};
    const ThicknessError error =
        thickness_error(world_.comm, domain_.grid, model_.state().thk, halfar.at(time));
    print_(
        "exact  Halfar {:.1f} a after t0: error of the thickness {:.2f} m at most, {:.3f} m on "
        "average, {:.3f} m at the centre\n",
        time, error.max, error.mean, error.centre);
  }

  void print_end(const std::string& report, double seconds) {
    const auto checksum = model_.checksum();
    const Summary s = model_.summary();
    const auto stage = [&](const miniapp::Stopwatch& watch) {
      const double slowest = max_over_ranks(world_.comm, watch.seconds);
      return fmt::format("{:.2f} s ({:.0f} %)", slowest, 100 * slowest / seconds);
    };
    const std::string init = stage(stages_.init), compute = stage(stages_.compute),
                      write = stage(stages_.write), verify = stage(stages_.verify);
    print_("\n{}\n\n", report);
    print_("ice    surface balance {:+.1f} km3, calved {:.1f} km3, clipped {:.3g} km3\n", s.surface / 1e9,
           s.calved / 1e9, s.clipped / 1e9);
    print_("time   {:.2f} s; of the slowest rank: init {}, compute {}, write {}, verification {}\n", seconds,
           init, compute, write, verify);
    print_("state  {:016x}{}\n", checksum, settings_.verify ? ", every step verified by every rank" : "");
  }

  const World& world_;
  const Settings& settings_;
  const Domain& domain_;
  Stages& stages_;
  Halo halo_;
  Model model_;
  Description description_;
  miniapp::Printer print_;
  miniapp::Progress progress_;
  double start_ = 0;  ///< a
  Summary before_;
};

/// Rank 0 plans and prints; the others wait for the outcome.
void print_plan(const World& world, const Settings& settings) {
  together(world.comm, [&] {
    if (world.rank != 0) return;
    const Grid grid = make_whole_grid(settings);
    const auto plan = plan_output(grid, settings.precision, settings.plan_ranks, settings.esker).value();
    fmt::print("{} x {} x {} points, {}\n{}", grid.Mx, grid.My, grid.Mz, name(settings.precision),
               plan.to_string());
  });
}

}  // namespace

void run(MPI_Comm comm, const Settings& settings) {
  const World world(comm);
  if (settings.plan_ranks > 0) return print_plan(world, settings);
  const double start = MPI_Wtime();
  Stages stages;
  std::unique_ptr<Domain> domain;
  std::unique_ptr<Run> job;
  stages.init.time([&] {
    together(comm, [&] {
      domain = std::make_unique<Domain>(make_domain(world, settings));
      job = std::make_unique<Run>(world, settings, *domain, stages);
    });
  });
  job->execute(start);
}

}  // namespace pism
