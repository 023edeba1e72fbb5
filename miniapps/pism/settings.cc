#include "settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/command_line.h"
#include "common/esker_options.h"

namespace pism {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output run.idx --verify
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output small.idx --grid-coarsen 8 --levels 11
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output run.idx -o overwrite=true -o aggregators=2
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --grid g5km --output big.idx --z-spacing quadratic
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output run.raw --mode collective
  mpiexec -n 4 esker-pism --restart state.idx --output more.idx --output-steps 3
  mpiexec -n 4 esker-pism --dome vialov --grid a10km --output ant.idx --output-steps 2 --output-interval 1
  mpiexec -n 4 esker-pism --dome halfar --isothermal --output dome.idx --output-interval 5000
  esker-pism --input data/greenland_5km.nc --grid g1km --plan 256)";

/// Values of options that are interpreted after all of them are known.
struct Texts {
  std::string precision = "f4", z_spacing = "equal";
  std::string dome, grid;
  std::optional<double> dome_height, dome_radius, ice_height, max_mass_step, max_diffusivity;
  std::optional<Index> levels;
  std::vector<Index> grid_points = {101, 101};
  double grid_spacing = 20e3, softness = 1e-16;
  bool isothermal = false;
  std::vector<std::string> options;
};

/// The named grids, one to a line.
std::string grid_names() {
  std::string text = "named grid, with levels and height; an input is resampled onto it:";
  for (const NamedGrid& grid : kNamedGrids) {
    text += "\n" + std::string(grid.name) + ": " + std::string(grid.what);
  }
  return text;
}

CLI::Validator one_of_the_grids() {
  std::vector<std::string> names;
  for (const NamedGrid& grid : kNamedGrids) names.emplace_back(grid.name);
  return CLI::IsMember(names);
}

CLI::Validator one_of_the_modes() {
  std::vector<std::string> names{"esker"};
  for (const NamedRawMode& raw : kRawModes) names.emplace_back(raw.name);
  return CLI::IsMember(names);
}

void add_source_options(CLI::App& app, Settings& s, Texts& t) {
  auto* source = app.add_option_group("Initial state", "Bed and ice at the start");
  source->require_option(1);
  auto* input = source->add_option("--input", s.input, "netCDF file with topg and thk");
  auto* dome = source->add_option("--dome", t.dome, "analytic ice on flat land: halfar or vialov")
                   ->check(CLI::IsMember({"halfar", "vialov"}));
  auto* restart = source->add_option(
      "--restart", s.restart,
      "dataset that an earlier run wrote with --precision f8: continue from its last step");
  app.add_option("--dome-height", t.dome_height, "thickness in the middle of the dome, m")
      ->check(CLI::PositiveNumber)
      ->needs(dome);
  app.add_option("--dome-radius", t.dome_radius, "radius of the dome, m")
      ->check(CLI::PositiveNumber)
      ->needs(dome);
  auto* grid = app.add_option("--grid", t.grid, grid_names())->check(one_of_the_grids())->excludes(restart);
  app.add_option("--grid-coarsen", s.coarsen, "take every K-th point of the input")
      ->check(CLI::Range(1, 100))
      ->capture_default_str()
      ->needs(input)
      ->excludes(grid);
  app.add_option("--grid-points", t.grid_points, "NX,NY points for a dome")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(2, 10000000))
      ->capture_default_str()
      ->needs(dome)
      ->excludes(grid);
  app.add_option("--grid-spacing", t.grid_spacing, "distance between the points for a dome, m")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(dome)
      ->excludes(grid);
}

/// A restart has the levels of its dataset.
void add_level_options(CLI::App& app, Texts& t) {
  CLI::Option* restart = app.get_option("--restart");
  app.add_option("--levels", t.levels, "number of vertical levels (default: 61, or those of --grid)")
      ->check(CLI::Range(2, 100000))
      ->excludes(restart);
  app.add_option("--ice-height", t.ice_height,
                 "height of the highest level above the bed, m (default: 4000, or that of --grid)")
      ->check(CLI::PositiveNumber)
      ->excludes(restart);
  app.add_option("--z-spacing", t.z_spacing,
                 "spacing of the levels: equal, or quadratic (four times finer at the bed)")
      ->check(CLI::IsMember({"equal", "quadratic"}))
      ->capture_default_str()
      ->excludes(restart);
}

void add_run_options(CLI::App& app, Settings& s, Texts& t) {
  auto* result = app.add_option_group("Result", "Dataset or plan");
  result->require_option(1);
  result->add_option("--output", s.output, "dataset to write, e.g. run.idx");
  result
      ->add_option("--plan", s.plan_ranks,
                   "RANKS: print messages, bytes and memory of writing a step on so many ranks, and exit")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--output-interval,--years-per-output", s.output_interval, "model years between steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--output-steps", s.output_steps, "steps to write, the state at the start included")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option(
         "--mode", s.mode,
         "esker, or without a library: gather (one writer), nodes (a writer per node), collective (MPI-IO)")
      ->check(one_of_the_modes())
      ->capture_default_str();
  app.add_option("--precision", t.precision, "f4 or f8: type of the output")
      ->check(CLI::IsMember({"f4", "f8"}))
      ->capture_default_str();
  app.add_flag("--verify", s.verify, "read back and compare every step before the model continues");
  app.add_option("-o,--option", t.options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--quiet", s.quiet, "print errors only");
}

void add_model_options(CLI::App& app, Settings& s, Texts& t) {
  auto* isothermal = app.add_flag(
      "--isothermal", t.isothermal,
      "one softness, no surface balance, no temperature steps; --dt-max and --max-diffusivity have no "
      "default");
  app.add_option("--softness", t.softness, "softness of isothermal ice, Pa^-3 a^-1")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->needs(isothermal);
  app.add_option("--dt-max", t.max_mass_step, "longest step of thickness, years (default: 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-diffusivity", t.max_diffusivity,
                 "limit of the flow's diffusivity, m^2/a (default: 3e7)")
      ->check(CLI::PositiveNumber);
  app.add_option("--energy-interval", s.model.energy_interval, "longest step of temperature, years")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->excludes(isothermal);
  app.add_option("--enhancement", s.model.flow_law.enhancement, "enhancement factor of the flow law")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->excludes(isothermal);
}

void settle_grid(const Texts& t, Settings& s) {
  if (!t.grid.empty()) {
    s.grid = *find_named_grid(t.grid);
    s.levels = s.grid->Mz;
    s.ice_height = s.grid->height;
  } else if (!t.dome.empty()) {
    s.grid = centred_grid(t.grid_points[0], t.grid_points[1], t.grid_spacing, s.levels, s.ice_height);
  }
  s.levels = t.levels.value_or(s.levels);
  s.ice_height = t.ice_height.value_or(s.ice_height);
  s.z_spacing = t.z_spacing == "quadratic" ? ZSpacing::kQuadratic : ZSpacing::kEqual;
}

/// Options of Esker say nothing to the other modes, except whether to overwrite.
void settle_mode(const Texts& t, Settings& s) {
  for (const NamedRawMode& raw : kRawModes) {
    if (s.mode == raw.name) s.raw_mode = raw.mode;
  }
  if (!s.raw_mode) return;
  if (s.plan_ranks > 0)
    throw std::invalid_argument("--plan plans the output through Esker: leave out --mode " + s.mode);
  for (const std::string& option : t.options) {
    if (option.starts_with("overwrite=")) continue;
    throw std::invalid_argument("--mode " + s.mode + " writes without Esker: leave out -o " + option);
  }
}

/// After settle_grid: Vialov's dome follows the size of the grid.
void settle_dome(const Texts& t, Settings& s) {
  if (t.dome.empty()) return;
  Dome dome;  // Halfar's, of test B
  if (t.dome == "vialov") {
    constexpr double kBalance = 0.1;  // m a^-1, as inner Antarctica gains
    const double width = static_cast<double>(std::min(s.grid->Mx, s.grid->My) - 1) * s.grid->spacing;
    const double radius = t.dome_radius.value_or(width / 3.0);
    dome = {DomeKind::kVialov, vialov_height(radius, kBalance, t.softness), radius};
  }
  dome.radius = t.dome_radius.value_or(dome.radius);
  dome.height = t.dome_height.value_or(dome.height);
  s.dome = dome;
}

void settle_model(const Texts& t, Settings& s) {
  if (t.isothermal) s.model = isothermal_model(t.softness);
  s.model.max_mass_step = t.max_mass_step.value_or(s.model.max_mass_step);
  s.model.flow_law.max_diffusivity = t.max_diffusivity.value_or(s.model.flow_law.max_diffusivity);
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Runs a shallow-ice model of an ice sheet, and writes its steps through Esker, or without a library.",
      "esker-pism");
  app.footer(kExamples);
  return miniapp::read_command_line(app, [&] {
    Settings settings;
    Texts texts;
    add_source_options(app, settings, texts);
    add_level_options(app, texts);
    add_run_options(app, settings, texts);
    add_model_options(app, settings, texts);
    app.parse(argc, argv);
    settle_grid(texts, settings);
    settle_dome(texts, settings);
    settle_model(texts, settings);
    settings.precision = texts.precision == "f8" ? esker::SampleType::kFloat64 : esker::SampleType::kFloat32;
    settings.esker = miniapp::esker_options(texts.options);
    settle_mode(texts, settings);
    return settings;
  });
}

}  // namespace pism
