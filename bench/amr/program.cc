#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runner.h"

namespace bench {
namespace {

void define(CLI::App& app, const AmrProgram& program, AmrSettings& s) {
  app.add_option("--steps", s.steps, "steps per repetition")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--repeat", s.repeats, "timed repetitions")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--levels", s.sizes.num_levels, "levels of the mesh")->check(CLI::Range(2, 4));
  app.add_option("--fine-patch", s.sizes.fine_edge, "cells of finer patches along each axis, even")
      ->check(CLI::Range(2, 1000));
  app.add_option("--dir", s.directory, "directory to write the files in")->check(CLI::ExistingDirectory);
  app.add_option("--json", s.json, "write the results to this file (default: standard output)");
  app.add_option("--case", s.cases, "case to run; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(program.cases));
  app.add_option("-o,--option", s.options, "KEY=VALUE: an option of Esker; repeatable")
      ->allow_extra_args(false);
}

nlohmann::ordered_json to_json(const AmrSettings& settings, const AmrProgram& program, int n_ranks,
                               const std::vector<AmrMeasured>& measured) {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  nlohmann::ordered_json json{{"workload", "amr"},
                              {"ranks", n_ranks},
                              {"steps", settings.steps},
                              {"repeat", settings.repeats},
                              {"levels", settings.sizes.num_levels},
                              {"mpi", library}};
  for (int a = 0; a < 3; ++a) json["coarse_patches"].push_back(settings.sizes.coarse_patches[a]);
  for (const auto& [name, version] : program.libraries) json["libraries"][name] = version;
  for (const AmrMeasured& m : measured) {
    json["cases"].push_back({{"name", m.name},
                             {"write_s", m.write_s},
                             {"read_s", m.read_s},
                             {"data_bytes_per_step", m.data_bytes / settings.steps},
                             {"stored_bytes_per_step", m.stored_bytes / settings.steps},
                             {"files", m.files}});
  }
  return json;
}

void print(const nlohmann::ordered_json& json, const std::string& path) {
  if (path.empty()) {
    std::puts(json.dump(2).c_str());
    return;
  }
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void measure(const AmrProgram& program, AmrSettings& settings) {
  const miniapp::World world(MPI_COMM_WORLD);
  settings.sizes.coarse_patches = uintah::coarse_patches_for(world.size);
  std::vector<NamedMode> modes = program.make_modes(world, settings);
  std::erase_if(modes, [&](const NamedMode& mode) {
    const auto& wanted = settings.cases;
    return !wanted.empty() && std::find(wanted.begin(), wanted.end(), mode.name) == wanted.end();
  });
  const std::vector<AmrMeasured> measured = run_modes(world, settings, modes);
  if (world.rank == 0) print(to_json(settings, program, world.size, measured), settings.json);
}

int run(int argc, char** argv, const AmrProgram& program) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  AmrSettings settings;
  CLI::App app("Compares ways to write the patches of an AMR code. Started by `esker bench amr`.",
               program.name);
  define(app, program, settings);
  try {
    app.parse(argc, argv);
    measure(program, settings);
    return 0;
  } catch (const CLI::ParseError& error) {
    const int code = rank == 0 ? app.exit(error) : error.get_exit_code();
    return code == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: rank %d: %s\n", program.name.c_str(), rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 1;
}

}  // namespace

int run_amr_program(int argc, char** argv, const AmrProgram& program) {
  const std::string question = argc == 2 ? argv[1] : "";
  if (question == "--mpiexec") return std::puts(ESKER_MPIEXEC) < 0 ? 1 : 0;
  if (question == "--cases") {
    for (const std::string& name : program.cases) std::puts(name.c_str());
    return 0;
  }
  MPI_Init(&argc, &argv);
  const int exit_code = run(argc, argv, program);
  MPI_Finalize();
  return exit_code;
}

}  // namespace bench
