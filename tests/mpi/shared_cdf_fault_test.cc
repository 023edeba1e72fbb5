// A shared file under faults: calls to the file system, or requests of memory, fail on any rank. All ranks
// return the same error or succeed, none hangs, and what was put before is still there.
#include <gtest/gtest.h>

#include "support/memory_fault_fixture.h"
#include "unit/shared_cdf/shared_file_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture and its cases
using cdf::SharedFile;

constexpr StoreCall kCalls[] = {StoreCall::kOpen,   StoreCall::kWrite,  StoreCall::kRead,
                                StoreCall::kSync,   StoreCall::kClose,  StoreCall::kCreate,
                                StoreCall::kRename, StoreCall::kRemove, StoreCall::kSyncDirectory,
                                StoreCall::kExists};

class SharedCdfFaults : public MemoryFaultTest {
 protected:
  using Accesses = std::vector<CaseAccess>;

  [[nodiscard]] std::unique_ptr<SharedFile> make(Transport transport = Transport::kMessages,
                                                 std::optional<bool> together = std::nullopt) {
    Options options;
    options.aggregate_reads = together;
    options.collective_buffer_bytes = 4096;
    options.transport = transport;
    options.fsync = Fsync::kStep;
    auto file =
        SharedFile::create(comm_.get(), store_, path("run.nc"), netcdf::Version::kData64, true, options)
            .value();
    define_all_shapes(file->definition());
    file->end_definition({}).check();
    return file;
  }

  /// Puts random boxes, other ones for each seed.
  Status put(SharedFile& file, unsigned seed, Contents* contents = nullptr) {
    auto of_rank = random_accesses(file.header(), comm_.size(), seed);
    if (contents != nullptr) add_to(of_rank, *contents);
    auto own = own_accesses(of_rank[static_cast<std::size_t>(comm_.rank())]);
    return file.put({}, own);
  }

  /// The accesses of all ranks, which are 144 values that are apart: they have no plan.
  [[nodiscard]] std::vector<Accesses> many_boxes() const {
    std::vector<Accesses> of_rank(static_cast<std::size_t>(comm_.size()));
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
      CaseAccess& made = of_rank[rank].emplace_back();
      made.access.variable = 5;
      made.access.start = {0, 0, 0, static_cast<Index>(rank % 2)};
      made.access.count = {2, 3, 4, 6};
      made.access.step = {1, 2, 2, 2};
      made.values.assign(144, static_cast<double>(rank));
    }
    return of_rank;
  }

  /// Memory for two boxes, which differ between ranks that give different numbers.
  struct TwoBoxes {
    std::vector<double> x, field;
    std::array<cdf::Access, 2> accesses;

    explicit TwoBoxes(int number) : x(13), field(static_cast<std::size_t>(3 * 9 * 13)) {
      accesses[0].variable = 1;
      accesses[0].start = {number % 13};
      accesses[0].count = {13 - number % 13};
      accesses[0].target = x.data();
      accesses[1].variable = 2;
      accesses[1].start = {0, 0, number % 13};
      accesses[1].count = {3, 9, 13 - number % 13};
      accesses[1].target = field.data();
      for (cdf::Access& each : accesses) each.memory_type = netcdf::Type::kDouble;
    }
  };
  static Status get(SharedFile& file, int number) {
    TwoBoxes boxes(number);
    return file.get({}, boxes.accesses);
  }

  /// Runs `call` with every fault that it meets on some ranks; `restore` afterwards.
  template <class Call, class Restore>
  void with_store_faults(const std::string& what, const Call& call, const Restore& restore) {
    for (const StoreCall kind : kCalls) {
      for (const int victim : victims()) {
        for (int nth = 1;; ++nth) {
          const std::string name = what + ", call of kind " + std::to_string(static_cast<int>(kind)) + ", " +
                                   std::to_string(nth) + ", rank " + std::to_string(victim);
          SCOPED_TRACE(name);
          const Watchdog watchdog(name);
          StoreFault fault;
          fault.call = kind;
          fault.part = "run.nc";
          fault.nth = nth;
          fault.only_once = true;
          arm(fault, victim, EIO);
          const Status status = call();
          disarm();
          const bool met = lowest_rank_hit() >= 0;
          expect_everywhere(status, status.code());
          EXPECT_TRUE(status.ok() || status.code() == Code::kIoError) << status.message();
          restore(status);
          if (!met || !all_well()) break;
        }
        if (!all_well()) return;
      }
    }
  }

  void expect_same_contents(SharedFile& file, const Contents& contents) {
    if (is_last_rank()) expect_contents(file, contents);
    comm_.get()->barrier();
  }
};

TEST_P(SharedCdfFaults, OfTheStoreInATransferAreErrorsOfAllRanks) {
  const auto file = make();
  Contents contents;
  put(*file, 1, &contents).check();
  with_store_faults(
      "put", [&] { return put(*file, 1); }, [&](const Status&) { put(*file, 1).check(); });
  expect_same_contents(*file, contents);
  with_store_faults(
      "sync",
      [&] {
        const Status done = put(*file, 1);
        return done.ok() ? file->sync() : done;
      },
      [&](const Status&) { file->sync().check(); });
  expect_same_contents(*file, contents);
  with_store_faults(
      "fill", [&] { return file->fill(2, 0); }, [](const Status&) {});
  file->close().check();
}

TEST_P(SharedCdfFaults, InATransferOfManyBoxesAreErrorsOfAllRanks) {
  const auto file = make();
  Contents contents;
  auto of_rank = many_boxes();
  add_to(of_rank, contents);
  auto own = own_accesses(of_rank[static_cast<std::size_t>(comm_.rank())]);
  const auto put_all = [&] { return file->put({}, own); };
  with_store_faults("put", put_all, [&](const Status&) { put_all().check(); });
  for_each_fault([&](const NewFault& fault, int victim) { return fail("put", fault, victim, put_all); });
  if (!all_well()) return;
  put_all().check();
  EXPECT_EQ(file->num_plans(), 0);
  expect_same_contents(*file, contents);
  file->close().check();
}

// Each rank alone, all by a plan, and all the same.
TEST_P(SharedCdfFaults, OfTheStoreInAGetAreErrorsOfAllRanks) {
  for (const bool together : {false, true}) {
    const auto file = make(Transport::kMessages, together);
    put(*file, 1).check();
    for (const bool same : {false, true}) {
      with_store_faults(
          "get", [&] { return get(*file, same ? 0 : comm_.rank()); },
          [&](const Status&) { get(*file, comm_.rank()).check(); });
    }
    EXPECT_EQ(file->num_plans(), together && comm_.size() > 1 ? 2 : 1);
    file->close().check();
  }
}

// The next attempt succeeds, or the file is closed; either way it has the values.
TEST_P(SharedCdfFaults, OfTheStoreInADefinitionLeaveAWholeFile) {
  for (const bool moves : {false, true}) {
    Contents contents;
    std::unique_ptr<SharedFile> file;
    const auto begin = [&] {
      contents.clear();
      if (file) (void)file->abandon();
      file = make();
      put(*file, 1, &contents).check();
      file->redefine().check();
      file->definition().attributes.push_back({"title", netcdf::Type::kChar, {std::byte{'a'}}});
      if (moves) file->definition().variables.push_back({"new", {0, 1}, {}, netcdf::Type::kDouble});
    };
    begin();
    with_store_faults(
        moves ? "moving definition" : "definition", [&] { return file->end_definition({}); },
        [&](const Status& ended) {
          if (!ended.ok() && file->is_defining()) file->end_definition({}).check();
          (void)file->close();
          file = SharedFile::open(comm_.get(), store_, path("run.nc"), true, Options()).value();
          EXPECT_GT(file->header().num_records, 0);
          expect_same_contents(*file, contents);
          begin();
        });
    file->close().check();
  }
}

TEST_P(SharedCdfFaults, OfTheStoreInCreateOpenAndCloseReleaseTheLock) {
  const auto create = [&] {
    auto made =
        SharedFile::create(comm_.get(), store_, path("run.nc"), netcdf::Version::kClassic, true, Options());
    if (!made.ok()) return made.status();
    define_all_shapes((*made)->definition());
    const Status ended = (*made)->end_definition({});
    const Status closed = ended.ok() ? (*made)->close() : (*made)->abandon();
    return ended.ok() ? closed : ended;
  };
  const auto reopen = [&](const Status&) {
    make()->close().check();
    SharedFile::open(comm_.get(), store_, path("run.nc"), true, Options()).value()->close().check();
  };
  make()->close().check();
  with_store_faults("create", create, reopen);
  const auto open = [&] {
    auto opened = SharedFile::open(comm_.get(), store_, path("run.nc"), true, Options());
    return opened.ok() ? (*opened)->close() : opened.status();
  };
  with_store_faults("open", open, reopen);
}

TEST_P(SharedCdfFaults, OfMemoryAreErrorsOfAllRanks) {
  for (const Transport transport : {Transport::kMessages, Transport::kShared, Transport::kPut}) {
    auto file = make(transport);
    Contents contents;
    put(*file, 1, &contents).check();
    for (const bool plans : {false, true}) {
      unsigned seed = 1;
      for_each_fault([&](const NewFault& fault, int victim) {
        if (plans) ++seed;  // other boxes: the transfer is planned again
        auto of_rank = random_accesses(file->header(), comm_.size(), seed);
        auto own = own_accesses(of_rank[static_cast<std::size_t>(comm_.rank())]);
        const bool met = fail("put, transport " + std::to_string(static_cast<int>(transport)), fault, victim,
                              [&] { return file->put({}, own); });
        file->put({}, own).check();
        add_to(of_rank, contents);
        return met;
      });
      if (!all_well()) return;
      expect_same_contents(*file, contents);
    }
    file->close().check();
  }
}

// The values of a plan that is kept, of a new plan, and of all ranks alike.
TEST_P(SharedCdfFaults, OfMemoryInAGetAreErrorsOfAllRanks) {
  for (const Transport transport : {Transport::kMessages, Transport::kShared, Transport::kGet}) {
    const auto file = make(transport, true);
    put(*file, 1).check();
    int number = comm_.rank();
    const std::string what = "get, transport " + std::to_string(static_cast<int>(transport));
    for (const int step : {0, 1}) {
      for_each_fault([&](const NewFault& fault, int victim) {
        number += step;  // other boxes: the transfer is planned again
        TwoBoxes boxes(number);
        const bool met = fail(what, fault, victim, [&] { return file->get({}, boxes.accesses); });
        get(*file, number).check();
        return met;
      });
      if (!all_well()) return;
    }
    for_each_fault([&](const NewFault& fault, int victim) {
      TwoBoxes boxes(0);
      return fail(what + ", the same", fault, victim, [&] { return file->get({}, boxes.accesses); });
    });
    if (!all_well()) return;
    file->close().check();
  }
}

TEST_P(SharedCdfFaults, OfMemoryInOtherCallsAreErrorsOfAllRanks) {
  Contents contents;
  std::unique_ptr<SharedFile> file = make();
  put(*file, 1, &contents).check();
  std::vector<double> x(13);
  for_each_fault([&](const NewFault& fault, int victim) {
    const bool met = fail("definition", fault, victim, [&]() -> Status {
      const Status begun = file->redefine();
      return begun.ok() ? file->end_definition({}) : begun;
    });
    if (file->is_defining()) file->end_definition({}).check();
    return met;
  });
  if (!all_well()) return;
  for_each_fault([&](const NewFault& fault, int victim) {
    cdf::Access access;
    access.variable = 1;
    access.start = {0};
    access.count = {13};
    access.memory_type = netcdf::Type::kDouble;
    access.target = x.data();
    return fail("get", fault, victim, [&] { return file->get({}, {&access, 1}); });
  });
  for_each_fault([&](const NewFault& fault, int victim) {
    return fail("sync", fault, victim, [&] { return file->sync(); });
  });
  if (!all_well()) return;
  expect_same_contents(*file, contents);
  for_each_fault([&](const NewFault& fault, int victim) {
    return fail("fill", fault, victim, [&] { return file->fill(1, 0); });
  });
  file->close().check();
  if (!all_well()) return;
  const std::string name = path("run.nc");
  const Options options;
  for_each_fault([&](const NewFault& fault, int victim) {
    return fail("open", fault, victim, [&]() -> Status {
      auto opened = SharedFile::open(comm_.get(), store_, name, true, options);
      return opened.ok() ? (*opened)->close() : opened.status();
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Of, SharedCdfFaults, testing::Values(Subject{"Cdf5", "cdf5", false}),
                         name_of_subject);

}  // namespace
}  // namespace esker
