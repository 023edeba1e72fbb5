#include "settings.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <utility>
#include <vector>

namespace pism {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output run.idx --verify
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output small.idx --grid-coarsen 8 --levels 11
  mpiexec -n 4 esker-pism --input data/greenland_5km.nc --output run.idx -o overwrite=true -o aggregators=2)";

/// Texts that become settings once all of them are known.
struct Texts {
  std::string precision = "f4";
  std::vector<std::string> options;
};

void add_run_options(CLI::App& app, Settings& s, Texts& texts) {
  app.add_option("--input", s.input, "netCDF file with topg and thk")->required();
  app.add_option("--output", s.output, "dataset to write, e.g. run.idx")->required();
  app.add_option("--output-interval,--years-per-output", s.output_interval, "model years between steps")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--output-steps", s.output_steps, "steps to write, the initial state included")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--precision", texts.precision, "f4 or f8: type of the output")
      ->check(CLI::IsMember({"f4", "f8"}))
      ->capture_default_str();
  app.add_flag("--verify", s.verify, "re-read and compare every step before the model goes on");
  app.add_option("-o,--option", texts.options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--quiet", s.quiet, "print errors only");
}

void add_model_options(CLI::App& app, Settings& s) {
  app.add_option("--levels", s.levels, "vertical levels")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  app.add_option("--ice-height", s.ice_height, "height of the highest level above the bed, m")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--grid-coarsen", s.coarsen, "take every K-th point of the input")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--dt-max", s.model.max_mass_step, "longest step of thickness, years")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--energy-interval", s.model.energy_interval, "longest step of temperature, years")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--enhancement", s.model.flow_law.enhancement, "factor on the rate factor of ice")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--max-diffusivity", s.model.flow_law.max_diffusivity,
                 "limit of the flow's diffusivity, m^2/a")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

/// Sets Esker's options from the environment, then from KEY=VALUE texts.
esker::Status set_esker_options(const std::vector<std::string>& texts, esker::Options& options) {
  auto loaded = esker::Options::load();
  if (!loaded.ok()) return loaded.status();
  options = std::move(*loaded);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return {esker::Code::kInvalidArgument, "-o " + text + ": expected KEY=VALUE"};
    }
    const esker::Status status = options.set(text.substr(0, equals), text.substr(equals + 1), "command line");
    if (!status.ok()) return status.with_context("-o " + text);
  }
  return {};
}

Command wrong_usage(const std::string& what) {
  return {std::nullopt, 2, "esker-pism: " + what + "\nRun with --help for more information.\n"};
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("A shallow-ice model of an ice sheet that writes its steps through Esker", "esker-pism");
  app.footer(kExamples);
  Settings settings;
  Texts texts;
  add_run_options(app, settings, texts);
  add_model_options(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, 0, app.help()};
  } catch (const CLI::ParseError& e) {
    return wrong_usage(e.what());
  }
  settings.precision = texts.precision == "f8" ? esker::SampleType::kFloat64 : esker::SampleType::kFloat32;
  const esker::Status status = set_esker_options(texts.options, settings.esker);
  if (!status.ok()) return wrong_usage(status.message());
  return {std::move(settings), 0, {}};
}

}  // namespace pism
