// Ranks of MPI put random boxes into a shared file, with every transport and few aggregators.
#include <gtest/gtest.h>

#include "support/mpi_fixture.h"
#include "support/transport_cases.h"
#include "unit/shared_cdf/shared_file_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its cases

class SharedCdfTest : public MpiTest, public testing::WithParamInterface<int> {};

TEST_P(SharedCdfTest, HasWhatAnyRanksPut) {
  Options options;
  options.collective_buffer_bytes = 4096;
  options.transport = kTransports[static_cast<std::size_t>(GetParam())];
  options.aggregators = comm_.size() / 2;
  const auto store = posix_store();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Contents contents;
    const auto file =
        cdf::SharedFile::create(comm_.get(), store, path("run.nc"), netcdf::Version::kData64, true, options)
            .value();
    define_all_shapes(file->definition());
    file->end_definition({}).check();
    for (unsigned transfer = 0; transfer < 4; ++transfer) {
      const int most = transfer == 2 ? 100 : 4;  // with a plan or without
      auto of_rank = random_accesses(file->header(), comm_.size(), 100 * seed + transfer, most);
      add_to(of_rank, contents);
      auto own = own_accesses(of_rank[static_cast<std::size_t>(comm_.rank())]);
      file->put({}, own).check();
    }
    file->sync().check();
    if (is_last_rank()) expect_contents(*file, contents);
    file->close().check();
  }
}

/// The values of a box in all of a variable's, which are their positions.
std::vector<double> expected_of(const cdf::Access& access, Index height, Index width) {
  std::vector<double> values;
  for_each_value(access, [&](const std::vector<Index>& at, std::size_t) {
    values.push_back(static_cast<double>((at[0] * height + at[1]) * width + at[2]));
  });
  return values;
}

// Boxes overlap between ranks, or not; one rank wants nothing; then all want the same. Plans run twice.
TEST_P(SharedCdfTest, GetsTogetherWhatEachRankWants) {
  constexpr Index kPlanes = 5, kHeight = 21, kWidth = 33;
  Options options;
  options.collective_buffer_bytes = 4096;
  options.transport = kTransports[static_cast<std::size_t>(GetParam())];
  options.aggregators = comm_.size() / 2;
  options.aggregate_reads = true;
  const auto store = posix_store();
  const auto file =
      cdf::SharedFile::create(comm_.get(), store, path("run.nc"), netcdf::Version::kData64, true, options)
          .value();
  file->definition().dims = {{"z", kPlanes}, {"y", kHeight}, {"x", kWidth}};
  file->definition().variables.push_back({"a", {0, 1, 2}, {}, netcdf::Type::kDouble});
  file->end_definition({}).check();
  cdf::Access all;
  all.variable = 0;
  all.start = {0, 0, 0};
  all.count = {kPlanes, kHeight, kWidth};
  all.memory_type = netcdf::Type::kDouble;
  std::vector<double> values = expected_of(all, kHeight, kWidth);
  all.values = values.data();
  file->put({}, {&all, comm_.rank() == 0 ? 1U : 0U}).check();
  for (int turn = 0; turn < 6; ++turn) {
    const int mine = turn < 4 ? comm_.rank() : 0;
    cdf::Access access = all;
    access.start = {turn / 2, mine % 7, (3 * mine) % 20};
    access.count = {turn < 2 && mine == 1 ? 0 : 3, kHeight - access.start[1], 13};
    const std::vector<double> expected = expected_of(access, kHeight, kWidth);
    std::vector<double> found(expected.size(), -1);
    access.target = found.data();
    file->get({}, {&access, 1}).check();
    EXPECT_EQ(found, expected);
  }
  const bool by_plan = comm_.size() > 1;
  EXPECT_EQ(file->num_plans(), by_plan ? 3 : 1);
  file->close().check();
}

INSTANTIATE_TEST_SUITE_P(Transports, SharedCdfTest, testing::Range(0, static_cast<int>(kTransports.size())));

}  // namespace
}  // namespace esker
