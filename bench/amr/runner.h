// Times modes of writing the patches of an AMR code against each other, in turn, and checks what they wrote.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mode.h"

namespace bench {

using uintah::Index;

/// A mode by name. `make(path)` is timed: it creates the output.
struct NamedMode {
  std::string name;
  std::function<std::unique_ptr<uintah::Mode>(const std::string& path)> make;
};

struct AmrSettings {
  Index steps = 4;
  Index repeats = 15;
  double time_step = 0.1;
  uintah::Sizes sizes;
  std::string directory = ".";
  std::string json;  ///< empty: standard output
  std::vector<std::string> cases;
  std::vector<std::string> options;  ///< KEY=VALUE, of Esker
};

/// Seconds are those of the slowest rank; bytes those of one repetition, all steps and ranks.
struct AmrMeasured {
  std::string name;
  std::vector<double> write_s;  ///< from creating to closing
  std::vector<double> read_s;   ///< reading back, and comparing every value
  Index data_bytes = 0;         ///< samples that the mode stores, each once
  Index stored_bytes = 0;       ///< in files
  Index files = 0;
};

/// Writes all steps by each mode once without timing, then `repeats` times, each time beginning with another
/// mode. Collective; throws where a value that is read differs.
std::vector<AmrMeasured> run_modes(const miniapp::World& world, const AmrSettings& settings,
                                   const std::vector<NamedMode>& modes);

/// main() of a program with these modes: as bench/program.h, with `--mpiexec` and `--cases`.
using MakeModes = std::function<std::vector<NamedMode>(const miniapp::World&, const AmrSettings&)>;
struct AmrProgram {
  std::string name;
  std::vector<std::string> cases;
  MakeModes make_modes;
  std::vector<std::pair<std::string, std::string>> libraries = {};  ///< versions, by name
};
int run_amr_program(int argc, char** argv, const AmrProgram& program);

}  // namespace bench
