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

INSTANTIATE_TEST_SUITE_P(Transports, SharedCdfTest, testing::Range(0, static_cast<int>(kTransports.size())));

}  // namespace
}  // namespace esker
