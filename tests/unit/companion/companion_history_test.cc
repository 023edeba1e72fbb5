// Files that are put in parts, defined again, or opened again.
#include <gtest/gtest.h>

#include "unit/companion/companion_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cases

constexpr Index kLength = 12;
enum Number { kTime, kA, kB, kFixed };

/// The times of records, two fields of records, a fixed one.
void define_small(cdf::Header& header) {
  using netcdf::Type;
  header.dims = {{"time", 0}, {"y", kLength}};
  header.variables = {{"time", {0}, {}, Type::kDouble},
                      {"a", {0, 1}, {}, Type::kDouble},
                      {"b", {0, 1}, {}, Type::kDouble},
                      {"fixed", {1}, {}, Type::kDouble}};
}

/// Values of a variable: those of `salt`.
CaseAccess values_for(Number number, Index first, Index end, double salt) {
  CaseAccess made;
  made.access.variable = number;
  made.access.start = {first};
  made.access.count = {end - first};
  for (Index record = first; record < end; ++record) {
    for (Index y = 0; y < (number == kTime ? 1 : kLength); ++y) {
      made.values.push_back(salt + static_cast<double>(number == kTime ? record : 100 * number + y));
    }
  }
  return made;
}

/// All ranks put records [first, end) of variables in one call, `y` below `hi`; rank 0 puts times.
Status put(Pair& pair, const Communicator& comm, const std::vector<Number>& numbers, Index first, Index end,
           double salt = 10, Index hi = kLength) {
  std::vector<CaseAccess> mine;
  for (const Number number : numbers) {
    CaseAccess each = values_for(number, first, end, salt);
    const Index lo = hi * comm.rank() / comm.size();
    if (number == kTime) {
      if (comm.rank() > 0) each.access.count[0] = 0;
    } else {
      each.access.start.push_back(lo);
      each.access.count.push_back(hi * (comm.rank() + 1) / comm.size() - lo);
    }
    mine.push_back(std::move(each));
  }
  auto own = own_accesses(mine);
  return pair.put(own);
}

/// A file, and a dataset with its records as steps.
void write_small(const Communicator& comm, const std::shared_ptr<Store>& store, Index num_records,
                 double salt = 10) {
  Pair pair(comm, store, "idx", define_small);
  for (Index record = 0; record < num_records; ++record) {
    for (const Number number : {kTime, kA, kB}) put(pair, comm, {number}, record, record + 1, salt).check();
  }
  pair.close().check();
  comm.get()->barrier();
}

/// A new file in the place of run.nc, without a dataset, with this many records.
void write_alone(const Communicator& comm, const std::shared_ptr<Store>& store,
                 const std::function<void(cdf::Header&)>& define, Index num_records) {
  const auto file =
      cdf::SharedFile::create(comm.get(), store, "run.nc", cdf::Version::kData64, true, Pair::quiet())
          .value();
  define(file->definition());
  file->end_definition({}).check();
  std::vector<CaseAccess> times{values_for(kTime, 0, num_records, 10)};
  auto own = own_accesses(times);
  if (num_records > 0) file->put({}, own).check();
  file->close().check();
  comm.get()->barrier();
}

std::vector<double> times_from(double first, int n) {
  std::vector<double> times;
  for (int i = 0; i < n; ++i) times.push_back(first + i);
  return times;
}

class CompanionHistoryTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, CompanionHistoryTest, testing::Values(1, 2, 4, 7));

/// A dataset with other times, and as many steps as a killed run of this file may have left.
TEST_P(CompanionHistoryTest, KeepsTheStepsOfAnotherFile) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    write_small(comm, store, 3, 70);
    write_alone(comm, store, define_small, 2);
    Pair pair(comm, store, Pair::Opened());
    EXPECT_EQ(pair.companion->take_messages().size(), comm.rank() == 0 ? 1u : 0u);
    pair.close().check();
  });
  EXPECT_EQ(open_dataset(store, "run.idx").value()->times, times_from(70, 3));
}

TEST_P(CompanionHistoryTest, WaitsForTimesThatWerePutLater) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    Pair pair(comm, store, "idx", define_small);
    put(pair, comm, {kTime}, 0, 1).check();
    put(pair, comm, {kA, kB}, 0, 2).check();
    pair.sync().check();
    put(pair, comm, {kTime}, 1, 2).check();
    put(pair, comm, {kA}, 2, 4).check();
    put(pair, comm, {kB}, 2, 4).check();
    put(pair, comm, {kTime}, 2, 4).check();
    pair.close().check();
  });
  (void)compare(store, "run.idx", {"a", "b"}, times_from(10, 4));
}

TEST_P(CompanionHistoryTest, WaitsForTimesInAnOpenedFile) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    write_small(comm, store, 3);
    Pair pair(comm, store, Pair::Opened());
    for (const Number number : {kA, kB, kTime}) put(pair, comm, {number}, 3, 6).check();
    pair.close().check();
  });
  (void)compare(store, "run.idx", {"a", "b"}, times_from(10, 6));
}

TEST(CompanionHistoryTest, NotesNothingAfterItsEnd) {
  const Communicator comm(serial_comm());
  Pair pair(comm, memory_store(), "idx", define_small);
  pair.companion->note(1 << 30, 0);  // a variable that it does not know
  pair.companion->close().check();
  pair.companion->note(1 << 30, 0);
  pair.file->close().check();
}

/// The file has no records yet.
TEST_P(CompanionHistoryTest, DoesNotReplaceADatasetOfOtherVariables) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    write_small(comm, store, 3);
    const auto define = [](cdf::Header& header) {
      define_small(header);
      header.variables[kB].name = "c";
    };
    write_alone(comm, store, define, 0);
    Pair pair(comm, store, Pair::Opened());
    EXPECT_EQ(pair.companion->take_messages().size(), comm.rank() == 0 ? 1u : 0u);
    for (const Number number : {kTime, kA, kB}) put(pair, comm, {number}, 0, 1).check();
    pair.close().check();
  });
  EXPECT_EQ(open_dataset(store, "run.idx").value()->times, times_from(10, 3));
}

/// The same, and the times are never put: no step waits for them.
TEST_P(CompanionHistoryTest, NumbersStepsOfAnOpenedFileWithoutTimes) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    write_small(comm, store, 3);
    write_alone(comm, store, define_small, 0);
    Pair pair(comm, store, Pair::Opened());
    for (const Number number : {kA, kB}) put(pair, comm, {number}, 0, 1).check();
    pair.sync().check();
    EXPECT_TRUE(pair.companion->take_messages().empty());
    comm.get()->barrier();
    EXPECT_EQ(open_dataset(store, "run.idx").value()->times, times_from(0, 1));
    comm.get()->barrier();
    pair.close().check();
  });
  (void)compare(store, "run.idx", {"a", "b"});
}

/// A step that a sync wrote in part, and whole records after it.
TEST_P(CompanionHistoryTest, WritesAPartialStepAgainBeforeWholeRecords) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    Pair pair(comm, store, "idx", define_small);
    for (Index record = 0; record < 4; ++record) {
      put(pair, comm, {kTime}, record, record + 1).check();
      if (record == 1) {
        put(pair, comm, {kA, kB}, record, record + 1, 30, kLength / 2).check();
        pair.sync().check();
      }
      put(pair, comm, {kA, kB}, record, record + 1).check();
    }
    comm.get()->barrier();
    if (comm.rank() == 0) {
      const auto dataset = open_dataset(store, "run.idx").value();
      EXPECT_EQ(dataset->times, times_from(10, 4));
      EXPECT_EQ(compare_values(*dataset, *pair.file), 4 * 2 * 8 * kLength);
    }
    comm.get()->barrier();
    pair.close().check();
  });
  (void)compare(store, "run.idx", {"a", "b"}, times_from(10, 4));
}

}  // namespace
}  // namespace esker
