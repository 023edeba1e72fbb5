#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "common/printer.h"
#include "common/progress.h"
#include "common/stopwatch.h"
#include "common/together.h"
#include "common/world.h"
#include "norms.h"
#include "output.h"
#include "reduce.h"
#include "share.h"

namespace gcrm {
namespace {

using miniapp::World;

/// The grid, and its split over the ranks.
struct Domain {
  Domain(const World& world, int level)
      : panels(level),
        pieces(panels.num_cells(), world.size),
        border(find_border(panels, pieces, world.rank)),
        halo(world.comm, pieces, border),
        mesh(make_mesh(panels, border, halo)) {}
  Panels panels;
  Pieces pieces;
  Border border;
  Halo halo;
  Mesh mesh;
};

class Run {
 public:
  Run(const World& world, const Settings& settings, const Domain& domain, const Interval& interval)
      : world_(world),
        settings_(settings),
        domain_(domain),
        transport_(world.comm, domain.mesh, domain.halo, settings.bell.axis(), settings.bell.speeds(),
                   settings.transport),
        tracer_(exact_tracer(domain.mesh, settings.bell, 0)),
        print_(world.rank == 0 && !settings.quiet),
        progress_(world.rank == 0 && !settings.quiet, "day") {
    report_.interval = interval;
    for (const Target& target : settings.targets) {
      report_.paths.push_back(output_path(settings, target, interval));
    }
    report_.output_steps = num_output_steps(settings, interval);
  }

  RunReport execute() {
    const std::vector<Norms> before = norms(0);
    timed_output([&] {
      for (std::size_t d = 0; d < report_.paths.size(); ++d) {
        outputs_.push_back(std::make_unique<Output>(world_.comm, report_.paths[d], domain_.panels,
                                                    domain_.mesh, settings_.bell.layers, settings_.precision,
                                                    settings_.targets[d].esker));
      }
    });
    for (Index step = 0; step < report_.output_steps; ++step) one_step(step);
    for (const auto& output : outputs_) {
      if (report_.output_steps > 1) report_.data_bytes += output->dataset().last_step().data_bytes;
      print_("\n{}\n\n", output->dataset().report());
    }
    timed_output([&] {
      for (const auto& output : outputs_) output->close();
    });
    finish(before);
    return report_;
  }

 private:
  [[nodiscard]] double days(Index step) const { return static_cast<double>(step) * report_.interval.days; }
  [[nodiscard]] std::vector<Norms> norms(double at_days) const {
    return find_norms(world_.comm, domain_.mesh, settings_.bell, tracer_, at_days);
  }

  /// Waits for ranks that are late because of the model, so that output does not include this time.
  template <class F>
  void timed_output(F&& work) {
    in_model_.time([&] { MPI_Barrier(world_.comm); });
    in_output_.time(work);
  }

  void one_step(Index step) {
    if (step > 0) {
      in_model_.time([&] { report_.model_steps += transport_.advance(tracer_, report_.interval.days); });
    }
    timed_output([&] {
      for (const auto& output : outputs_) output->write(days(step), tracer_);
    });
    if (step == 0) report_.first_output_seconds = in_output_.seconds;
    progress_.show(days(step), days(report_.output_steps - 1));
  }

  void finish(const std::vector<Norms>& before) {
    progress_.clear();
    report_.norms = norms(days(report_.output_steps - 1));
    for (std::size_t k = 0; k < before.size(); ++k) {
      const double change = report_.norms[k].mass / before[k].mass - 1;
      report_.mass_change = std::max(report_.mass_change, std::abs(change));
    }
    report_.model_seconds = max_over_ranks(world_.comm, in_model_.seconds);
    report_.output_seconds = max_over_ranks(world_.comm, in_output_.seconds);
    report_.first_output_seconds = max_over_ranks(world_.comm, report_.first_output_seconds);
    const Index layers = settings_.bell.layers;
    report_.state = checksum(world_.comm, tracer_.data(), layers * domain_.mesh.num_own(),
                             layers * domain_.mesh.own.first);
    const Norms& top = report_.norms.back();
    print_("error  highest layer, day {:.2f}: l1 {:.4f}, l2 {:.4f}, linf {:.4f}; mass changed by {:.1e}\n",
           days(report_.output_steps - 1), top.l1, top.l2, top.linf, report_.mass_change);
    print_("{}state  {:016x}\n", to_text(report_), report_.state);
  }

  const World& world_;
  const Settings& settings_;
  const Domain& domain_;
  Transport transport_;
  std::vector<double> tracer_;
  std::vector<std::unique_ptr<Output>> outputs_;
  miniapp::Printer print_;
  miniapp::Progress progress_;
  RunReport report_;
  miniapp::Stopwatch in_model_, in_output_;
};

void write_report(const World& world, const Settings& settings, const std::vector<RunReport>& runs) {
  miniapp::together(world.comm, [&] {
    if (world.rank != 0 || settings.report.empty()) return;
    std::ofstream file(settings.report);
    file << to_json(settings, world.size, runs);
    if (!file.flush()) throw std::runtime_error("cannot write the report to " + settings.report);
  });
}

}  // namespace

void run(MPI_Comm comm, const Settings& settings) {
  const World world(comm);
  miniapp::together(comm, [&] { Pieces(Panels(settings.level).num_cells(), world.size); });
  const Domain domain(world, settings.level);
  if (world.rank == 0 && !settings.quiet) {
    std::string formats;
    for (const Target& target : settings.targets) formats += target.esker.get("format") + ", ";
    fmt::print("{} cells, {} layer(s), {} rank(s), {}{}\n", domain.panels.num_cells(), settings.bell.layers,
               world.size, formats, esker_type_name(settings.precision));
  }
  std::vector<RunReport> runs;
  for (const Interval& interval : settings.intervals) {
    runs.push_back(Run(world, settings, domain, interval).execute());
  }
  write_report(world, settings, runs);
}

}  // namespace gcrm
