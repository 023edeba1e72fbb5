#include "program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dropped_writes.h"
#include "simulations.h"

namespace bench {
namespace {

/// E.g. "s3d: per rank (64,64,64)."
std::string about_points(const Simulation& simulation) {
  std::string standard;
  for (const Index n : {0, 1, 2})
    standard += (n > 0 ? "," : "") + std::to_string(simulation.standard_points[n]);
  return std::string(simulation.name) + ": " + simulation.points_are + " (" + standard + ").";
}

void define(CLI::App& app, const Program& program, Settings& s) {
  std::vector<std::string> names;
  std::string points = "X,Y,Z: number of points.";
  for (const Simulation& simulation : simulations()) {
    names.emplace_back(simulation.name);
    points += " " + about_points(simulation);
  }
  app.add_option("workload", s.workload, "the simulation whose output is measured")
      ->required()
      ->check(CLI::IsMember(names));
  app.add_option("--points", s.points, points)->delimiter(',')->expected(3)->check(CLI::Range(1, 1 << 20));
  app.add_option("--steps", s.schedule.steps, "steps per repetition")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--repeat", s.schedule.repeats, "timed repetitions")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--halvings", s.schedule.halvings,
                 "also read these levels, counted down from the finest (1,2,3: 1/2, 1/4, 1/8 of the samples)")
      ->delimiter(',')
      ->check(CLI::Range(1, 30));
  app.add_option("--dir", s.directory, "directory to write the files in")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_flag(
      "--smooth", s.is_smooth,
      "values are a smooth field with a little noise, as compression needs it, instead of exact numbers");
  app.add_option("--store-rate", s.store.bytes_per_s,
                 "storage takes this many bytes per second from each rank")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--store-contention", s.store.contention,
         "with --store-rate: each other rank that writes at the same time slows a rank down by this part "
         "of its time")
      ->check(CLI::NonNegativeNumber)
      ->needs("--store-rate");
  app.add_option_function<double>(
         "--overlap", [&s](double ms) { s.schedule.compute_s = ms / 1000; },
         "a model computes for this many milliseconds before each step, so that cases can store meanwhile")
      ->check(CLI::PositiveNumber);
  app.add_flag("--write-only", s.is_write_only, "read nothing, and check no value");
  app.add_flag(
      "--no-store", s.drops,
      "storage keeps only the first 64 KiB of each file, so that everything but the device is measured; "
      "implies --write-only");
  app.add_option("--parts", s.parts,
                 "measure nothing: print which part of each field each of so many ranks holds")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", s.json, "write the results to this file (default: standard output)");
  std::vector<std::string> cases = program.cases;
  cases.insert(cases.end(), program.cases_on_request.begin(), program.cases_on_request.end());
  app.add_option("--case", s.cases, "case to run; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::IsMember(cases));
  if (program.define_more) program.define_more(app);
}

/// A new directory for this run below `parent`. Rank 0 creates it, and removes it at the end. Collective.
class WorkDirectory {
 public:
  WorkDirectory(MPI_Comm comm, const std::string& parent) : path_(parent + "/esker-bench-XXXXXX") {
    MPI_Comm_rank(comm, &rank_);
    int made = rank_ != 0 || mkdtemp(path_.data()) != nullptr;
    MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, comm);
    if (!made) throw std::runtime_error("cannot create a directory in " + parent);
    MPI_Bcast(path_.data(), static_cast<int>(path_.size()), MPI_CHAR, 0, comm);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (rank_ == 0) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int rank_ = 0;
  std::string path_;
};

Workload make_workload(const Settings& settings, int rank, int n_ranks) {
  const Simulation& chosen = simulation(settings.workload);
  Point points = chosen.standard_points;
  std::copy(settings.points.begin(), settings.points.end(), points.begin());
  return chosen.make(rank, n_ranks, points);
}

std::string mpi_library() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  return library;  // Open MPI counts the NUL in `length`
}

nlohmann::ordered_json to_json(const Measured& measured) {
  auto reports = nlohmann::ordered_json::array();
  for (const std::string& report : measured.details) {
    if (!report.empty()) reports.push_back(nlohmann::ordered_json::parse(report));
  }
  auto levels = nlohmann::ordered_json::array();
  for (const MeasuredLevel& level : measured.levels) {
    levels.push_back(
        {{"halvings", level.halvings}, {"data_bytes_per_step", level.data_bytes}, {"read_s", level.read_s}});
  }
  nlohmann::ordered_json json{{"name", measured.name},
                              {"write_s", measured.write_s},
                              {"read_s", measured.read_s},
                              {"levels", levels},
                              {"is_sparse", !measured.kept.empty()},
                              {"stored_bytes_per_step", measured.stored_bytes},
                              {"extra_bytes_per_rank", measured.extra_bytes},
                              {"bad_values", measured.bad_values},
                              {"reports", reports}};
  if (!measured.total_s.empty()) {
    json["in_steps_s"] = measured.in_steps_s;
    json["computing_s"] = measured.computing_s;
    json["total_s"] = measured.total_s;
  }
  return json;
}

nlohmann::ordered_json to_json(const Workload& workload, const Program& program, const Settings& settings,
                               int n_ranks, const std::vector<Measured>& measured) {
  nlohmann::ordered_json json;
  json["workload"] = workload.name;
  json["ranks"] = n_ranks;
  json["steps"] = settings.schedule.steps;
  json["repeat"] = settings.schedule.repeats;
  json["values"] = settings.is_smooth ? "smooth" : "exact";
  if (settings.drops) json["drops"] = true;
  if (settings.schedule.compute_s > 0) json["overlap_ms"] = 1000 * settings.schedule.compute_s;
  if (settings.store.bytes_per_s > 0) json["store_bytes_per_s"] = settings.store.bytes_per_s;
  if (settings.store.contention > 0) json["store_contention"] = settings.store.contention;
  for (const GridExtent& grid : workload.grids) {
    json["grids"][grid.axes] = std::vector<Index>(grid.extent.begin(), grid.extent.begin() + grid.rank);
  }
  json["data_bytes_per_step"] = workload.data_bytes;
  json["data_bytes_per_step_of_rank_0"] = workload.bytes_of_rank();
  json["mpi"] = mpi_library();
  for (const auto& [name, version] : program.libraries) json["libraries"][name] = version;
  for (const Measured& m : measured) json["cases"].push_back(to_json(m));
  return json;
}

void print(const nlohmann::ordered_json& json, const std::string& path) {
  if (path.empty()) {
    std::puts(json.dump(2).c_str());
  } else {
    std::ofstream file(path);
    file << json.dump(2) << '\n';
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }
}

/// Each step of a NetCDF-4 file reads the metadata of those before.
void check_dropping(const std::vector<std::unique_ptr<Case>>& cases) {
  for (const auto& one : cases) {
    const std::string name = one->name();
    if (name.starts_with("netcdf4") || name.starts_with("hdf5")) {
      throw std::runtime_error(name + ": does not work with --no-store, which drops metadata; use --case");
    }
  }
}

int measure(const Program& program, const Settings& settings) {
  int rank = 0, n_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  Workload workload = make_workload(settings, rank, n_ranks);
  for (FieldMemory& field : workload.fields) {
    if (settings.is_smooth && field.values == Values::kExact) field.values = Values::kSmooth;
  }
  const Throttle throttle(settings.store);
  drop_writes(settings.drops);
  Schedule schedule = settings.schedule;
  schedule.reads = !settings.is_write_only && !settings.drops;
  std::vector<Measured> measured;
  {
    const WorkDirectory directory(MPI_COMM_WORLD, settings.directory);
    const auto cases = program.make_cases(settings.cases, directory.path(), workload);
    if (settings.drops) check_dropping(cases);
    measured = run(MPI_COMM_WORLD, cases, workload, schedule);
  }
  Index bad = 0;
  for (const Measured& m : measured) bad += m.bad_values;
  if (rank == 0) print(to_json(workload, program, settings, n_ranks, measured), settings.json);
  if (rank == 0 && bad > 0) {
    std::fprintf(stderr, "%s: %lld values that were read differ from those written\n", program.name.c_str(),
                 static_cast<long long>(bad));
  }
  return bad > 0 ? 1 : 0;
}

int print_cases(const Program& program) {
  for (const auto* names : {&program.cases, &program.cases_on_request}) {
    for (const std::string& name : *names) {
      if (std::puts(name.c_str()) < 0) return 1;
    }
  }
  return 0;
}

/// Prints the grids, the fields, and per rank the box of each field, for peers that are not in C++.
int print_parts(const Settings& settings) {
  nlohmann::ordered_json json;
  for (int rank = 0; rank < settings.parts; ++rank) {
    const Workload workload = make_workload(settings, rank, settings.parts);
    auto boxes = nlohmann::ordered_json::array();
    for (const FieldMemory& field : workload.fields) {
      const auto all = static_cast<std::size_t>(field.box.rank);
      boxes.push_back({std::vector(field.box.lo.begin(), field.box.lo.begin() + all),
                       std::vector(field.box.hi.begin(), field.box.hi.begin() + all)});
    }
    json["boxes"].push_back(boxes);
    if (rank > 0) continue;
    json["workload"] = workload.name;
    json["data_bytes_per_step"] = workload.data_bytes;
    for (const GridExtent& grid : workload.grids) {
      json["grids"][grid.axes] = std::vector(grid.extent.begin(), grid.extent.begin() + grid.rank);
    }
    for (const FieldMemory& field : workload.fields) {
      std::vector<int> fastest_first(static_cast<std::size_t>(field.box.rank));
      std::iota(fastest_first.begin(), fastest_first.end(), 0);
      std::stable_sort(fastest_first.begin(), fastest_first.end(),
                       [&](int a, int b) { return field.strides[a] < field.strides[b]; });
      json["fields"].push_back({{"name", field.name},
                                {"grid", workload.grids[static_cast<std::size_t>(field.grid)].axes},
                                {"components", field.components},
                                {"fastest_first", fastest_first}});
    }
  }
  print(json, settings.json);
  return 0;
}

/// Calls of pwrite in a shared library do not arrive, see throttle.h. Throws CLI::ValidationError.
void check_store([[maybe_unused]] const Settings& settings) {
#ifdef ESKER_BENCH_SHARED
  if (settings.store.bytes_per_s > 0 || settings.drops) {
    throw CLI::ValidationError(
        "--store-rate and --no-store need a static libesker: set BUILD_SHARED_LIBS=OFF");
  }
#endif
}

/// All ranks have the same command line. -1: continue.
int parse(int argc, char** argv, int rank, const Program& program, Settings& settings) {
  CLI::App app(program.description, program.name);
  define(app, program, settings);
  try {
    app.parse(argc, argv);
    check_store(settings);
    return -1;
  } catch (const CLI::ParseError& error) {
    const int code = rank == 0 ? app.exit(error) : error.get_exit_code();
    return code == 0 ? 0 : 2;
  }
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  const std::string_view question = argc == 2 ? argv[1] : "";
  if (question == "--mpiexec") return std::puts(ESKER_MPIEXEC) < 0 ? 1 : 0;
  if (question == "--cases") return print_cases(program);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Settings settings;
  settings.cases = program.cases;
  int exit_code = parse(argc, argv, rank, program, settings);
  if (exit_code < 0) {
    try {
      exit_code = settings.parts > 0 ? print_parts(settings) : measure(program, settings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: rank %d: %s\n", program.name.c_str(), rank, error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return exit_code;
}

}  // namespace bench
