#include "settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "common/command_line.h"
#include "common/esker_options.h"

namespace s3d {
namespace {

constexpr const char* kExamples = R"(Examples:
  mpiexec -n 4 esker-s3d --out flame.idx --checkpoint full.idx
  mpiexec -n 4 esker-s3d --nx 192 --ny 144 --nz 96 --steps 800 --every 100 --out flame.idx --hot 1800
  mpiexec -n 4 esker-s3d --steps 100 --checkpoint half.nc --format cdf5+idx
  mpiexec -n 7 esker-s3d --steps 100 --restart half.nc --checkpoint end.nc4 --format netcdf4
  mpiexec -n 2 esker-s3d --verify)";

/// Values of options that are interpreted after all of them are known.
struct Texts {
  std::string format, keep;
  Regions regions;
  std::vector<std::string> options;
};

void add_model_options(CLI::App& app, Settings& s) {
  const std::array<const char*, 3> names{"--nx", "--ny", "--nz"};
  for (int a = 0; a < 3; ++a) {
    app.add_option(names[a], s.cells[a],
                   "cells along this axis, 8 or more (default: " + std::to_string(kDefaultCells[a]) +
                       ", or those of --restart)")
        ->check(CLI::Range(8, 100000));
  }
  app.add_option("--steps", s.steps, "steps of the solver in this run")
      ->check(CLI::Range(0, 100000000))
      ->capture_default_str();
  app.add_option("--restart", s.restart, "continue from the last step of this checkpoint, in any format");
}

void add_output_options(CLI::App& app, Settings& s, Texts& t) {
  app.add_option("--out,--output", s.output, "adaptive dataset to write, e.g. flame.idx");
  app.add_option("--every", s.every, "steps from one output to the next")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  app.add_option("--keep", t.keep,
                 "rules (default): full resolution where it is hot, less elsewhere; none (default with "
                 "stored_bits): all cells")
      ->check(CLI::IsMember({"rules", "none"}));
  app.add_option("--hot", t.regions.hot, "K; hotter cells are kept at full resolution")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--warm", t.regions.warm, "K; hotter cells are kept at 1/64, the others at 1/512")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--checkpoint", s.checkpoint, "full dataset to write at the end");
  app.add_option("--checkpoint-every", s.checkpoint_every, "steps between checkpoints; 0: only at the end")
      ->check(CLI::Range(0, 100000000))
      ->capture_default_str();
  app.add_option("--format", t.format,
                 "format of the checkpoint: idx, cdf5, netcdf4, cdf5+idx ... (default: by its suffix)");
  app.add_option("-o,--option", t.options,
                 "KEY=VALUE: an option of Esker, or stored_bits=N: bits per sample of --out; repeatable")
      ->allow_extra_args(false);
}

void add_other_options(CLI::App& app, Settings& s) {
  app.add_flag("--verify", s.verify,
               "instead: measure the order of convergence to a manufactured solution, at three resolutions");
  app.add_flag("--quiet", s.quiet, "print errors only");
}

/// Blocks of 2^9 samples: small enough to follow the sheets.
constexpr int kAdaptiveBits = 9;

void settle(const Texts& t, Settings& s) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) throw std::invalid_argument(what);
  };
  require(s.verify || !s.output.empty() || !s.checkpoint.empty(),
          "nothing to do: expected --out, --checkpoint or --verify");
  require(!s.verify || (s.output.empty() && s.checkpoint.empty() && s.restart.empty()),
          "--verify excludes --out, --checkpoint and --restart");
  require(t.regions.warm <= t.regions.hot, "--warm: expected a temperature of at most --hot");
  require(s.output.empty() || s.output != s.checkpoint, "--out and --checkpoint are the same dataset");
}

/// Takes stored_bits=N, which is a property of fields, out of the options. Throws std::invalid_argument.
int take_stored_bits(std::vector<std::string>& options) {
  const std::string key = "stored_bits=";
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const std::string& text) { return text.starts_with(key); });
  if (found == options.end()) return 0;
  const std::string text = std::exchange(*found, "").substr(key.size());
  options.erase(found);
  for (int bits = 1; bits <= 64; bits *= 2) {
    if (text == std::to_string(bits)) return bits;
  }
  throw std::invalid_argument("-o stored_bits=" + text + ": expected 1, 2, 4, 8, 16, 32 or 64");
}

void settle_options(Texts& t, Settings& s) {
  miniapp::require_one_format(t.options, t.format);
  s.stored_bits = take_stored_bits(t.options);
  if (s.stored_bits > 0 && s.output.empty()) {
    throw std::invalid_argument("-o stored_bits: expected --out; checkpoints keep all bits");
  }
  if (s.stored_bits > 0 && t.keep == "rules") {
    throw std::invalid_argument("-o stored_bits contradicts --keep rules: such fields are stored completely");
  }
  if (t.keep == "rules" || (t.keep.empty() && s.stored_bits == 0)) s.regions = t.regions;
  s.checkpoint_options = miniapp::esker_options(t.options);
  s.output_options = s.checkpoint_options;
  miniapp::require_usage(s.output_options.set("format", "idx"));
  if (s.output_options.bits_per_block == 0) s.output_options.bits_per_block = kAdaptiveBits;
  if (!t.format.empty()) {
    miniapp::require_usage(s.checkpoint_options.set("format", t.format).with_context("--format"));
  }
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Computes a lifted jet flame, and writes adaptive output and checkpoints through Esker.",
               "esker-s3d");
  app.footer(kExamples);
  return miniapp::read_command_line(app, [&] {
    Settings settings;
    Texts texts;
    add_model_options(app, settings);
    add_output_options(app, settings, texts);
    add_other_options(app, settings);
    app.parse(argc, argv);
    settle(texts, settings);
    settle_options(texts, settings);
    return settings;
  });
}

}  // namespace s3d
