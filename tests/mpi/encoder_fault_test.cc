// An encoder that fails on some rank, at any block: all ranks return the same error, and no rank waits. The
// dataset keeps its committed steps, and the next attempt gives the bytes of a run without faults.
#include <gtest/gtest.h>

#include <cmath>

#include "support/fault_fixture.h"
#include "support/faulty_zfp.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its runs

class EncoderFaults : public FaultTest {
 protected:
  static constexpr Index kN = 40;

  /// One field of float64; all ranks take turns in one file, or each rank stores separate files, or chunks of
  /// one file.
  enum class Files { kSharedIdx, kIdx, kNetcdf4 };
  [[nodiscard]] RunPlan run(Files files) const {
    const bool is_idx = files != Files::kNetcdf4;
    RunPlan run = plan({"Zfp", is_idx ? "idx" : "netcdf4", is_idx, "zfp-accuracy=1e-3"},
                       std::to_string(static_cast<int>(files)) + "/");
    run.options["bits_per_block"] = "9";
    run.options["blocks_per_file"] = files == Files::kSharedIdx ? "100000" : "4";
    run.options["chunks"] = is_idx ? "auto" : "20,10,4";
    run.options["collective_buffer"] = "8K";
    return run;
  }

  static Schema schema() {
    Schema schema;
    const DimId x = schema.add_dim("x", kN).value(), y = schema.add_dim("y", kN).value();
    const DimId z = schema.add_dim("z", kN).value();
    const int grid = schema.add_grid("xyz", {x, y, z}).value().index;
    schema.add_field({"t", grid, SampleType::kFloat64, 1, false, 1, {}}).status().check();
    return schema;
  }

  Result<std::unique_ptr<WritePipeline>> create(const Communicator& comm, const std::shared_ptr<Store>& store,
                                                const RunPlan& run) {
    ESKER_ASSIGN_OR_RETURN(auto pipeline,
                           WritePipeline::create(comm.get(), store, run.path, options_of(run)));
    ESKER_RETURN_IF_ERROR(pipeline->define({}, schema()));
    return pipeline;
  }

  /// Collective; rank 0 looks.
  void expect_files(const std::string& directory, const std::map<std::string, std::string>& expected) {
    comm_.get()->barrier();
    if (comm_.rank() == 0) {
      EXPECT_TRUE(all_files(*posix_store(), directory) == expected);
    }
    comm_.get()->barrier();
  }

  Status write_step(WritePipeline& pipeline, const Communicator& comm, Index step) {
    const Box mine = BrickDecomposition::near_cubic(3, {kN, kN, kN}, comm.size()).value().box(comm.rank());
    std::vector<double> samples;
    for_each_point(mine, [&](const Point& p) {
      samples.push_back(
          std::sin(0.1 * static_cast<double>(p[0] + 2 * p[1]) + static_cast<double>(p[2] + step)));
    });
    StepInput input{{}, step, static_cast<double>(step), {}};
    input.patches.push_back({Patch::dense(mine, samples.data())});
    return pipeline.write_step(std::move(input));
  }
};

TEST_F(EncoderFaults, AreAgreedAndLeaveNoDebris) {
  for (const Files files : {Files::kIdx, Files::kSharedIdx, Files::kNetcdf4}) {
#ifndef ESKER_HAVE_HDF5
    if (files == Files::kNetcdf4) continue;
#endif
    const RunPlan plan = run(files);
    const auto reference = memory_store();
    if (comm_.rank() == 0) {
      const auto alone = create(Communicator::serial(), reference, plan).value();
      for (const Index step : {0, 1}) write_step(*alone, Communicator::serial(), step).check();
      alone->close({}).check();
    }
    const auto pipeline = create(comm_, posix_store(), plan).value();
    write_step(*pipeline, comm_, 0).check();
    const std::string directory = std::filesystem::path(plan.path).parent_path().string();
    const auto committed = all_files(*posix_store(), directory);
    comm_.get()->barrier();
    for (const int victim : victims()) {
      for (const int n_good : {0, 1, 5}) {
        const std::string name = "rank " + std::to_string(victim) + ", block " + std::to_string(n_good);
        SCOPED_TRACE(name);
        const Watchdog watchdog(name);
        Status status;
        int num_failed = 0;
        if (is_victim(victim)) {
          const FailingEncoder failing(n_good);
          status = write_step(*pipeline, comm_, 1);
          num_failed = FailingEncoder::num_failed();
        } else {
          status = write_step(*pipeline, comm_, 1);
        }
        if (lowest_rank_with(num_failed > 0) < 0) {  // the rank has so few blocks
          status.check();
          pipeline->rewind({}, 0).check();
          continue;
        }
        expect_everywhere(status, Code::kInternal);
        expect_files(directory, committed);
      }
    }
    write_step(*pipeline, comm_, 1).check();
    pipeline->close({}).check();
    comm_.get()->barrier();
    if (comm_.rank() == 0) expect_same_files(*posix_store(), *reference, directory);
    comm_.get()->barrier();
  }
}

}  // namespace
}  // namespace esker
