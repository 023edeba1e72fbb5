#include "output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "esker/dataset.hpp"
#include "named_grids.h"
#include "reduce.h"
#include "verify.h"

namespace pism {
namespace {

/// A state of 15 x 33 columns whose samples all differ, its ghosts poisoned, and a folder to write to.
class OutputTest : public ::testing::TestWithParam<esker::SampleType> {
 protected:
  OutputTest() : grid_(make_grid(axis(15), axis(33), 7, 600)), state_(grid_) {
    double value = 1;
    for (Array<double>* array : {&state_.topg, &state_.thk, &state_.usurf, &state_.velsurf_mag, &state_.temp,
                                 &state_.uvel, &state_.vvel}) {
      array->fill(-999);
      for_own(grid_, [&](Index i, Index j) {
        for (Index k = 0; k < array->levels(); ++k) array->column(i, j)[k] = value += 0.25;
      });
    }
  }
  ~OutputTest() override { std::filesystem::remove_all(folder_); }

  static std::vector<double> axis(int n) {
    std::vector<double> values(n);
    for (int i = 0; i < n; ++i) values[i] = 1000.0 * i;
    return values;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("pism_output_" + std::to_string(getpid()));
  std::string path_ = (folder_ / "run.idx").string();
  Grid grid_;
  State state_;
};

TEST_P(OutputTest, StepsReadBackEqualMemory) {
  Output output(path_, esker::Communicator::serial(), grid_, GetParam(), {});
  output.write(state_);
  EXPECT_EQ(output.last_put().size(), 8U);  // topg in the first step only
  verify_step(path_, 0, output.last_put());
  state_.time = 5;
  for (double& v : state_.thk.values()) v += 1;
  output.write(state_);
  EXPECT_EQ(output.last_put().size(), 7U);
  verify_step(path_, 1, output.last_put());
  EXPECT_THROW(verify_step(path_, 0, output.last_put()), std::runtime_error);
  output.close();
}

TEST_P(OutputTest, VerificationNamesFieldAndIndex) {
  Output output(path_, esker::Communicator::serial(), grid_, GetParam(), {});
  output.write(state_);
  std::vector<PutField> fields = output.last_put();
  for (PutField& field : fields) {
    if (field.name != "uvel") continue;
    const auto& stride = field.patch.stride_bytes;  // flips one bit of sample (3, 20, 5)
    const auto* data = static_cast<const unsigned char*>(field.patch.data);
    const_cast<unsigned char*>(data)[3 * stride[0] + 20 * stride[1] + 5 * stride[2]] ^= 1;
  }
  try {
    verify_step(path_, 0, fields);
    FAIL() << "no error";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("'uvel', step 0: sample (3, 20, 5)"), std::string::npos) << e.what();
  }
}

TEST_P(OutputTest, SchemaFollowsCf) {
  state_.time = 10;
  Output output(path_, esker::Communicator::serial(), grid_, GetParam(), {});
  output.write(state_);
  output.close();
  const auto dataset = esker::Dataset::open(path_).value();
  EXPECT_EQ(dataset.steps(), std::vector<double>{3650});
  EXPECT_EQ(std::get<std::string>(dataset.schema().time_attributes().at("calendar")), "365_day");
  const esker::Field* temp = dataset.schema().find_field("temp");
  ASSERT_NE(temp, nullptr);
  EXPECT_EQ(temp->type, GetParam());
  EXPECT_EQ(std::get<std::string>(temp->attributes.at("standard_name")), "land_ice_temperature");
  EXPECT_EQ(std::get<std::string>(temp->attributes.at("units")), "K");
  EXPECT_EQ(dataset.schema().grids()[temp->grid].coords.at("z"), grid_.z);
  EXPECT_TRUE(dataset.schema().find_field("topg")->fixed);
  const esker::Scalar* mapping =
      dataset.schema().find_scalar(std::get<std::string>(temp->attributes.at("grid_mapping")));
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(std::get<std::string>(mapping->attributes.at("grid_mapping_name")), "polar_stereographic");
}

TEST_P(OutputTest, KeepsExistingDatasets) {
  Output output(path_, esker::Communicator::serial(), grid_, GetParam(), {});
  output.write(state_);
  output.close();
  EXPECT_THROW(Output(path_, esker::Communicator::serial(), grid_, GetParam(), {}), AgreedError);
}

INSTANTIATE_TEST_SUITE_P(Precision, OutputTest,
                         ::testing::Values(esker::SampleType::kFloat32, esker::SampleType::kFloat64),
                         [](const auto& test) { return std::string(esker::name(test.param)); });

// The grids that no test machine holds are planned: all of their bytes, within the budget.
TEST(PlanOutput, OfEveryNamedGridStaysWithinTheBudget) {
  for (const NamedGrid& named : kNamedGrids) {
    SCOPED_TRACE(std::string(named.name));
    Grid grid;
    grid.Mx = named.grid.Mx;
    grid.My = named.grid.My;
    grid.Mz = named.grid.Mz;
    const esker::Options options{};
    const auto plan = plan_output(grid, esker::SampleType::kFloat64, 16, options);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const Index map = grid.Mx * grid.My;
    EXPECT_EQ(plan->data_bytes, 8 * map * (4 + 4 * grid.Mz));
    EXPECT_LE(static_cast<double>(plan->stored_bytes), 1.25 * static_cast<double>(plan->data_bytes));
    EXPECT_LE(plan->buffer_bytes.max, options.memory_budget_bytes);
    EXPECT_EQ(plan->writers, 16);
  }
}

}  // namespace
}  // namespace pism
