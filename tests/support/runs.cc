#include "support/runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <sstream>

#include "formats/registry/open_dataset.h"
#include "formats/registry/verify.h"
#include "grid/selection.h"
#include "model/field_facts.h"
#include "support/read_box.h"
#include "support/scenario.h"
#include "support/thread_comm.h"
#include "write/boxes.h"

namespace esker::testing_support {
namespace {

std::vector<Point> points_of(const Lattice& selection) {
  std::vector<Point> points;
  Box indices;
  indices.rank = selection.rank;
  for (int a = 0; a < selection.rank; ++a) indices.hi[a] = selection.count[a];
  for_each_point(indices, [&](const Point& i) {
    Point p{};
    for (int a = 0; a < selection.rank; ++a) p[a] = selection.origin[a] + i[a] * selection.stride[a];
    points.push_back(p);
  });
  return points;
}

Box random_box(const Box& grid, std::mt19937& random) {
  Box box = grid;
  for (int a = 0; a < box.rank; ++a) {
    box.lo[a] = static_cast<Index>(random() % static_cast<unsigned>(grid.hi[a]));
    box.hi[a] = box.lo[a] + 1 + static_cast<Index>(random() % static_cast<unsigned>(grid.hi[a] - box.lo[a]));
  }
  return box;
}

void expect_field(const OpenedDataset& dataset, std::size_t f, Index step, std::mt19937& random) {
  const Field& field = dataset.schema.fields()[f];
  const int number = static_cast<int>(f);
  ASSERT_TRUE(dataset.has_samples(number)) << field.name;
  ASSERT_EQ(dataset.has(number, step), is_due(field, step)) << field.name;
  if (!is_due(field, step)) return;
  const Bitmask mask = dataset.bitmask(number).value();
  const Box grid = dataset.box(number);
  for (int level = 0; level <= mask.max_level(); ++level) {
    for (const Box& box : {grid, random_box(grid, random)}) {
      const auto expected =
          expected_samples(field, number, step, points_of(select_samples(mask, box, level)));
      std::vector<std::byte> answer(expected.size());
      const Status status =
          read_box(dataset, number, step, box, level, answer.data(), {.verify = level % 2 == 0});
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(answer, expected) << field.name << " step " << step << " level " << level << " "
                                  << box.to_string();
    }
  }
}

}  // namespace

Schema schema_of(const RunPlan& run) {
  if (run.schema) return *run.schema;
  return run.single ? single_schema() : mixed_schema();
}

void place(RunPlan& run, int n_ranks, int per_node, int partitions) {
  run.n_ranks = n_ranks;
  run.ranks_per_node = per_node;
  run.seed = static_cast<unsigned>(n_ranks + 100 * partitions);
  run.aggregators = per_node == 1 ? n_ranks : 0;
  run.memory_budget = per_node == 3 ? Index{448} << 10 : RunPlan().memory_budget;
}

Schema volume_plane_and_line(const Point& extents) {
  Schema schema;
  const DimId x = schema.add_dim("x", extents[0]).value();
  const DimId y = schema.add_dim("y", extents[1]).value();
  const DimId z = schema.add_dim("z", extents[2]).value();
  const int volume = schema.add_grid("xyz", {x, y, z}).value().index;
  const int plane = schema.add_grid("xy", {x, y}).value().index;
  const int line = schema.add_grid("line", {x}).value().index;
  const auto add = [&](const char* name, int grid, SampleType type, int components, bool fixed, int every) {
    schema.add_field({name, grid, type, components, fixed, every, {}}).status().check();
  };
  add("temp", volume, SampleType::kFloat64, 1, false, 1);
  add("vel", volume, SampleType::kFloat32, 3, false, 2);
  add("thk", plane, SampleType::kFloat32, 1, false, 1);
  add("topg", plane, SampleType::kFloat32, 1, true, 1);
  add("species", plane, SampleType::kFloat64, 11, false, 1);  // 88 bytes: two columns
  add("height", line, SampleType::kFloat32, 1, false, 1);
  return schema;
}

RunPlan partitioned_run(const Schema& schema, int partitions, const char* index) {
  RunPlan run;
  run.schema = schema;
  run.n_ranks = partitions;
  run.options = {{"partitions", std::to_string(partitions)},
                 {"partition_index", index},
                 {"bits_per_block", "4"},
                 {"blocks_per_file", "4"}};
  return run;
}

std::shared_ptr<Store> written(const RunPlan& run) {
  std::shared_ptr<Store> store = memory_store();
  const Status status = write_all(store, run);
  EXPECT_TRUE(status.ok()) << status.message();
  return store;
}

Options options_of(const RunPlan& run) {
  Options options;
  options.report = "none";
  options.bits_per_block = run.single ? 6 : 8;
  options.blocks_per_file = 4;
  options.aggregators = run.aggregators;
  options.memory_budget_bytes = run.memory_budget;
  options.in_block = run.in_block;
  options.checksums = run.checksums;
  options.aggregate = run.aggregate;
  options.transport = run.transport;
  options.restructure = run.restructure;
  options.max_fan_in = run.max_fan_in;
  options.fsync = run.fsync;
  options.overwrite = run.overwrite;
  for (const auto& [name, value] : run.options) options.set(name, value).check();
  return options;
}

std::vector<KeepCall> keep_some_blocks(Index step, int rank, const StepInput& /*input*/) {
  const auto low = static_cast<double>(20 + 10 * step);
  KeepRule hot = KeepRule::in_range(FieldId{0}, low, low + 3);
  hot.dilate = 1;
  std::vector<KeepCall> calls{{0, -1, KeepRule::everywhere(-5)}, {0, 0, hot}};
  if (rank == 0) calls.push_back({0, 0, KeepRule::inside({Box{{4, 3}, {13, 12}}}, -1)});
  return calls;
}

// Takes the names from the error about an invalid value: "... a, b or c, found '?'".
std::vector<std::map<std::string, std::string>> ways_to_move() {
  std::string text = Options().set("transport", "?").message();
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = ' ';
  }
  std::vector<std::map<std::string, std::string>> ways;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "auto" || !Options().set("transport", word).ok()) continue;
    ways.push_back({{"transport", word}});
    if (word == "all_to_all") ways.back()["store_thread"] = "true";  // needs a buffer that one rank fills
  }
  EXPECT_GE(ways.size(), 2U) << text;
  ways.push_back({{"transport", "shared"}, {"store_thread", "true"}});
  ways.push_back({{"transport", "shared"}, {"async", "true"}, {"async_memory", "16K"}});
  ways.push_back({{"restructure", "default"}, {"max_fan_in", "2"}});
  return ways;
}

std::vector<std::map<std::string, std::string>> ways_to_move(int n_ranks) {
  const auto all = ways_to_move();
  if (n_ranks <= 4) return all;
  std::vector<std::map<std::string, std::string>> some;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) some.push_back(all[i]);
  some.push_back(all.back());
  return some;
}

std::string text_of(const std::map<std::string, std::string>& options) {
  std::string text;
  for (const auto& [name, value] : options) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Result<std::unique_ptr<WritePipeline>> open_run(const Communicator& comm, const std::shared_ptr<Store>& store,
                                                const RunPlan& run) {
  if (run.first_step > 0 || run.append) {
    auto pipeline = WritePipeline::append(comm.get(), store, run.path, options_of(run));
    if (pipeline.ok() && static_cast<Index>((*pipeline)->times().size()) > run.first_step) {
      const Status status = (*pipeline)->rewind({}, time_of(run.first_step - 1));
      if (!status.ok()) return status;
    }
    return pipeline;
  }
  auto pipeline = WritePipeline::create(comm.get(), store, run.path, options_of(run));
  if (!pipeline.ok()) return pipeline;
  const Status defined = (*pipeline)->define({}, schema_of(run));
  if (!defined.ok()) return defined;
  return pipeline;
}

/// Deals the patches of mesh_patches() to the ranks, which changes with `seed`.
void StepData::put_on_mesh(const Communicator& comm, const Schema& schema, std::size_t f, unsigned seed) {
  const Field& field = schema.fields()[f];
  input.mesh_patches.resize(schema.fields().size());
  std::size_t n = seed;
  for (const MeshBox& patch : mesh_patches(input.step)) {
    if (static_cast<int>(n++ % static_cast<std::size_t>(comm.size())) != comm.rank()) continue;
    memory.emplace_back(field, static_cast<int>(f), input.step, patch.box, seed + static_cast<unsigned>(n));
    input.mesh_patches[f].push_back({patch.level, memory.back().patch()});
  }
}

StepData::StepData(const Communicator& comm, const RunPlan& run, Index step) {
  const Schema schema = schema_of(run);
  const unsigned seed = run.seed + (run.new_boxes_each_step ? static_cast<unsigned>(step) : 0);
  std::mt19937 mine(seed + static_cast<unsigned>(comm.rank()));
  memory.reserve(1000);
  input.step = step;
  input.time = time_of(step);
  input.patches.resize(schema.fields().size());
  for (std::size_t f = 0; f < schema.fields().size(); ++f) {
    const Field& field = schema.fields()[f];
    if (!is_due(field, step)) continue;
    if (schema.grids()[field.grid].mesh) {
      put_on_mesh(comm, schema, f, seed);
      continue;
    }
    std::mt19937 shared(seed + static_cast<unsigned>(f));  // the same on all ranks
    const auto tiling =
        random_tiling(schema.box_of(schema.grids()[field.grid]), 1 + static_cast<int>(shared() % 9), shared);
    auto boxes = deal(tiling, comm.size(), shared)[static_cast<std::size_t>(comm.rank())];
    if (run.shuffle_puts) std::shuffle(boxes.begin(), boxes.end(), mine);
    for (const Box& box : boxes) {
      memory.emplace_back(field, static_cast<int>(f), step, box, static_cast<unsigned>(mine()));
      input.patches[f].push_back(memory.back().patch());
    }
  }
  if (run.keep) input.keep = run.keep(step, comm.rank(), input);
}

Status write_step(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run, Index step) {
  StepData data(comm, run, step);
  find_devices(pipeline, data.input);
  return pipeline.write_step(std::move(data.input));
}

Status commit_step(WritePipeline& pipeline, const Communicator& comm, const RunPlan& run, Index step) {
  StepData data(comm, run, step);
  return commit_step(pipeline, data);
}

Status commit_step(WritePipeline& pipeline, StepData& data) {
  find_devices(pipeline, data.input);
  const Status written = pipeline.write_step(std::move(data.input));
  return written.ok() ? pipeline.flush() : written;
}

Status write_on_rank(const Communicator& comm, const std::shared_ptr<Store>& store, const RunPlan& run) {
  auto pipeline = open_run(comm, store, run);
  if (!pipeline.ok()) return pipeline.status();
  for (Index step = run.first_step; step < run.end_step; ++step) {
    const Status status = write_step(**pipeline, comm, run, step);
    if (!status.ok()) return status;
  }
  return (*pipeline)->close({});
}

Status write_all(const std::function<std::shared_ptr<Store>(int rank)>& store_of_rank, const RunPlan& run) {
  std::vector<Status> results(static_cast<std::size_t>(run.n_ranks));
  const auto body = [&](const Communicator& comm) {
    results[static_cast<std::size_t>(comm.rank())] = write_on_rank(comm, store_of_rank(comm.rank()), run);
  };
  run_ranks(run.n_ranks, body, run.ranks_per_node);
  for (const Status& result : results) {
    EXPECT_EQ(result.code(), results[0].code());
    EXPECT_EQ(result.message(), results[0].message());
  }
  return results[0];
}

Status write_all(const std::shared_ptr<Store>& store, const RunPlan& run) {
  return write_all([&](int) { return store; }, run);
}

void expect_complete(const std::shared_ptr<Store>& store, const RunPlan& run, Index n_steps) {
  const auto opened = open_dataset(store, run.path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const OpenedDataset& dataset = **opened;
  ASSERT_EQ(static_cast<Index>(dataset.times.size()), n_steps);
  for (const std::string& warning : dataset.warnings) ADD_FAILURE() << warning;
  std::mt19937 random(5);
  for (std::size_t f = 0; f < dataset.schema.fields().size() && n_steps > 0; ++f) {
    const bool fixed = dataset.schema.fields()[f].fixed;
    for (Index step = 0; step < (fixed ? 1 : n_steps); ++step) expect_field(dataset, f, step, random);
  }
  const auto report = verify_dataset(store, run.path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  for (const Finding& finding : report->findings) {
    if (finding.is_error) ADD_FAILURE() << finding.path << ": " << finding.text;
  }
  const auto format = run.options.find("format");
  if (format != run.options.end() && format->second == "zarr") {  // raw shards have no checksums
    EXPECT_LE(report->blocks_with_checksum, report->blocks);
  } else {
    EXPECT_EQ(report->blocks_with_checksum, run.checksums ? report->blocks : 0);
  }
  EXPECT_EQ(report->bytes > 0, n_steps > 0 || !run.path.ends_with(".idx"));
}

std::vector<std::string> findings_of(const std::shared_ptr<Store>& store, const std::string& path) {
  const auto report = verify_dataset(store, path);
  if (!report.ok()) return {report.status().message()};
  std::vector<std::string> texts;
  for (const Finding& finding : report->findings) {
    if (!finding.path.ends_with(".esker-lock")) texts.push_back(finding.path + ": " + finding.text);
  }
  return texts;
}

void expect_same_files(Store& store, Store& expected, const std::string& directory,
                       const std::string& except) {
  const auto wanted = all_files(expected, directory);
  const auto files = all_files(store, directory);
  for (const auto& [path, bytes] : wanted) {
    ASSERT_TRUE(files.contains(path)) << path;
    ASSERT_TRUE(files.at(path) == bytes) << path << " differs";
  }
  for (const auto& [path, bytes] : files) {
    const bool may_be = !except.empty() && path.ends_with(except);
    ASSERT_TRUE(may_be || wanted.contains(path)) << path << " is one too many";
  }
}

}  // namespace esker::testing_support
