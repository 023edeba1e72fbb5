// Ranks put many small boxes, which may overlap, into variables that have values already.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>
#include <vector>

#include "store/faulty_store.h"
#include "unit/shared_cdf/shared_file_case.h"

namespace esker::cdf {
namespace {

using namespace testing_support;  // NOLINT: cases

constexpr Index kRecords = 2, kLevels = 5, kColumns = 3000;
constexpr double kPresent = 101;  // what the file has before

/// Variables of different types, in records and not, which share a decomposition.
void define_columns(Header& header) {
  header.dims = {{"t", 0}, {"level", kLevels}, {"column", kColumns}, {"one", 1}};
  header.variables.push_back({"a", {0, 1, 2}, {}, Type::kFloat});
  header.variables.push_back({"b", {0, 2}, {}, Type::kDouble});
  header.variables.push_back({"c", {2, 3}, {}, Type::kShort});
  header.variables.push_back({"d", {0, 2, 1}, {}, Type::kByte});
}

std::vector<Index> lengths_of(const Header& header, int variable) {
  std::vector<Index> lengths;
  for (const int dim : header.variables[static_cast<std::size_t>(variable)].dims) {
    lengths.push_back(dim == 0 ? kRecords : header.dims[static_cast<std::size_t>(dim)].length);
  }
  return lengths;
}

/// [variable] its values
using Model = std::vector<std::vector<double>>;

struct Puts {
  std::vector<Access> accesses;
  std::vector<std::vector<double>> values;  // of each access

  void point() {
    for (std::size_t a = 0; a < accesses.size(); ++a) accesses[a].values = values[a].data();
  }
};

/// Boxes of one variable: runs of up to 16 values, and some of several rows. The file is changed in `model`.
void add_boxes(const Header& header, int variable, Index n_boxes, std::mt19937& random, Puts& puts,
               Model& model) {
  const std::vector<Index> lengths = lengths_of(header, variable);
  const auto in = [&](Index lo, Index hi) { return std::uniform_int_distribution<Index>(lo, hi)(random); };
  Access access;
  access.variable = variable;
  access.memory_type = Type::kDouble;
  std::vector<double> values;
  if (in(0, 3) == 0) {
    for (std::size_t d = 0; d < lengths.size(); ++d) access.step.push_back(in(1, 3));
  }
  for (Index b = 0; b < n_boxes; ++b) {
    Access box;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      const Index step = access.step.empty() ? 1 : access.step[d];
      box.start.push_back(in(0, lengths[d] - 1));
      const Index most = (lengths[d] - 1 - box.start[d]) / step + 1;
      box.count.push_back(in(0, 99) == 0 ? 0 : in(1, std::min<Index>(most, lengths[d] > 100 ? 16 : 2)));
    }
    box.step = access.step;
    for_each_value(box, [&](const std::vector<Index>& at, std::size_t) {
      values.push_back(static_cast<double>(in(0, 100)));
      Index flat = 0;
      for (std::size_t d = 0; d < at.size(); ++d) flat = flat * lengths[d] + at[d];
      model[static_cast<std::size_t>(variable)][static_cast<std::size_t>(flat)] = values.back();
    });
    access.start.insert(access.start.end(), box.start.begin(), box.start.end());
    access.count.insert(access.count.end(), box.count.begin(), box.count.end());
  }
  puts.accesses.push_back(std::move(access));
  puts.values.push_back(std::move(values));
}

/// What each rank brings to one transfer; a third of the ranks brings nothing.
std::vector<Puts> puts_of(const Header& header, int n_ranks, unsigned seed, Model& model) {
  std::mt19937 random(seed);
  std::vector<Puts> puts(static_cast<std::size_t>(n_ranks));
  for (int rank = 0; rank < n_ranks; ++rank) {
    if (n_ranks > 2 && rank % 3 == static_cast<int>(seed % 3)) continue;
    for (int n = 0; n < 3; ++n) {
      const int variable = static_cast<int>(random() % header.variables.size());
      const Index n_boxes = n == 2 ? 5 : 300;
      add_boxes(header, variable, n_boxes, random, puts[static_cast<std::size_t>(rank)], model);
    }
  }
  return puts;
}

Access whole(const Header& header, int variable, std::vector<double>& values) {
  Access access;
  access.variable = variable;
  access.count = lengths_of(header, variable);
  access.start.assign(access.count.size(), 0);
  access.memory_type = Type::kDouble;
  access.values = access.target = values.data();
  return access;
}

Model filled_model(const Header& header) {
  Model model;
  for (std::size_t v = 0; v < header.variables.size(); ++v) {
    Index n = 1;
    for (const Index length : lengths_of(header, static_cast<int>(v))) n *= length;
    model.emplace_back(static_cast<std::size_t>(n), kPresent);
  }
  return model;
}

void expect_model(SharedFile& file, const Model& model) {
  for (std::size_t v = 0; v < model.size(); ++v) {
    std::vector<double> found(model[v].size());
    Access access = whole(file.header(), static_cast<int>(v), found);
    file.get_alone({&access, 1}).check();
    EXPECT_EQ(found, model[v]) << file.header().variables[v].name;
  }
}

struct ManyCase {
  Index budget = 64 << 20, buffer = 0;
  int aggregators = 0;
  bool has_values = true;  // before
};

void put_and_compare(int n_ranks, const ManyCase& given) {
  const auto store = memory_store();
  run_ranks(n_ranks, [&](const Communicator& comm) {
    Options options;
    options.memory_budget_bytes = given.budget;
    options.collective_buffer_bytes = given.buffer;
    options.aggregators = std::min(given.aggregators, n_ranks);
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, options).value();
    define_columns(file->definition());
    file->end_definition({}).check();
    Model model = filled_model(file->header());
    for (std::size_t v = 0; v < model.size(); ++v) {
      Access access = whole(file->header(), static_cast<int>(v), model[v]);
      file->put({}, {&access, comm.rank() == 0 ? 1u : 0u}).check();
    }
    const Index plans = file->num_plans();
    for (unsigned transfer = 0; transfer < 3; ++transfer) {
      auto puts = puts_of(file->header(), comm.size(), 10 * static_cast<unsigned>(n_ranks) + transfer, model);
      Puts& mine = puts[static_cast<std::size_t>(comm.rank())];
      mine.point();
      for (int twice = 0; twice < 2; ++twice) file->put({}, mine.accesses).check();
      if (comm.rank() == comm.size() - 1) expect_model(*file, model);
    }
    EXPECT_EQ(file->num_plans(), plans);
    file->close().check();
  });
}

TEST(ManyBoxes, ReachTheFileFromAnyRanks) {
  for (const int n_ranks : kRankCounts) {
    SCOPED_TRACE(n_ranks);
    put_and_compare(n_ranks, {});
    put_and_compare(n_ranks, {64 << 20, 4096, 3});
    put_and_compare(n_ranks, {256 << 10, 0, 2});
  }
}

TEST(ManyBoxes, AlsoMoveFewBoxesOfOtherRanks) {
  const auto store = memory_store();
  run_ranks(4, [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, Options()).value();
    define_columns(file->definition());
    file->end_definition({}).check();
    // Rank 3 brings each second value of what rank 1 brings completely; ranks 0 and 2 bring nothing.
    const Index n = comm.rank() == 3 ? kColumns / 2 : comm.rank() == 1 ? kColumns : 0;
    const std::vector<float> values(kColumns, static_cast<float>(comm.rank()));
    Access access;
    access.variable = 2;
    access.start = {0, 0};
    access.count = {n, 1};
    if (comm.rank() == 3) access.step = {2, 1};
    access.values = values.data();
    file->put({}, {&access, 1}).check();
    std::vector<double> found(kColumns);
    Access all = whole(file->header(), 2, found);
    file->get_alone({&all, 1}).check();
    for (Index i = 0; i < kColumns; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], i % 2 == 0 ? 3 : 1);
    file->close().check();
  });
}

TEST(ManyBoxes, NeedLittleMemory) {
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    Options options;
    options.memory_budget_bytes = 1 << 20;
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, options).value();
    const Index n = 400000;
    file->definition().dims = {{"x", 2 * n}};
    file->definition().variables.push_back({"a", {0}, {}, Type::kFloat});
    file->end_definition({}).check();
    Access access;
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
      access.start.push_back((2 * (i * 7919 % n)) + comm.rank());  // in no order
      access.count.push_back(1);
      values.push_back(static_cast<float>(access.start.back()));
    }
    access.values = values.data();
    file->put({}, {&access, 1}).check();
    std::vector<float> found(static_cast<std::size_t>(2 * n));
    Access all;
    all.start = {0};
    all.count = {2 * n};
    all.target = found.data();
    file->get_alone({&all, 1}).check();
    for (Index i = 0; i < 2 * n; ++i) ASSERT_EQ(found[static_cast<std::size_t>(i)], static_cast<float>(i));
    file->close().check();
  });
}

TEST(ManyBoxes, NameTheAccessesWhoseValuesDoNotFit) {
  const auto store = memory_store();
  run_ranks(2, [&](const Communicator& comm) {
    const auto file =
        SharedFile::create(comm.get(), store, "run.nc", Version::kData64, true, Options()).value();
    define_columns(file->definition());
    file->end_definition({}).check();
    std::vector<double> values(kColumns / 2, 7);
    if (comm.rank() == 1) values[5] = 1e9;
    std::vector<Access> accesses(2);
    for (std::size_t a = 0; a < 2; ++a) {
      accesses[a].variable = 2;
      accesses[a].start = {comm.rank(), 0};
      accesses[a].count = {a == 0 ? 3 : kColumns / 2, 1};
      accesses[a].step = {2, 1};
      accesses[a].memory_type = Type::kDouble;
      accesses[a].values = values.data();
    }
    file->put({}, accesses).check();
    EXPECT_FALSE(accesses[0].is_out_of_range);
    EXPECT_EQ(accesses[1].is_out_of_range, comm.rank() == 1);
    std::vector<double> found(kColumns);
    Access all = whole(file->header(), 2, found);
    file->get_alone({&all, 1}).check();
    EXPECT_EQ(found[10], 7);
    EXPECT_EQ(found[11], -32767);
    EXPECT_EQ(found[13], 7);
    file->close().check();
  });
}

TEST(ManyBoxes, GiveErrorsOfStorageToAllRanks) {
  const auto store = memory_store();
  run_ranks(4, [&](const Communicator& comm) {
    bool fails = false;
    const auto faulty = faulty_store(store, [&](StoreCall call, const std::string&) {
      return fails && call == StoreCall::kWrite ? EIO : 0;
    });
    const auto file =
        SharedFile::create(comm.get(), faulty, "run.nc", Version::kData64, true, Options()).value();
    define_columns(file->definition());
    file->end_definition({}).check();
    std::vector<double> values(kColumns, 7);
    Access access = whole(file->header(), 2, values);
    access.start[0] = comm.rank();
    access.count[0] = kColumns / 4;
    access.step = {4, 1};
    fails = comm.rank() == 0;
    EXPECT_EQ(file->put({}, {&access, 1}).code(), Code::kIoError);
    fails = false;
    file->put({}, {&access, 1}).check();
    file->close().check();
  });
}

}  // namespace
}  // namespace esker::cdf
