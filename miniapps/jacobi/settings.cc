#include "settings.h"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <vector>

#include "common/command_line.h"
#include "common/esker_options.h"

namespace jacobi {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-jacobi --out heat.idx --verify
  mpiexec -n 2 esker-jacobi --restart heat.idx --out later.nc --sweeps 40)";

void add_options(CLI::App& app, Settings& s, std::vector<std::string>& options) {
  const std::array<const char*, 3> names{"--nx", "--ny", "--nz"};
  for (std::size_t a = 0; a < 3; ++a) {
    app.add_option(names[a], s.cells[a],
                   "cells along this axis, 3 or more (default: 64, or those of --restart)")
        ->check(CLI::Range(3, 100000));
  }
  app.add_option("--sweeps", s.sweeps, "sweeps of this run")
      ->check(CLI::Range(0, 100000000))
      ->capture_default_str();
  app.add_option("--out,--output", s.output, "dataset to write, e.g. heat.idx");
  app.add_option("--every", s.every, "sweeps from one step of the dataset to the next")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  app.add_option("--restart", s.restart, "continue from the last step of this dataset, in any format");
  app.add_flag("--verify", s.verify, "compute the same on the host, and compare all cells");
  app.add_flag("--quiet", s.quiet, "print errors only");
  app.add_option("-o,--option", options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Spreads heat in a box on GPUs, and writes it through Esker from their memory.",
               "esker-jacobi");
  app.footer(kExamples);
  return miniapp::read_command_line(app, [&] {
    Settings settings;
    std::vector<std::string> options;
    add_options(app, settings, options);
    app.parse(argc, argv);
    settings.options = miniapp::esker_options(options);
    return settings;
  });
}

}  // namespace jacobi
