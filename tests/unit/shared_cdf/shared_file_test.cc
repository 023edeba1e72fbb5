// What ranks put into a shared file is what they get out of it, whatever they bring.
#include "shared_cdf/shared_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <tuple>

#include "shared_cdf/header_edit.h"
#include "store/faulty_store.h"
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
        const int most = transfer == 2 ? 100 : 4;  // with a plan or without
        auto of_rank = random_accesses(file->header(), comm.size(), 100 * seed + transfer, most);
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
    const Result<Options> options = is_wrong
                                        ? Result<Options>(Status(Code::kInvalidArgument, "no such option"))
                                        : Result<Options>(Options());
    const auto file = SharedFile::create(comm.get(), store, "run.nc", Version::kClassic, true, options);
    EXPECT_EQ(file.status().code(), Code::kInvalidArgument);
    EXPECT_NE(file.status().message().find("no such option"), std::string::npos);
  });
}

TEST_P(SharedFileTest, SyncsTheDeviceWhenTheOptionSays) {
  for (const auto& [fsync, at_sync, at_close] :
       {std::tuple(Fsync::kNone, false, false), std::tuple(Fsync::kStep, true, true),
        std::tuple(Fsync::kClose, false, true)}) {
    std::atomic<int> syncs = 0;
    const auto store = faulty_store(memory_store(), [&](StoreCall call, const std::string&) {
      syncs += call == StoreCall::kSync ? 1 : 0;
      return 0;
    });
    run_ranks(GetParam(),
              [&, fsync = fsync, at_sync = at_sync, at_close = at_close](const Communicator& comm) {
                Options options = small_buffers();
                options.fsync = fsync;
                const auto file = create(comm, store, options);
                const auto syncs_of = [&](const auto& call) {
                  comm.get()->barrier();
                  const int before = syncs;
                  comm.get()->barrier();
                  call();
                  comm.get()->barrier();
                  return syncs - before;
                };
                EXPECT_EQ(syncs_of([&] { file->sync().check(); }) > 0, at_sync);
                EXPECT_EQ(syncs_of([&] { file->close().check(); }) > 0, at_close);
              });
  }
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

// Also of variables that have values, and begin behind 2^32 bytes.
TEST_P(SharedFileTest, DifferentVariablesAndVersionsAreNamed) {
  if (GetParam() == 1) return;
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const bool differs = comm.rank() == comm.size() - 1;
    const auto file = SharedFile::create(comm.get(), null_store(), "run.nc",
                                         differs ? Version::kOffset64 : Version::kData64, true, Options())
                          .value();
    Header& header = file->definition();
    header.dims = {{"x", Index{1} << 31}};
    for (const char* name : {"a", "b", "c"}) header.variables.push_back({name, {0}, {}, Type::kByte});
    header.dims.push_back({"t", 0});
    header.variables.push_back({"d", {1}, {}, Type::kByte});
    EXPECT_EQ(file->end_definition({}).code(), Code::kMismatchedCall);
    EXPECT_EQ(file->mismatch(), Mismatch::kOther);
    header.version = Version::kOffset64;
    if (differs) header.variables[2].name = "other";
    EXPECT_EQ(file->end_definition({}).code(), Code::kMismatchedCall);
    EXPECT_EQ(file->mismatch(), Mismatch::kVariableName);
    file->abandon().check();
  });
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
      EXPECT_EQ(file->moved_bytes() > 0, moves);
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

// A rank that has put later records alone knows more of them than the others.
TEST_P(SharedFileTest, RecordsThatOneRankPutAloneAreKnownAfterTheNextTransfer) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    const double mine = comm.rank();
    Access access;
    access.variable = 4;
    access.start = {0};
    access.count = {1};
    access.memory_type = Type::kDouble;
    access.values = &mine;
    file->put({}, {&access, 1}).check();
    if (comm.rank() == comm.size() - 1) {
      access.start = {5};
      file->put_alone({&access, 1}).check();
    }
    access.start = {1};
    file->put({}, {&access, 1}).check();
    EXPECT_EQ(file->header().num_records, 6);
    if (comm.rank() == 0) {
      access.start = {7};
      file->put_alone({&access, 1}).check();
    }
    file->fill(4, 6).check();
    EXPECT_EQ(file->header().num_records, 8);
    file->close().check();
  });
  EXPECT_EQ(read_header(*store->open("run.nc", OpenMode::kRead).value()).value().num_records, 8);
}

TEST_P(SharedFileTest, RoomThatDiffersBetweenRanksIsAnError) {
  if (GetParam() == 1) return;
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kClassic, true, Options()).value();
    define_all_shapes(file->definition());
    FileRoom room;
    room.spare_header_bytes = comm.rank();
    EXPECT_EQ(file->end_definition(room).code(), Code::kMismatchedCall);
    EXPECT_EQ(file->mismatch(), Mismatch::kNone);
    room.spare_header_bytes = -1;
    EXPECT_EQ(file->end_definition(room).code(), Code::kInvalidArgument);
    file->end_definition({}).check();
    file->close().check();
  });
}

TEST_P(SharedFileTest, ARedefinitionCannotChangeLengths) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    file->redefine().check();
    const Header before = file->header();
    file->definition().dims[2].length = 10;
    EXPECT_EQ(file->end_definition({}).code(), Code::kInvalidArgument);
    file->definition().dims = before.dims;
    file->definition().dims[2].name = "latitude";
    file->end_definition({}).check();
    file->close().check();
  });
}

// Offsets beyond 63 bits, and numbers of records beyond those that the version can state.
TEST_P(SharedFileTest, RecordsThatTheFileCannotHaveAreErrors) {
  for (const auto& [version, most] :
       {std::pair(Version::kOffset64, (Index{1} << 31) - 1), std::pair(Version::kData64, Index{1} << 53)}) {
    const auto store = null_store();
    run_ranks(GetParam(), [&, version = version, most = most](const Communicator& comm) {
      const auto file = SharedFile::create(comm.get(), store, "run.nc", version, true, Options()).value();
      file->definition().dims = {{"t", 0}, {"x", 512}};
      Variable variable{"a", {0, 1}, {}, Type::kShort};
      file->definition().variables.push_back(variable);
      file->end_definition({}).check();
      const std::int16_t value = 1;
      Access access;
      access.variable = 0;
      access.start = {most, 0};
      access.count = {1, 1};
      access.memory_type = Type::kShort;
      access.values = &value;
      EXPECT_EQ(file->put({}, {&access, 1}).code(), Code::kOutOfRange);
      EXPECT_EQ(file->put_alone({&access, 1}).code(), Code::kOutOfRange);
      EXPECT_EQ(file->fill(0, most).code(), Code::kOutOfRange);
      EXPECT_EQ(file->fill(0, std::numeric_limits<Index>::max()).code(), Code::kOutOfRange);
      EXPECT_EQ(file->header().num_records, 0);
      if (version == Version::kOffset64) {
        access.start = {most - 1, 0};
        file->put({}, {&access, 1}).check();
        file->sync().check();
      }
      const Index held = version == Version::kOffset64 ? most : 0;
      EXPECT_EQ(file->header().num_records, held);
      file->close().check();
      const auto header = read_header(*store->open("run.nc", OpenMode::kRead).value());
      EXPECT_EQ(header.value().num_records, held);
    });
  }
}

TEST_P(SharedFileTest, StridesOfMemoryBeyond63BitsAreErrors) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = create(comm, store);
    double value = 0;
    Access access;
    access.variable = 1;
    access.start = {0};
    access.count = {13};
    access.map_bytes = {std::numeric_limits<Index>::max() / 4};
    access.memory_type = Type::kDouble;
    access.values = access.target = &value;
    EXPECT_EQ(file->put_alone({&access, 1}).code(), Code::kInvalidArgument);
    EXPECT_EQ(file->get_alone({&access, 1}).code(), Code::kInvalidArgument);
    access.map_bytes = {std::numeric_limits<Index>::min()};
    EXPECT_EQ(file->put_alone({&access, 1}).code(), Code::kInvalidArgument);
    access.count = {0};
    file->put_alone({&access, 1}).check();
    file->close().check();
  });
}

// A job that was killed in a redefinition has left a journal; the file that takes the place of its file is
// not changed by it.
TEST_P(SharedFileTest, ANewFileIsNotChangedByAnOldJournal) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    create(comm, store)->close().check();
    if (comm.rank() == 0) {
      const auto file = store->open("run.nc", OpenMode::kRead).value();
      Header header = read_header(*file).value();
      header.variables[0].name = "renamed";
      std::vector<std::byte> journal;
      const auto rule = [](StoreCall call, const std::string& path) {
        return call == StoreCall::kRemove && path.ends_with(".header") ? EIO : 0;
      };
      EXPECT_FALSE(edit_header(*faulty_store(store, rule), "run.nc", print_header(header), false).ok());
      EXPECT_TRUE(store->exists(header_journal_of("run.nc")).value());
    }
    create(comm, store)->close().check();
    const auto file = SharedFile::open(comm.get(), store, "run.nc", true, Options()).value();
    EXPECT_EQ(file->header().variables[0].name, "scalar");
    file->close().check();
    EXPECT_FALSE(store->exists(header_journal_of("run.nc")).value());
  });
}

// Other programs order the values as they like.
TEST_P(SharedFileTest, AFileWhoseLaterVariableComesFirstGetsCompleteRecords) {
  const auto store = memory_store();
  Header header;
  header.dims = {{"t", 0}, {"x", 5}};
  header.variables = {{"late", {0, 1}, {}, Type::kDouble}, {"early", {0}, {}, Type::kDouble}};
  header.variables[1].begin = 1024;
  header.variables[0].begin = 1032;
  store->open("run.nc", OpenMode::kWrite).value()->write_at(print_header(header), 0).check();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    const auto file = SharedFile::open(comm.get(), store, "run.nc", true, Options()).value();
    const double value = 7;
    Access access;
    access.variable = 1;
    access.start = {1};
    access.count = {1};
    access.memory_type = Type::kDouble;
    access.values = &value;
    file->put({}, {&access, 1}).check();
    file->close().check();
  });
  EXPECT_EQ(store->open("run.nc", OpenMode::kRead).value()->size_bytes().value(), 1024 + 2 * 48);
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedFileTest, testing::ValuesIn(kRankCounts));

}  // namespace
}  // namespace esker::cdf
