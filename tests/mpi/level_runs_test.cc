// Runs that write whole levels of a mesh (vtkhdf, vtkhdf+idx): the bytes are those of one rank, however
// samples move, and after appending and rewinding by any path of the dataset. Fields may be fixed or rare.
#include <gtest/gtest.h>

#include <filesystem>

#include "esker/esker.hpp"
#include "support/mpi_fixture.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

class LevelRunsTest : public MpiTest {
 protected:
  [[nodiscard]] RunPlan plan(const std::string& directory, const std::string& format) const {
    RunPlan run;
    run.n_ranks = comm_.size();
    run.end_step = 4;
    run.single = true;
    run.schema = mesh_schema();
    run.new_boxes_each_step = true;
    run.path = path(directory + "/run.vtkhdf.series");
    run.options["format"] = format;
    return run;
  }

  /// Expects the files of one rank that writes all steps. Collective; rank 0 looks.
  void expect_bytes_of_one_rank(RunPlan run, const std::map<std::string, std::string>& options) {
    comm_.get()->barrier();
    if (comm_.rank() == 0) {
      run.n_ranks = 1;
      run.first_step = 0;
      run.end_step = 4;
      run.options = options;
      const auto reference = memory_store();
      write_on_rank(Communicator::serial(), reference, run).check();
      expect_same_files(*posix_store(), *reference, std::filesystem::path(run.path).parent_path().string());
    }
    comm_.get()->barrier();
  }

  /// Reads each patch of a field at a step, which has the values that the field was given at `put_at`.
  void expect_patches(const Dataset& dataset, const std::string& name, Index step, Index put_at) {
    const Schema& schema = dataset.schema();
    const Field& field = *schema.find_field(name);
    const int number = static_cast<int>(&field - schema.fields().data());
    for (const MeshBox& patch : mesh_patches(put_at)) {
      std::vector<Point> points;
      for_each_point(patch.box, [&](const Point& p) { points.push_back(p); });
      const auto expected = expected_samples(field, number, put_at, points);
      std::vector<std::byte> found(expected.size());
      Query query{.field = name, .step = step, .box = patch.box};
      query.mesh_level = patch.level;
      const Status read = dataset.read(query, found.data(), found.size());
      ASSERT_TRUE(read.ok()) << read.message();
      EXPECT_TRUE(found == expected) << name << " at step " << step << ", level " << patch.level << ", "
                                     << patch.box.to_string();
    }
  }
};

// On one node, ranks write whole boxes without an exchange unless aggregate=true, as RunPlan has it.
TEST_F(LevelRunsTest, HaveTheSameBytesHoweverSamplesMove) {
  for (const std::string format : {"vtkhdf", "vtkhdf+idx"}) {
    std::vector<std::map<std::string, std::string>> ways = ways_to_move(comm_.size());
    for (const char* restructure : {"off", "default", "expanded", "8,4"}) {
      ways.push_back({{"restructure", restructure}, {"aggregators", "1"}});
    }
    ways.push_back({{"aggregate", "auto"}});
    if (format == "vtkhdf") ways.push_back({{"aggregate", "false"}});
    for (std::size_t n = 0; n < ways.size(); ++n) {
      SCOPED_TRACE(format + ", " + text_of(ways[n]));
      RunPlan run = plan(fmt::format("{}-{}", format, n), format);
      for (const auto& [name, value] : ways[n]) run.options[name] = value;
      const Status written = write_on_rank(comm_, posix_store(), run);
      ASSERT_TRUE(written.ok()) << written.message();
      expect_bytes_of_one_rank(run, {{"format", format}});
    }
  }
}

TEST_F(LevelRunsTest, AreContinuedByEachPathOfTheDataset) {
  for (const std::string format : {"vtkhdf", "vtkhdf+idx"}) {
    std::vector<std::string> names{"run.vtkhdf.series"};
    if (format == "vtkhdf+idx") names.emplace_back("run.idx");
    for (const std::string& name : names) {
      for (const Index first : {1, 2}) {
        SCOPED_TRACE(fmt::format("{}, {}, from step {}", format, name, first));
        RunPlan run = plan(fmt::format("{}-{}-{}", format, name, first), format);
        run.end_step = 3;
        write_on_rank(comm_, posix_store(), run).check();
        run.path = (std::filesystem::path(run.path).parent_path() / name).string();
        run.options.clear();  // the format is that of the files
        run.first_step = first;
        run.end_step = 4;
        const Status appended = write_on_rank(comm_, posix_store(), run);
        ASSERT_TRUE(appended.ok()) << appended.message();
        expect_bytes_of_one_rank(run, {{"format", format}});
      }
    }
  }
}

TEST_F(LevelRunsTest, HaveFixedFieldsAndFieldsOfSomeSteps) {
  for (const std::string format : {"vtkhdf", "vtkhdf+idx"}) {
    SCOPED_TRACE(format);
    RunPlan run = plan("fixed-" + format, format);
    run.schema->add_field({"area", 0, SampleType::kFloat32, 1, true, 1, {}}).status().check();
    write_on_rank(comm_, posix_store(), run).check();
    expect_bytes_of_one_rank(run, run.options);
    const Dataset dataset = Dataset::open(run.path).value();
    for (const Index step : {0, 1, 2, 3}) {
      ASSERT_NO_FATAL_FAILURE(expect_patches(dataset, "rho", step, step));
      EXPECT_EQ(dataset.has("vel", step).value(), step % 2 == 0);
      if (step % 2 == 1) continue;
      ASSERT_NO_FATAL_FAILURE(expect_patches(dataset, "vel", step, step));
    }
    for (const Index step : {0, 3}) ASSERT_NO_FATAL_FAILURE(expect_patches(dataset, "area", step, 0));
  }
}

}  // namespace
}  // namespace esker
