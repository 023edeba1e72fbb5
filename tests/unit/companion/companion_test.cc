// The dataset next to a file has what the file has, whatever ranks put and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "companion/companion_format.h"
#include "store/faulty_store.h"
#include "unit/companion/companion_case.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: cases

/// The fields of a dataset next to a file of all shapes after these puts.
void add_fields(const cdf::Header& header, const std::vector<std::vector<CaseAccess>>& of_rank,
                std::set<std::string>& fields) {
  for (const auto& accesses : of_rank) {
    for (const CaseAccess& each : accesses) {
      const cdf::Variable& variable = header.variables[static_cast<std::size_t>(each.access.variable)];
      const std::size_t n_axes = variable.dims.size() - (header.is_record(variable) ? 1 : 0);
      const bool is_field = variable.name != "x" && !variable.dims.empty() && n_axes <= kMaxRank;
      if (is_field && !each.values.empty()) fields.insert(variable.name);
    }
  }
}

class CompanionTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, CompanionTest, testing::Values(1, 2, 4, 7));

TEST_P(CompanionTest, HasWhatTheFileHas) {
  int compared = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto store = memory_store();
    std::set<std::string> put;
    run_ranks(GetParam(), [&](const Communicator& comm) {
      Pair pair(comm, store, seed % 4 == 0 ? "zarr" : "idx");
      for (unsigned transfer = 0; transfer < 6; ++transfer) {
        auto of_rank = random_accesses(pair.file->header(), comm.size(), 100 * seed + transfer);
        if (comm.rank() == 0) add_fields(pair.file->header(), of_rank, put);
        auto own = own_accesses(of_rank[static_cast<std::size_t>(comm.rank())]);
        pair.put(own).check();
        if ((seed + transfer) % 3 == 0) pair.sync().check();
      }
      pair.close().check();
    });
    if (HasFailure()) return;
    const std::string path = seed % 4 == 0 ? "run.zarr" : "run.idx";
    if (put.empty()) {
      EXPECT_EQ(open_dataset(store, path).status().code(), Code::kNotFound);
    } else {
      compared += compare(store, path, put);
    }
  }
  EXPECT_GT(compared, 10000);
}

/// The first box of each access has no values, the others are in two records.
TEST_P(CompanionTest, HasAllBoxesOfAnAccess) {
  const auto store = memory_store();
  run_ranks(GetParam(), [&](const Communicator& comm) {
    Pair pair(comm, store);
    const Index first = 13 * comm.rank() / comm.size(), n = 13 * (comm.rank() + 1) / comm.size() - first;
    std::vector<CaseAccess> mine(1);
    mine[0].access.variable = 6;
    for (Index round = 0; round < 2; ++round) {
      mine[0].access.start = {0, 0, 0, first, 1, first};
      mine[0].access.count = {1, 0, 1, n, 1, n};
      mine[0].values.assign(static_cast<std::size_t>(2 * n), static_cast<double>(round + comm.rank()));
      auto own = own_accesses(mine);
      pair.put(own).check();
      pair.sync().check();
    }
    pair.close().check();
  });
  EXPECT_EQ(compare(store, "run.idx", {"small"}), 2 * 13 * 2);
}

/// The first of these calls that a rule lets fail; 0: none.
struct Fault {
  std::atomic<int> calls = 0;
  int failing = 0;
  int operator()(StoreCall call, const std::string& path) {
    if (path.find("run.nc") != std::string::npos || path.find("lock") != std::string::npos) return 0;
    if (call != StoreCall::kWrite && call != StoreCall::kOpen && call != StoreCall::kRename) return 0;
    return ++calls == failing ? ENOSPC : 0;
  }
};

/// Three records of two fields; the results of this rank.
std::vector<Code> write_records(const Communicator& comm, const std::shared_ptr<Store>& store) {
  std::vector<Code> codes;
  Pair pair(comm, store);
  for (Index record = 0; record < 3; ++record) {
    for (const int variable : {5, 6}) {
      std::vector<CaseAccess> mine(1);
      CaseAccess& each = mine[0];
      each.access.variable = variable;
      const Index first = 6 * comm.rank() / comm.size(), end = 6 * (comm.rank() + 1) / comm.size();
      if (variable == 5)
        each.access.start = {record, first, 0, 0}, each.access.count = {1, end - first, 9, 13};
      if (variable == 6) each.access.start = {record, 2 * first}, each.access.count = {1, 2 * (end - first)};
      each.values.assign(13 * 9 * 6, static_cast<double>(10 * record + variable));
      auto own = own_accesses(mine);
      codes.push_back(pair.put(own).code());
    }
  }
  codes.push_back(pair.close().code());
  return codes;
}

TEST_P(CompanionTest, AnErrorIsThatOfAllRanksOnceAndTheFileIsWhole) {
  int n_errors = 0;
  for (int failing = 0; failing < 25; ++failing) {
    const auto memory = memory_store();
    Fault fault;
    fault.failing = failing;
    const auto store =
        faulty_store(memory, [&](StoreCall call, const std::string& path) { return fault(call, path); });
    std::vector<std::vector<Code>> of_rank(static_cast<std::size_t>(GetParam()));
    run_ranks(GetParam(), [&](const Communicator& comm) {
      of_rank[static_cast<std::size_t>(comm.rank())] = write_records(comm, store);
    });
    for (const auto& codes : of_rank) EXPECT_EQ(codes, of_rank[0]) << failing;
    const auto& codes = of_rank[0];
    const auto n = codes.size() - static_cast<std::size_t>(std::count(codes.begin(), codes.end(), Code::kOk));
    EXPECT_LE(n, 1u) << failing;
    n_errors += static_cast<int>(n);
    const auto file = open_to_read(memory);
    EXPECT_EQ(file->header().num_records, 3);
    EXPECT_FALSE(memory->exists("run.esker-lock").value()) << failing;
    if (n == 0) {
      const int n_bytes = 3 * (6 * 9 * 13 * 8 + 13 * 2);
      EXPECT_EQ(compare(memory, "run.idx", {"field", "small"}), n_bytes) << failing;
    } else if (const auto dataset = open_dataset(memory, "run.idx"); dataset.ok()) {
      EXPECT_LE(std::ssize((*dataset)->times), 3) << failing;
      (void)compare_values(**dataset, *file);
    }
  }
  EXPECT_GT(n_errors, 5);
}

/// A variable that no rank puts. Its definition may read the file.
void add_variable(const Communicator& comm, cdf::SharedFile& file, Companion& companion,
                  std::atomic<int>& reads) {
  file.redefine().check();
  file.definition().variables.push_back({"later", {}, {}, netcdf::Type::kInt});
  file.end_definition({}).check();
  comm.get()->barrier();
  reads = 0;
  comm.get()->barrier();
  companion.take_definition().check();
}

/// Whether a record, or a fixed field, that one put covers is read back.
TEST_P(CompanionTest, WhatOnePutCoversIsNotReadBack) {
  for (const bool has_records : {false, true}) {
    std::atomic<int> reads = 0;
    const auto memory = memory_store();
    const auto store = faulty_store(memory, [&](StoreCall call, const std::string& path) {
      reads += call == StoreCall::kRead && path.find("run.nc") != std::string::npos ? 1 : 0;
      return 0;
    });
    run_ranks(GetParam(), [&](const Communicator& comm) {
      const auto file =
          cdf::SharedFile::create(comm.get(), store, "run.nc", cdf::Version::kData64, true, Options())
              .value();
      file->definition().dims = {{"t", 0}, {"y", 12}, {"x", 5}};
      std::vector<int> dims{1, 2};
      if (has_records) dims.insert(dims.begin(), 0);
      file->definition().variables = {{"a", dims, {}, netcdf::Type::kFloat},
                                      {"b", dims, {}, netcdf::Type::kShort}};
      file->end_definition({}).check();
      Companion companion(comm.get(), store, *file, Options(), "idx", true);
      companion.take_definition().check();
      const Index first = 12 * comm.rank() / comm.size(), end = 12 * (comm.rank() + 1) / comm.size();
      const std::vector<float> a(60, 2.5f);
      const std::vector<std::int16_t> b(60, 7);
      for (Index record = 0; record < (has_records ? 3 : 1); ++record) {
        if (record == 1) add_variable(comm, *file, companion, reads);
        std::vector<cdf::Access> both(2);
        for (int v = 0; v < 2; ++v) {
          cdf::Access& each = both[static_cast<std::size_t>(v)];
          each.variable = v;
          each.start = {first, 0}, each.count = {end - first, 5};
          if (has_records)
            each.start.insert(each.start.begin(), record), each.count.insert(each.count.begin(), 1);
          each.memory_type = v == 0 ? netcdf::Type::kFloat : netcdf::Type::kShort;
          each.values = v == 0 ? static_cast<const void*>(a.data()) : b.data();
        }
        file->put({}, both).check();
        companion.note(both);
        companion.follow(both).check();
      }
      file->sync().check();
      comm.get()->barrier();
      EXPECT_EQ(reads, 0);
      companion.close().check();
      EXPECT_EQ(reads, 0);
      comm.get()->barrier();
      file->close().check();
    });
    EXPECT_EQ(compare(memory, "run.idx", {"a", "b"}), (has_records ? 3 : 1) * 60 * 6);
  }
}

TEST(CompanionTest, SaysWhatMemoryIsMissing) {
  const auto store = memory_store();
  Options options;
  options.memory_budget_bytes = 1 << 20;
  const auto file =
      cdf::SharedFile::create(serial_comm(), store, "run.nc", cdf::Version::kData64, true, options).value();
  file->definition().dims = {{"x", 1 << 20}};
  file->definition().variables = {{"a", {0}, {}, netcdf::Type::kFloat}};
  file->end_definition({}).check();
  Companion companion(serial_comm(), store, *file, options, "idx", true);
  companion.take_definition().check();
  companion.note(0, -1);
  const Status status = companion.commit();
  EXPECT_EQ(status.code(), Code::kOutOfMemory);
  EXPECT_NE(status.message().find("set ESKER_MEMORY_BUDGET to 8388608"), std::string::npos)
      << status.message();
  EXPECT_TRUE(companion.close().ok());
  file->close().check();
}

TEST(CompanionFormatTest, NamesADatasetNextToACdfFile) {
  Options options;
  for (const auto& [name, second] : {std::pair("auto", ""), std::pair("cdf", ""), std::pair("cdf1", ""),
                                     std::pair("cdf5+idx", "idx"), std::pair("cdf2+zarr", "zarr")}) {
    options.set("format", name).check();
    EXPECT_EQ(companion_format(options).value(), second);
  }
  for (const char* name : {"idx", "zarr", "netcdf4", "netcdf4+idx", "zarr+idx", "vtkhdf"}) {
    options.set("format", name).check();
    EXPECT_EQ(companion_format(options).status().code(), Code::kInvalidArgument) << name;
  }
}

TEST(CompanionFormatTest, HasOtherNamesThanTheFile) {
  EXPECT_EQ(companion_path("out/run.nc", "idx"), "out/run.idx");
  EXPECT_EQ(companion_path("run.nc", "zarr"), "run.zarr");
  EXPECT_EQ(companion_path("out.d/run", "idx"), "out.d/run.levels.idx");
}

}  // namespace
}  // namespace esker
