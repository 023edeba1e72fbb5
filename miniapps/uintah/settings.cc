#include "settings.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "common/command_line.h"
#include "common/esker_options.h"
#include "modes.h"

namespace uintah {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-uintah --out amr.idx
  mpiexec -n 4 esker-uintah --out amr.idx --modes flat,file-per-patch,level-by-level
  mpiexec -n 7 esker-uintah --out amr.idx --patches 4 4 2 --levels 4 -o aggregators=2)";

/// Values of options that are interpreted after all of them are known.
struct Texts {
  std::vector<Index> patches;
  std::vector<std::string> options, modes{"flat"};
  std::string out;
  bool no_check = false;
};

void add_mesh_options(CLI::App& app, Settings& s, Texts& t) {
  app.add_option("--patches", t.patches, "patches of the coarsest level along x, y, z (default: 8 per rank)")
      ->expected(3)
      ->check(CLI::Range(1, 1000));
  app.add_option("--coarse-patch", s.sizes.coarse_edge, "cells of these patches along each axis")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_option("--fine-patch", s.sizes.fine_edge, "cells of finer patches along each axis, an even number")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_option("--levels", s.sizes.num_levels, "levels of the mesh, with a ratio of 2")
      ->check(CLI::Range(2, 4))
      ->capture_default_str();
}

void add_output_options(CLI::App& app, Settings& s, Texts& t) {
  app.add_option("--out,--output", t.out, "dataset to write, e.g. amr.idx")->required();
  app.add_option("--modes", t.modes, fmt::format("list of modes: {}", fmt::join(mode_names(), ", ")))
      ->delimiter(',')
      ->check(CLI::IsMember(mode_names()))
      ->capture_default_str();
  app.add_option("--steps", s.steps, "output steps")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--time-step", s.time_step, "time from step to step; the blob circles in a time of 1")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--no-check", t.no_check, "do not read back and compare what was written");
  app.add_flag("--quiet", s.quiet, "print errors only");
  app.add_option("-o,--option", t.options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
}

std::string without_suffix(const std::string& path) {
  return path.ends_with(".idx") ? path.substr(0, path.size() - 4) : path;
}

void settle(const Texts& t, Settings& s) {
  if (s.sizes.fine_edge % 2 != 0) throw std::invalid_argument("--fine-patch: expected an even number");
  std::copy(t.patches.begin(), t.patches.end(), s.sizes.coarse_patches.begin());
  s.path = without_suffix(t.out);
  if (s.path.empty()) throw std::invalid_argument("--out: expected the name of a dataset");
  s.check = !t.no_check;
  for (const std::string& name : mode_names()) {
    if (std::find(t.modes.begin(), t.modes.end(), name) != t.modes.end()) s.modes.push_back(name);
  }
  miniapp::require_idx(t.options, "esker-uintah");
  s.options = miniapp::esker_options(t.options);
  miniapp::require_usage(s.options.set("format", "idx"));
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Writes the patches of an AMR code in several ways, and checks them.", "esker-uintah");
  app.footer(kExamples);
  return miniapp::read_command_line(app, [&] {
    Settings settings;
    Texts texts;
    add_mesh_options(app, settings, texts);
    add_output_options(app, settings, texts);
    app.parse(argc, argv);
    settle(texts, settings);
    return settings;
  });
}

}  // namespace uintah
