// The lists of boxes, and plans that are kept, count in the memory budget.
#include <gtest/gtest.h>

#include "unit/shared_cdf/shared_file_case.h"

namespace esker::cdf {
namespace {

using namespace testing_support;  // NOLINT: cases

constexpr Index kShapes = 6, kBoxes = 60;  // more would be moved without a plan

/// Puts every other value of variable `number`, each of which is a box.
Status put_boxes(SharedFile& file, int number, int rank) {
  const std::vector<double> values(kBoxes, number);
  Access access;
  access.variable = number;
  access.start = {rank * 2 * kBoxes};
  access.count = {kBoxes};
  access.step = {2};
  access.memory_type = Type::kDouble;
  access.values = values.data();
  return file.put({}, {&access, 1});
}

/// How many plans are made where variables of several shapes are put twice, or the first error.
Result<Index> plans_with(Index budget) {
  const auto store = memory_store();
  Result<Index> plans(Status(Code::kInternal, "none"));
  run_ranks(2, [&](const Communicator& comm) {
    Options options;
    options.memory_budget_bytes = budget;
    options.collective_buffer_bytes = 64 << 10;
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, options).value();
    for (Index shape = 0; shape < kShapes; ++shape) {
      const std::string name = "x" + std::to_string(shape);
      file->definition().dims.push_back({name, 4 * kBoxes + shape});
      file->definition().variables.push_back({name, {static_cast<int>(shape)}, {}, Type::kDouble});
    }
    file->end_definition({}).check();
    Status status;
    for (int n = 0; n < 2 * kShapes && status.ok(); ++n) {
      status = put_boxes(*file, n % kShapes, comm.rank());
    }
    if (comm.rank() == 0) plans = status.ok() ? Result<Index>(file->num_plans()) : Result<Index>(status);
    file->close().check();
  });
  return plans;
}

TEST(SharedFileBudget, PlansAreForgottenWhereItIsSmall) {
  EXPECT_EQ(plans_with(Index{1} << 30).value(), kShapes);
  const Index list_bytes = kBoxes * static_cast<Index>(sizeof(Box));
  Index budget = list_bytes;  // less than the boxes, their claims and the plan need
  const auto too_small = plans_with(budget);
  EXPECT_EQ(too_small.status().code(), Code::kOutOfMemory);
  while (plans_with(budget).status().code() == Code::kOutOfMemory) budget += list_bytes;
  const auto least = plans_with(budget);
  ASSERT_TRUE(least.ok()) << least.status().message();
  EXPECT_EQ(*least, 2 * kShapes) << budget;
}

}  // namespace
}  // namespace esker::cdf
