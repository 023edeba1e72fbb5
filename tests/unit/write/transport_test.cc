// The conformance suite of transports on threads as ranks, without MPI.
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <string>

#include "store/faulty_store.h"
#include "support/thread_comm.h"
#include "support/transport_cases.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: runs

class TransportOnThreads : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] Transport transport() const { return kTransports[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(TransportOnThreads, WritesTheFilesOfOneRank) {
  for (const int n_ranks : {1, 2, 4, 7}) {
    for (RunPlan run : transport_runs(transport(), n_ranks)) {
      RunPlan serial = run;
      serial.n_ranks = 1;
      serial.aggregators = 0;
      serial.options.clear();
      serial.memory_budget = RunPlan().memory_budget;
      const auto reference = memory_store();
      ASSERT_TRUE(write_all(reference, serial).ok());
      for (const int per_node : {0, 1, 3}) {
        run.ranks_per_node = per_node;
        SCOPED_TRACE(name_of(run));
        const auto store = memory_store();
        const Status status = write_all(store, run);
        ASSERT_TRUE(status.ok()) << status.message();
        expect_same_files(*store, *reference, ".");
      }
    }
  }
}

TEST_P(TransportOnThreads, ARankThatCannotStoreStillMovesItsBytes) {
  for (const int failing_rank : {0, 3}) {
    const auto inner = memory_store();
    RunPlan run = transport_runs(transport(), 4).back();
    run.ranks_per_node = 2;
    const auto store_of_rank = [&](int rank) {
      return faulty_store(inner, [=](StoreCall call, const std::string& path) {
        const bool is_block = path.find(".bin") != std::string::npos;
        return rank == failing_rank && call == StoreCall::kWrite && is_block ? ENOSPC : 0;
      });
    };
    const Status failed = write_all(store_of_rank, run);
    EXPECT_EQ(failed.code(), Code::kIoError) << failed.message();
    EXPECT_NE(failed.message().find("rank " + std::to_string(failing_rank)), std::string::npos);
  }
}

/// The transport that a step uses in which each rank holds one row.
std::string transport_used(const Communicator& comm, const std::map<std::string, std::string>& settings) {
  Schema schema;
  const DimId x = schema.add_dim("x", 40).value();
  const DimId y = schema.add_dim("y", comm.size()).value();
  const GridId grid = schema.add_grid("xy", {x, y}).value();
  schema.add_field({"a", grid.index, SampleType::kFloat64, 1, false, 1, {}}).status().check();
  const std::vector<double> samples(40, 1.5);
  Options options;
  options.report = "none";
  options.bits_per_block = 6;
  for (const auto& [name, value] : settings) options.set(name, value).check();
  const char* path = settings.contains("format") ? "run.nc" : "run.idx";
  auto pipeline = WritePipeline::create(comm.get(), memory_store(), path, options).value();
  pipeline->define({}, schema).check();
  StepInput input{{}, 0, 0, {{}}};
  Box row = schema.box_of(schema.grids()[0]);
  row.lo[1] = comm.rank();
  row.hi[1] = comm.rank() + 1;
  input.patches[0].push_back(Patch::dense(row, samples.data()));
  pipeline->write_step(std::move(input)).check();
  return pipeline->report().value().transport.used;
}

TEST(AutoTransport, UsesLeadersIfManyRanksOfANodeSendToAnother) {
  constexpr int kRanks = 24;
  for (const int per_node : {8, 9, 12, kRanks}) {
    const bool many = per_node > 8 && per_node < kRanks;
    run_ranks(
        kRanks,
        [&](const Communicator& comm) {
          EXPECT_EQ(transport_used(comm, {{"aggregators", "1"}}), many ? "leaders" : "shared");
        },
        per_node);
  }
}

TEST(PutTypes, ArePackedBetweenPartitions) {
  const std::map<std::string, std::string> divided{{"transport", "put_types"}, {"partitions", "2"}};
  run_ranks(4, [&](const Communicator& comm) { EXPECT_EQ(transport_used(comm, divided), "put_fence"); });
}

#ifdef ESKER_HAVE_HDF5
TEST(PutTypes, AreUsedWherePartitionsAreFilesWithoutRanks) {
  const std::map<std::string, std::string> divided{
      {"transport", "put_types"}, {"partitions", "2"}, {"partition_index", "local"}, {"format", "netcdf4"}};
  run_ranks(4, [&](const Communicator& comm) { EXPECT_EQ(transport_used(comm, divided), "put_types"); });
}
#endif

INSTANTIATE_TEST_SUITE_P(All, TransportOnThreads, testing::Range(0, static_cast<int>(kTransports.size())),
                         [](const auto& test) {
                           return std::string(kTransportNames[static_cast<std::size_t>(test.param)]);
                         });

}  // namespace
}  // namespace esker
