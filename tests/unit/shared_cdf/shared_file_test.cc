// What ranks put into a shared file is what they get out of it, whatever they bring.
#include "shared_cdf/shared_file.h"

#include <gtest/gtest.h>

#include "unit/shared_cdf/shared_file_case.h"

namespace esker::cdf {
namespace {

using namespace testing_support;  // NOLINT: cases

Options small_buffers() {
  Options options;
  options.collective_buffer_bytes = 4096;
  return options;
}

std::unique_ptr<SharedFile> create(const Communicator& comm, const std::shared_ptr<Store>& store,
                                   const Options& options = small_buffers()) {
  auto file = SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, options).value();
  define_all_shapes(file->definition());
  file->end_definition({}).check();
  return file;
}

class SharedFileTest : public testing::TestWithParam<int> {};

TEST_P(SharedFileTest, HasWhatAnyRanksPut) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const auto store = memory_store();
    Contents contents;
    run_ranks(GetParam(), [&](const Communicator& comm) {
      const auto file = create(comm, store);
      for (unsigned transfer = 0; transfer < 4; ++transfer) {
        auto of_rank = random_accesses(file->header(), comm.size(), 100 * seed + transfer);
        if (comm.rank() == 0) add_to(of_rank, contents);
        auto own = own_accesses(of_rank[static_cast<std::size_t>(comm.rank())]);
        file->put({}, own).check();
        for (const Access& access : own) ASSERT_FALSE(access.is_out_of_range);
      }
      file->sync().check();
      if (comm.rank() == 0) expect_contents(*file, contents);
      file->close().check();
    });
    if (HasFatalFailure()) return;
  }
}

TEST_P(SharedFileTest, WritesAgainWithThePlanOfTheFirstRecord) {
  const auto store = memory_store();
  Contents contents;
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    for (Index record = 0; record < 4; ++record) {
      std::mt19937 random(static_cast<unsigned>(7 * record + comm.rank()));
      std::vector<CaseAccess> mine(1);
      CaseAccess& each = mine[0];
      each.access.variable = 5;
      const Index first = 6 * comm.rank() / comm.size(), last = 6 * (comm.rank() + 1) / comm.size();
      each.access.start = {record, first, 0, 0};
      each.access.count = {1, last - first, 9, 13};
      each.values.resize(static_cast<std::size_t>((last - first) * 9 * 13));
      for (double& value : each.values) value = static_cast<double>(random() % 1000);
      auto own = own_accesses(mine);
      file->put({}, own).check();
      EXPECT_EQ(file->header().num_records, record + 1);
      CaseAccess back = each;
      for (double& value : back.values) value = -1;
      back.point();
      file->get({}, {&back.access, 1}).check();
      EXPECT_EQ(back.values, each.values);
    }
    EXPECT_EQ(file->num_plans(), 1);
    file->close().check();
  });
}

TEST_P(SharedFileTest, RecordsAreInTheFileWhenTheNextOneBegins) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    const auto records = [&] {
      return read_header(*store->open("run.nc", OpenMode::kRead).value()).value().num_records;
    };
    double time = 0;
    Access access;
    access.variable = 4;
    access.count = {1};
    access.memory_type = Type::kDouble;
    access.values = &time;
    for (Index record = 0; record < 3; ++record) {
      access.start = {record};
      time = static_cast<double>(record);
      file->put({}, {&access, 1}).check();
      comm.get()->barrier();
      EXPECT_EQ(records(), record);
      comm.get()->barrier();
    }
    file->sync().check();
    EXPECT_EQ(records(), 3);
    file->close().check();
  });
}

TEST_P(SharedFileTest, AnErrorOfOneRankIsItsOwn) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    const bool is_wrong = comm.rank() == comm.size() - 1;
    std::vector<double> x(13, comm.rank());
    Access access;
    access.variable = 1;
    access.start = {is_wrong ? 5 : 0};
    access.count = {13};
    access.memory_type = Type::kDouble;
    access.values = x.data();
    const Status put = file->put({}, {&access, 1});
    EXPECT_EQ(put.code(), is_wrong ? Code::kOutOfRange : Code::kOk) << put.message();
    const Status told = file->put(is_wrong ? Status(Code::kInvalidArgument, "mine") : Status(), {});
    EXPECT_EQ(told.code(), is_wrong ? Code::kInvalidArgument : Code::kOk);
    file->close().check();
  });
}

TEST_P(SharedFileTest, ValuesThatDoNotFitAreFillValues) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    const std::vector<double> values{1, 1e9, 3};
    Access access;
    access.variable = 6;
    access.start = {comm.rank(), 4};
    access.count = {1, 3};
    access.memory_type = Type::kDouble;
    access.values = values.data();
    file->put({}, {&access, 1}).check();
    EXPECT_TRUE(access.is_out_of_range);
    std::vector<std::int16_t> found(3);
    access.memory_type = Type::kShort;
    access.target = found.data();
    access.is_out_of_range = false;
    file->get({}, {&access, 1}).check();
    EXPECT_FALSE(access.is_out_of_range);
    EXPECT_EQ(found, (std::vector<std::int16_t>{1, -32767, 3}));
    file->close().check();
  });
}

TEST_P(SharedFileTest, OptionsThatOneRankCannotLoadAreAnErrorOfAll) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const bool is_wrong = comm.rank() == comm.size() - 1;
    const Result<Options> options =
        is_wrong ? Result<Options>(Status(Code::kInvalidArgument, "no such option")) : Result<Options>(Options());
    const auto file = SharedFile::create(comm.get(), store, "run.nc", Version::kClassic, true, options);
    EXPECT_EQ(file.status().code(), Code::kInvalidArgument);
    EXPECT_NE(file.status().message().find("no such option"), std::string::npos);
  });
}

TEST_P(SharedFileTest, DifferentDefinitionsAreAnErrorThatNamesThem) {
  if (GetParam() == 1) return;
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kClassic, true, Options()).value();
    file->definition().dims = {{"x", comm.rank() == 1 ? 4 : 5}};
    const Status ended = file->end_definition({});
    EXPECT_EQ(ended.code(), Code::kMismatchedCall);
    EXPECT_NE(ended.message().find("dimension 'x': length 4, on rank 0: 5"), std::string::npos)
        << ended.message();
    EXPECT_EQ(file->mismatch(), Mismatch::kDimLength);
    file->abandon().check();
  });
  EXPECT_FALSE(store->exists("run.nc").value());
}

TEST_P(SharedFileTest, ARedefinitionKeepsTheValues) {
  for (const bool moves : {false, true}) {
    const auto store = memory_store();
    Contents contents;
    run_ranks(GetParam(), [&](const Communicator& comm) {
      const auto file =
          SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, Options()).value();
      define_all_shapes(file->definition());
      file->end_definition(moves ? FileRoom{0, 4, 0, 4} : FileRoom{}).check();
      auto of_rank = random_accesses(file->header(), comm.size(), 5);
      if (comm.rank() == 0) add_to(of_rank, contents);
      auto own = own_accesses(of_rank[static_cast<std::size_t>(comm.rank())]);
      file->put({}, own).check();
      file->redefine().check();
      const Index before = file->header().variables[1].begin;
      file->definition().attributes.push_back(
          {"title", Type::kChar, std::vector<std::byte>(1000, std::byte{'a'})});
      Variable added;
      added.name = "added";
      added.type = Type::kDouble;
      added.dims = {2, 1};
      file->definition().variables.push_back(added);
      if (moves) {
        added.name = "added_record";
        added.dims = {0, 1};
        file->definition().variables.push_back(added);
      }
      file->end_definition({}).check();
      EXPECT_EQ(file->header().variables[1].begin != before, moves);
      if (comm.rank() == 0) expect_contents(*file, contents);
      file->close().check();
    });
    EXPECT_EQ(read_header(*store->open("run.nc", OpenMode::kRead).value()).value().attributes.size(), 1U);
  }
}

TEST_P(SharedFileTest, IndependentPutsOfAllRanksMeetAtSync) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    const double mine = 10 + comm.rank();
    Access access;
    access.variable = 4;
    access.start = {comm.rank()};
    access.count = {1};
    access.memory_type = Type::kDouble;
    access.values = &mine;
    file->put_alone({&access, 1}).check();
    file->sync().check();
    EXPECT_EQ(file->header().num_records, comm.size());
    std::vector<double> all(static_cast<std::size_t>(comm.size()));
    access.start = {0};
    access.count = {comm.size()};
    access.target = all.data();
    file->get({}, {&access, 1}).check();
    for (int r = 0; r < comm.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], 10 + r);
    file->close().check();
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedFileTest, testing::ValuesIn(kRankCounts));

}  // namespace
}  // namespace esker::cdf
