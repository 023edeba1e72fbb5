// Ranks that read together get what each of them reads alone, byte by byte.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/macros.h"
#include "store/faulty_store.h"
#include "unit/shared_cdf/shared_file_case.h"

namespace esker::cdf {
namespace {

using namespace testing_support;  // NOLINT: cases

constexpr std::array kTypes{Type::kByte, Type::kUByte, Type::kShort,  Type::kUShort, Type::kInt,
                            Type::kUInt, Type::kInt64, Type::kUInt64, Type::kFloat,  Type::kDouble};

Options reading(std::optional<bool> together, Index buffer_bytes = 4096) {
  Options options;
  options.collective_buffer_bytes = buffer_bytes;
  options.aggregate_reads = together;
  return options;
}

/// A file with all shapes. Values of doubles are not always in the range of other types. The last record ends
/// before its last values.
void make_file(const std::shared_ptr<Store>& store) {
  run_ranks(1, [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, Options()).value();
    define_all_shapes(file->definition());
    file->end_definition({}).check();
    std::mt19937 random(3);
    const Header& header = file->header();
    for (int v = 0; v < static_cast<int>(header.variables.size()); ++v) {
      const Variable& variable = header.variables[static_cast<std::size_t>(v)];
      if (variable.type == Type::kChar) continue;
      Access access;
      access.variable = v;
      Index n = 1;
      for (const int d : variable.dims) {
        const Index length = header.dims[static_cast<std::size_t>(d)].length;
        access.count.push_back(length == 0 ? kMostRecords : length);
        n *= access.count.back();
      }
      access.start.assign(access.count.size(), 0);
      std::vector<double> values(static_cast<std::size_t>(n));
      for (double& value : values) value = static_cast<double>(random() % 300) - 50;
      access.memory_type = Type::kDouble;
      access.values = values.data();
      file->put_alone({&access, 1}).check();
    }
    file->close().check();
  });
  const auto file = store->open("run.nc", OpenMode::kWrite).value();
  file->shrink_to(file->size_bytes().value() - 700).check();
}

/// Memory for an access of any type: dense, or with gaps and reversed axes.
class Target {
 public:
  Target(Access access, std::mt19937& random) : access_(std::move(access)) {
    access_.memory_type = kTypes[random() % kTypes.size()];
    const Index size = netcdf::size_bytes(access_.memory_type);
    const std::size_t n = access_.count.size();
    Index span = 1;
    if (random() % 2 == 0) access_.map_bytes.resize(n);
    for (std::size_t d = n; d-- > 0;) {
      if (!access_.map_bytes.empty()) {
        const bool is_reversed = random() % 4 == 0;
        access_.map_bytes[d] = (is_reversed ? -span : span) * size;
        if (is_reversed) first_ += span * size * std::max<Index>(access_.count[d] - 1, 0);
        span += static_cast<Index>(random() % 2);
      }
      span *= std::max<Index>(access_.count[d], 1);
    }
    bytes_.assign(static_cast<std::size_t>(span * size + first_), std::byte{0x5a});
  }
  Access access() {
    access_.target = bytes_.data() + first_;
    return access_;
  }
  void clear() { std::fill(bytes_.begin(), bytes_.end(), std::byte{0x5a}); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  Access access_;
  Index first_ = 0;
  std::vector<std::byte> bytes_;
};

std::vector<Target> random_targets(const Header& header, int rank, unsigned seed) {
  std::mt19937 random(1000 * seed + static_cast<unsigned>(rank));
  std::vector<Target> targets;
  for (unsigned n = random() % 5; n > 0; --n) {
    const int variable = static_cast<int>(random() % header.variables.size());
    if (header.variables[static_cast<std::size_t>(variable)].type == Type::kChar) continue;
    targets.emplace_back(random_access(header, variable, kMostRecords, random).access, random);
  }
  return targets;
}

std::vector<Access> accesses_of(std::vector<Target>& targets) {
  std::vector<Access> accesses;
  for (Target& each : targets) accesses.push_back(each.access());
  return accesses;
}

/// Reads alone, then by get(), `times` times.
void expect_as_alone(SharedFile& file, std::vector<Target> targets, int times) {
  std::vector<Target> expected = targets;
  std::vector<Access> alone = accesses_of(expected);
  file.get_alone(alone).check();
  for (int n = 0; n < times; ++n) {
    for (Target& each : targets) each.clear();
    std::vector<Access> together = accesses_of(targets);
    file.get({}, together).check();
    for (std::size_t t = 0; t < targets.size(); ++t) {
      ASSERT_EQ(targets[t].bytes(), expected[t].bytes());
      ASSERT_EQ(together[t].is_out_of_range, alone[t].is_out_of_range);
    }
  }
}

std::unique_ptr<SharedFile> open(const Communicator& comm, const std::shared_ptr<Store>& store,
                                 const Options& options) {
  return SharedFile::open(comm.get(), store, "run.nc", false, options).value();
}

struct Nodes {
  int n_ranks, per_node;
};

class SharedFileGet : public testing::TestWithParam<Nodes> {
 protected:
  template <class Body>
  void on_ranks(const Body& body) const {
    run_ranks(GetParam().n_ranks, body, GetParam().per_node);
  }
  [[nodiscard]] bool is_one_node() const { return GetParam().per_node == 0; }
};

TEST_P(SharedFileGet, GetsWhatEachRankGetsAlone) {
  const auto store = memory_store();
  make_file(store);
  for (const std::optional<bool> together : {std::optional(true), std::optional(false), {std::nullopt}}) {
    on_ranks([&](const Communicator& comm) {
      const auto file = open(comm, store, reading(together));
      for (unsigned seed = 1; seed <= 20; ++seed) {
        expect_as_alone(*file, random_targets(file->header(), comm.rank(), seed), 2);
        if (HasFatalFailure()) break;
      }
      file->close().check();
    });
  }
}

TEST_P(SharedFileGet, GetsTheSameOnAllRanks) {
  const auto store = memory_store();
  make_file(store);
  for (const std::optional<bool> together : {std::optional(true), {std::nullopt}}) {
    on_ranks([&](const Communicator& comm) {
      const auto file = open(comm, store, reading(together));
      for (unsigned seed = 1; seed <= 20; ++seed) {
        std::vector<Target> targets = random_targets(file->header(), 0, seed);
        std::mt19937 random(static_cast<unsigned>(comm.rank()));
        for (Target& each : targets) {
          Access access = each.access();
          access.map_bytes.clear();
          each = Target(access, random);  // in other memory
        }
        expect_as_alone(*file, std::move(targets), 2);
      }
      EXPECT_EQ(file->num_plans(), 0);
      file->close().check();
    });
  }
}

/// Counts reads of the file after it was opened.
class CountedReads {
 public:
  explicit CountedReads(std::shared_ptr<Store> inner)
      : store_(faulty_store(std::move(inner), [this](StoreCall call, const std::string&) {
          if (call == StoreCall::kRead) ++reads_;
          return fails_ && call == StoreCall::kRead ? EIO : 0;
        })) {}
  [[nodiscard]] const std::shared_ptr<Store>& store() const { return store_; }
  void fail(bool fails) { fails_ = fails; }

  /// The reads of all ranks in a collective call.
  template <class Call>
  int in(const Communicator& comm, const Call& call) {
    comm.get()->barrier();
    const int before = reads_;
    comm.get()->barrier();
    call();
    comm.get()->barrier();
    return reads_ - before;
  }

 private:
  std::atomic<int> reads_ = 0;
  std::atomic<bool> fails_ = false;
  std::shared_ptr<Store> store_;
};

TEST_P(SharedFileGet, ReadsOnceWhatAllRanksWant) {
  CountedReads counted(memory_store());
  make_file(counted.store());
  on_ranks([&](const Communicator& comm) {
    const auto file = open(comm, counted.store(), reading(std::nullopt));
    std::vector<double> x(13);
    Access access;
    access.variable = 1;
    access.start = {0};
    access.count = {13};
    access.memory_type = Type::kDouble;
    access.target = x.data();
    const int reads = counted.in(comm, [&] { file->get({}, {&access, 1}).check(); });
    EXPECT_EQ(reads, is_one_node() ? comm.size() : 1);
    counted.fail(true);
    EXPECT_EQ(file->get({}, {&access, 1}).code(), Code::kIoError);
    comm.get()->barrier();
    counted.fail(false);
    comm.get()->barrier();
    file->get({}, {&access, 1}).check();
    file->close().check();
  });
}

constexpr Index kRows = 256, kWidth = 2048;  // 4 MiB in each record

/// A file with two variables of three records each, which hold their position.
void make_columns(const std::shared_ptr<Store>& store) {
  run_ranks(1, [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, Options()).value();
    file->definition().dims = {{"t", 0}, {"y", kRows}, {"x", kWidth}};
    for (const char* name : {"a", "b"}) {
      file->definition().variables.push_back({name, {0, 1, 2}, {}, Type::kDouble});
    }
    file->end_definition({}).check();
    for (int number = 0; number < 2; ++number) {
      std::vector<double> values(static_cast<std::size_t>(3 * kRows * kWidth));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) + 0.5 * number;
      Access access;
      access.variable = number;
      access.start = {0, 0, 0};
      access.count = {3, kRows, kWidth};
      access.memory_type = Type::kDouble;
      access.values = values.data();
      file->put_alone({&access, 1}).check();
    }
    file->close().check();
  });
}

/// Gets this rank's columns of one record, as floats, and compares.
Status get_columns(SharedFile& file, const Communicator& comm, int variable, Index record) {
  const Index first = kWidth * comm.rank() / comm.size(), last = kWidth * (comm.rank() + 1) / comm.size();
  std::vector<float> values(static_cast<std::size_t>(kRows * (last - first)), -1.0F);
  Access access;
  access.variable = variable;
  access.start = {record, 0, first};
  access.count = {1, kRows, last - first};
  access.memory_type = Type::kFloat;
  access.target = values.data();
  ESKER_RETURN_IF_ERROR(file.get({}, {&access, 1}));
  for (Index y = 0; y < kRows; ++y) {
    for (Index x = first; x < last; ++x) {
      const auto at = static_cast<std::size_t>(y * (last - first) + x - first);
      EXPECT_EQ(values[at],
                static_cast<float>((record * kRows + y) * kWidth + x) + 0.5F * static_cast<float>(variable));
    }
  }
  return {};
}

TEST_P(SharedFileGet, ReadsShortRunsTogetherByOnePlan) {
  CountedReads counted(memory_store());
  make_columns(counted.store());
  on_ranks([&](const Communicator& comm) {
    const auto file = open(comm, counted.store(), reading(std::nullopt, 0));
    for (Index record = 0; record < 3; ++record) {
      for (const int variable : {0, 1}) {
        const int reads = counted.in(comm, [&] { get_columns(*file, comm, variable, record).check(); });
        EXPECT_LE(reads, 8);  // pieces of 512 KiB
      }
    }
    EXPECT_EQ(file->num_plans(), comm.size() > 1 ? 1 : 0);
    file->close().check();
  });
}

// On one node all read alone then, and not only the rank that wants them.
TEST_P(SharedFileGet, GetsManyBoxesOfOneRank) {
  const auto store = memory_store();
  make_columns(store);
  on_ranks([&](const Communicator& comm) {
    const auto file = open(comm, store, reading(std::nullopt, 0));
    if (comm.rank() > 0) {
      get_columns(*file, comm, 0, 1).check();
    } else {
      std::vector<double> values(kRows / 2 * 20);
      Access access;
      access.variable = 0;
      access.start = {1, 0, 3};
      access.count = {1, kRows / 2, 20};
      access.step = {1, 2, 100};
      access.memory_type = Type::kDouble;
      access.target = values.data();
      file->get({}, {&access, 1}).check();
      EXPECT_EQ(values[20 * 7 + 2], (kRows + 14) * kWidth + 203);
    }
    EXPECT_EQ(file->num_plans(), comm.size() == 1 || is_one_node() ? 0 : 1);
    file->close().check();
  });
}

TEST_P(SharedFileGet, FailedReadsAreErrorsOfAllRanks) {
  CountedReads counted(memory_store());
  make_columns(counted.store());
  on_ranks([&](const Communicator& comm) {
    const auto file = open(comm, counted.store(), reading(true, 0));
    for (const Index record : {0, 1}) {
      comm.get()->barrier();
      counted.fail(true);
      comm.get()->barrier();
      EXPECT_EQ(get_columns(*file, comm, 0, record).code(), Code::kIoError);
      comm.get()->barrier();
      counted.fail(false);
      comm.get()->barrier();
      get_columns(*file, comm, 0, record).check();
    }
    file->close().check();
  });
}

TEST_P(SharedFileGet, AnErrorOfOneRankIsItsOwn) {
  const auto store = memory_store();
  make_columns(store);
  for (const std::optional<bool> together : {std::optional(true), std::optional(false), {std::nullopt}}) {
    on_ranks([&](const Communicator& comm) {
      const auto file = open(comm, store, reading(together));
      const bool is_wrong = comm.rank() == comm.size() - 1;
      const Status done = get_columns(*file, comm, 0, is_wrong ? 3 : 1);
      EXPECT_EQ(done.code(), is_wrong ? Code::kOutOfRange : Code::kOk) << done.message();
      std::vector<double> row(kWidth);
      Access access;
      access.variable = 0;
      access.start = {2, 5, 0};
      access.count = {1, 1, kWidth};
      access.memory_type = Type::kDouble;
      access.target = row.data();
      const Status told =
          file->get(is_wrong ? Status(Code::kInvalidArgument, "mine") : Status(), {&access, 1});
      EXPECT_EQ(told.code(), is_wrong ? Code::kInvalidArgument : Code::kOk) << told.message();
      EXPECT_EQ(row[7], is_wrong ? 0 : (2 * kRows + 5) * kWidth + 7);
      file->close().check();
    });
  }
}

TEST_P(SharedFileGet, PutsAndGetsInTurns) {
  const auto store = memory_store();
  on_ranks([&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, reading(true)).value();
    define_all_shapes(file->definition());
    file->end_definition({}).check();
    for (unsigned seed = 1; seed <= 10; ++seed) {
      auto of_rank = random_accesses(file->header(), comm.size(), seed);
      auto own = own_accesses(of_rank[static_cast<std::size_t>(comm.rank())]);
      file->put({}, own).check();
      auto all = random_targets(file->header(), comm.rank(), seed);
      std::erase_if(all, [&](Target& each) {
        const Access access = each.access();
        return file->header().is_record(file->header().variables[static_cast<std::size_t>(access.variable)]);
      });
      expect_as_alone(*file, std::move(all), 1);
    }
    file->close().check();
  });
}

TEST_P(SharedFileGet, NeedsLittleMemory) {
  const auto store = memory_store();
  make_columns(store);
  for (const Index budget : {Index{64} << 10, Index{1} << 20, Index{16} << 20}) {
    on_ranks([&](const Communicator& comm) {
      Options options = reading(std::nullopt, 0);
      options.memory_budget_bytes = budget;
      const auto file = open(comm, store, options);
      for (const Index record : {0, 1}) get_columns(*file, comm, 0, record).check();
      file->close().check();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedFileGet,
                         testing::Values(Nodes{1, 0}, Nodes{2, 0}, Nodes{4, 0}, Nodes{7, 0}, Nodes{2, 1},
                                         Nodes{4, 2}, Nodes{7, 3}, Nodes{7, 1}),
                         [](const auto& test) {
                           return std::to_string(test.param.n_ranks) + "By" +
                                  std::to_string(test.param.per_node);
                         });

// More than one chunk for each of several readers, and the file ends within one.
TEST(SharedFileGetLarge, ReadsOnceWhatAllRanksWantInChunks) {
  constexpr Index kN = 3'000'001;
  CountedReads counted(memory_store());
  run_ranks(1, [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), counted.store(), "run.nc", Version::kData64, true, Options()).value();
    file->definition().dims = {{"x", kN}};
    file->definition().variables.push_back({"a", {0}, {}, Type::kInt});
    file->end_definition({}).check();
    std::vector<std::int32_t> values(kN - 1000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
    Access access;
    access.variable = 0;
    access.start = {0};
    access.count = {std::ssize(values)};
    access.memory_type = Type::kInt;
    access.values = values.data();
    file->put_alone({&access, 1}).check();
    file->close().check();
  });
  counted.store()->open("run.nc", OpenMode::kWrite).value()->shrink_to(11'000'000).check();
  run_ranks(
      5,
      [&](const Communicator& comm) {
        const auto file = open(comm, counted.store(), reading(std::nullopt));
        const Index present = (11'000'000 - file->header().variables[0].begin) / 4;
        std::vector<double> values(kN, -1);
        Access access;
        access.variable = 0;
        access.start = {0};
        access.count = {kN};
        access.memory_type = Type::kDouble;
        access.target = values.data();
        const int reads = counted.in(comm, [&] { file->get({}, {&access, 1}).check(); });
        EXPECT_LE(reads, 12);
        for (Index i = 0; i < kN; ++i) {
          ASSERT_EQ(values[static_cast<std::size_t>(i)], i < present ? static_cast<double>(i) : 0) << i;
        }
        file->close().check();
      },
      2);
}

}  // namespace
}  // namespace esker::cdf
