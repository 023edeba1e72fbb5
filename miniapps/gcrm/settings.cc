#include "settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "common/command_line.h"
#include "common/esker_options.h"

namespace gcrm {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-gcrm --level 5 --output run.idx
  mpiexec -n 4 esker-gcrm --level 6 --output run.nc --format cdf5 --stripe 1M --segment 4M -o aggregators=2
  mpiexec -n 4 esker-gcrm --level 6 --output cells.nc --format cdf5 --panels panels.idx
  mpiexec -n 4 esker-gcrm --level 7 --layers 26 --output-interval 1/24,1/48,1/96 --output run.idx --report share.json
  mpiexec -n 4 esker-gcrm --level 4 --days 12 --output-interval 12 --output bell.idx -o overwrite=true)";

/// Texts of options that are interpreted after all of them are known.
struct Texts {
  std::string output, panels, format, stripe = "1M", segment = "4M", precision = "f4";
  std::vector<std::string> intervals = {"1/24"}, options;
  double max_step_seconds = 0;
};

void add_model_options(CLI::App& app, Settings& s, Texts& t) {
  app.add_option("--level", s.level, "level of the grid, which has 10 * 4^LEVEL + 2 cells")
      ->check(CLI::Range(0, kMaxLevel))
      ->capture_default_str();
  app.add_option("--layers", s.bell.layers, "number of layers of the atmosphere")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--alpha", s.bell.alpha_degrees, "tilt of the flow against the equator, degrees")
      ->check(CLI::Range(0.0, 90.0))
      ->capture_default_str();
  app.add_option("--days", s.days, "length of the run, model days")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--courant", s.transport.courant, "largest fraction of a cell that flows out in a step")
      ->check(CLI::Range(0.01, 1.0))
      ->capture_default_str();
  app.add_option("--dt-max", t.max_step_seconds, "longest step of the transport, seconds")
      ->check(CLI::PositiveNumber);
  app.add_flag("--first-order", s.transport.first_order, "first-order upwind, for comparison");
}

void add_output_options(CLI::App& app, Settings& s, Texts& t) {
  app.add_option("--output", t.output, "dataset to write, e.g. run.idx or run.nc")->required();
  app.add_option("--format", t.format,
                 "idx: panels; cdf, cdf1, cdf2, cdf5 or netcdf4: list of cells and the mesh");
  app.add_option("--panels", t.panels,
                 "also write the steps of --output, a list of cells, as panels to this IDX dataset");
  app.add_option(
         "--output-interval", t.intervals,
         "days between output steps, for example 0.5 or 1/24; one run for each of a comma-separated list")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--precision", t.precision, "f4 or f8: type of the variables that change in time")
      ->check(CLI::IsMember({"f4", "f8"}))
      ->capture_default_str();
  app.add_option("--stripe", t.stripe,
                 "stripe of the file system: large variables and the records of CDF files are aligned to it")
      ->capture_default_str();
  app.add_option("--segment", t.segment,
                 "CDF files: number of bytes that an aggregator collects and writes at a time")
      ->capture_default_str();
  app.add_option("-o,--option", t.options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
  app.add_option("--report", s.report,
                 "write the share of output in the run time and the errors to this JSON file");
  app.add_flag("--quiet", s.quiet, "print errors only");
}

double number_of(const std::string& text) {
  std::size_t end = 0;
  const double value = std::stod(text, &end);
  if (end != text.size()) throw std::invalid_argument(text);
  return value;
}

/// Parses days, "0.5" or "1/24". Throws std::invalid_argument.
Interval interval_of(const std::string& text) {
  try {
    const std::size_t slash = text.find('/');
    double days = number_of(text.substr(0, slash));
    if (slash != std::string::npos) days /= number_of(text.substr(slash + 1));
    if (days > 0 && std::isfinite(days)) return {text, days};
  } catch (const std::logic_error&) {
    // reported below
  }
  throw std::invalid_argument("--output-interval: expected days as 0.5 or 1/24, found '" + text + "'");
}

/// Esker's options for the dataset `path`. An empty `format` means the format of the options or of the
/// suffix. The format decides between panels and list of cells.
Options esker_options(const Texts& t, const std::string& path, const std::string& format) {
  Options options;
  for (const std::string& text : t.options) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("-o " + text + ": expected KEY=VALUE");
    options.set(text.substr(0, equals), text.substr(equals + 1));
  }
  if (!format.empty()) options.set("format", format);
  const bool is_netcdf = std::filesystem::path(path).extension() == ".nc";
  if (options.get("format") == "auto") options.set("format", is_netcdf ? "cdf" : "idx");
  if (options.get("format") == "idx") return options;
  options.set_default("alignment", t.stripe);
  options.set_default("collective_buffer", t.segment);
  return options;
}

void settle(const Texts& t, Settings& s) {
  for (const std::string& text : t.intervals) s.intervals.push_back(interval_of(text));
  constexpr double kSecondsPerDay = 86400;
  if (t.max_step_seconds > 0) s.transport.max_step = t.max_step_seconds / kSecondsPerDay;
  if (t.precision == "f8") s.precision = ESKER_FLOAT64;
  miniapp::require_one_format(t.options, t.format);
  s.targets.push_back({t.output, esker_options(t, t.output, t.format)});
  if (t.panels.empty()) return;
  if (s.targets[0].esker.get("format") == "idx")
    throw std::invalid_argument(
        "--panels: --output is a dataset of panels already: expected another --format");
  if (std::filesystem::path(t.panels).replace_extension() ==
      std::filesystem::path(t.output).replace_extension())
    throw std::invalid_argument(
        "--panels: expected names of the two datasets that differ in more than the suffix");
  s.targets.push_back({t.panels, esker_options(t, t.panels, "idx")});
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Transports a tracer on a geodesic grid of the atmosphere, and writes it through Esker.",
               "esker-gcrm");
  app.footer(kExamples);
  return miniapp::read_command_line(app, [&] {
    Settings settings;
    Texts texts;
    add_model_options(app, settings, texts);
    add_output_options(app, settings, texts);
    app.parse(argc, argv);
    settle(texts, settings);
    return settings;
  });
}

Index num_output_steps(const Settings& settings, const Interval& interval) {
  return 1 + static_cast<Index>(std::floor(settings.days / interval.days * (1 + 1e-12)));
}

std::string output_path(const Settings& settings, const Target& target, const Interval& interval) {
  if (settings.intervals.size() == 1) return target.path;
  std::string suffix = "-" + interval.text;
  std::replace(suffix.begin(), suffix.end(), '/', '_');
  const std::filesystem::path path = target.path;
  return (path.parent_path() / (path.stem().string() + suffix + path.extension().string())).string();
}

}  // namespace gcrm
