// Writes two steps on the ranks that SMPI simulates, and compares the messages and bytes of the second one
// with those of its plan. Prints a JSON object; the exit status is 1 if they differ.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "esker/esker.hpp"
#include "esker/mpi.hpp"
#include "esker/plan.hpp"

namespace {

using esker::BrickDecomposition;
using esker::Index;

struct Settings {
  std::string path;
  Index block = 16;
  int fields = 2;
  std::vector<std::string> options;
};

/// One brick per rank, of block^3 samples.
BrickDecomposition split(const Settings& settings, int n_ranks) {
  const auto parts = BrickDecomposition::near_cubic(3, {1 << 20, 1 << 20, 1 << 20}, n_ranks).value();
  esker::Point extent, counts;
  for (int a = 0; a < 3; ++a) counts[a] = parts.num_parts(a), extent[a] = counts[a] * settings.block;
  return BrickDecomposition::even(3, extent, counts).value();
}

/// What moved in a step: messages and bytes of all ranks.
struct Moved {
  double messages = 0, bytes = 0;
};

Moved planned(const Settings& settings, const esker::Options& options, const esker::Schema& schema,
              int n_ranks) {
  const auto bricks = [&](const esker::Grid&) { return esker::Result(split(settings, n_ranks)); };
  const esker::PlanReport plan =
      esker::plan_step(schema, n_ranks, esker::SplitOfGrid(bricks), options).value();
  return {plan.messages.mean * n_ranks, plan.sent_bytes.mean * n_ranks};
}

Moved reported(esker::Writer& writer, int n_ranks) {
  const auto report = nlohmann::json::parse(writer.report_json().value());
  const auto sum = [&](const char* what) {
    return report.at("per_rank").at(what).at("mean").get<double>() * n_ranks;
  };
  return {sum("messages"), sum("sent_bytes")};
}

int run(const Settings& settings) {
  const auto comm = esker::mpi_communicator(MPI_COMM_WORLD);
  esker::Options options;
  options.report = "none";
  for (const std::string& option : settings.options) {
    const auto equals = option.find('=');
    options.set(option.substr(0, equals), option.substr(equals + 1)).check();
  }
  const BrickDecomposition bricks = split(settings, comm.size());
  auto writer = esker::Writer::create(settings.path, comm, options).value();
  std::vector<esker::DimId> dims;
  for (int a = 0; a < 3; ++a)
    dims.push_back(writer.def_dim(std::string(1, "xyz"[a]), bricks.cuts(a).back()).value());
  const auto grid = writer.def_grid("bricks", dims).value();
  std::vector<esker::FieldId> fields;
  for (int n = 0; n < settings.fields; ++n) {
    fields.push_back(writer.def_field(grid, fmt::format("f{}", n), esker::SampleType::kFloat64).value());
  }
  const esker::Box mine = bricks.box(comm.rank());
  const std::vector<double> samples(static_cast<std::size_t>(mine.num_samples()), 1.0 + comm.rank());
  Moved before, after;
  double seconds = 0;
  for (int step = 0; step < 2; ++step) {
    before = after;
    writer.begin_step(step).check();
    for (const auto field : fields) writer.put(field, esker::Patch::dense(mine, samples.data())).check();
    const double begin = MPI_Wtime();
    writer.end_step().check();
    seconds = MPI_Wtime() - begin;
    after = reported(writer, comm.size());
  }
  const esker::Schema schema = writer.schema();
  writer.close().check();
  int differs = 0;
  if (comm.rank() == 0) {
    const Moved plan = planned(settings, options, schema, comm.size());
    const Moved moved{after.messages - before.messages, after.bytes - before.bytes};
    differs = std::lround(moved.messages - plan.messages) != 0 || std::lround(moved.bytes - plan.bytes) != 0;
    const nlohmann::ordered_json json{{"ranks", comm.size()},
                                      {"messages", std::lround(moved.messages)},
                                      {"planned_messages", std::lround(plan.messages)},
                                      {"bytes", std::lround(moved.bytes)},
                                      {"planned_bytes", std::lround(plan.bytes)},
                                      {"simulated_s", seconds}};
    fmt::print("{}\n", json.dump());
  }
  MPI_Bcast(&differs, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return differs;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Settings settings;
  CLI::App app("Compares a step on simulated ranks with its plan");
  app.add_option("path", settings.path, "dataset to write")->required();
  app.add_option("--block", settings.block, "samples of a rank along each axis");
  app.add_option("--fields", settings.fields, "number of float64 fields");
  app.add_option("-o,--option", settings.options, "KEY=VALUE: an option of Esker")->allow_extra_args(false);
  int status = 2;
  try {
    app.parse(argc, argv);
    status = run(settings);
  } catch (const CLI::Error& error) {
    status = app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  MPI_Finalize();
  return status;
}
