// The memory budget as the system sees it: how much the ranks' memory grows in end_step. Counted is Pss,
// which has a shared page once, over all ranks; the memory of plans is not of the budget and is told beside
// it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "esker/esker.hpp"
#include "support/mpi_fixture.h"
#include "support/runs.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture
using Json = nlohmann::json;

constexpr Index kMiB = Index{1} << 20;
/// Stacks, files' tables, texts, what MPI allocates for its messages: of one rank, whatever the budget.
constexpr Index kSlackBytes = kMiB;

Index pss_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    Index kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

/// The largest Pss of this process since it was made, by looking again and again.
class PeakMemory {
 public:
  PeakMemory() : before_(pss_bytes()), peak_(before_), thread_([this] { look(); }) {}
  PeakMemory(const PeakMemory&) = delete;
  PeakMemory& operator=(const PeakMemory&) = delete;
  ~PeakMemory() { (void)growth_bytes(); }
  Index growth_bytes() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    return std::max(peak_, pss_bytes()) - before_;
  }

 private:
  void look() {
    while (!ends_) {
      peak_ = std::max(peak_, pss_bytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  Index before_, peak_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

struct Size {
  const char* name;
  Point dims;  // of float32, on four ranks
};
constexpr Size k16{"16 MiB", {256, 256, 256}};
constexpr Size k64{"64 MiB", {512, 512, 256}};
constexpr Size k256{"256 MiB", {1024, 512, 512}};

class BudgetTest : public MpiTest {
 protected:
  void SetUp() override {
    MpiTest::SetUp();
    if (comm_.size() != 4) GTEST_SKIP() << "four ranks";
    if (pss_bytes() == 0) GTEST_SKIP() << "no /proc/self/smaps_rollup";
    ::mallopt(M_MMAP_THRESHOLD, 64 << 10);  // what is freed is given back, so that the next run grows by it
  }

  Writer create(const std::map<std::string, std::string>& way, Index budget, const Point& dims) {
    Options options;
    options.report = "none";
    options.overwrite = true;
    options.bits_per_block = 16;
    options.aggregators = comm_.size();
    options.memory_budget_bytes = budget;
    for (const auto& [name, value] : way) options.set(name, value).check();
    Writer writer = Writer::create(path("run.idx"), comm_, options).value();
    std::vector<DimId> ids;
    for (const int a : {0, 1, 2}) ids.push_back(writer.def_dim(std::string(1, "xyz"[a]), dims[a]).value());
    (void)writer.def_field(writer.def_grid("xyz", ids).value(), "t", SampleType::kFloat32).value();
    return writer;
  }

  /// Two by two boxes, the steps of which have a plan and none.
  void write(const std::map<std::string, std::string>& way, Index budget, const Size& size) {
    Box mine(3, Point{}, size.dims);
    for (const int a : {0, 1}) {
      const Index half = size.dims[a] / 2;
      mine.lo[a] = half * (comm_.rank() >> a & 1);
      mine.hi[a] = mine.lo[a] + half;
    }
    const std::vector<float> samples(static_cast<std::size_t>(mine.num_samples()), 1.5F);
    Writer writer = create(way, budget, size.dims);
    ::malloc_trim(0);
    comm_.get()->barrier();
    std::array<double, 2> growth{};
    for (const int step : {0, 1}) {
      writer.begin_step(step).check();
      writer.put(FieldId{0}, Patch::dense(mine, samples.data())).check();
      comm_.get()->barrier();
      PeakMemory memory;
      writer.end_step().check();
      growth[static_cast<std::size_t>(step)] = static_cast<double>(memory.growth_bytes());
      comm_.get()->barrier();
    }
    comm_.get()->all_reduce_sum(growth);
    const Json amounts = Json::parse(writer.report_json().value())["per_rank"];
    const double buffers = comm_.size() * amounts["peak_buffer_bytes"]["mean"].get<double>();
    const double plans = comm_.size() * amounts["plan_bytes"]["mean"].get<double>();
    writer.close().check();
    if (comm_.rank() == 0) {
      std::printf(
          "%-24s budget %3td MiB, %-7s per rank: all ranks grow by %6.1f MiB, then %5.1f; buffers %6.1f, "
          "plans %5.1f\n",
          text_of(way).c_str(), budget / kMiB, size.name, growth[0] / kMiB, growth[1] / kMiB, buffers / kMiB,
          plans / kMiB);
    }
    const auto limit = static_cast<double>(comm_.size() * (budget + kSlackBytes));
    EXPECT_LE(buffers, static_cast<double>(comm_.size() * budget));
    // Slots of shared windows that are not needed are not touched.
    EXPECT_GE(growth[0], buffers / 8) << "what is counted is not what grows";
    EXPECT_LE(growth[0], limit + plans);
    EXPECT_LE(growth[0] + growth[1], limit + plans);
    comm_.get()->barrier();
  }

  void write_all_ways(Index budget, const Size& size) {
    for (const auto& way : ways_to_move()) {
      SCOPED_TRACE(text_of(way) + ", " + size.name);
      write(way, budget, size);
    }
  }
};

TEST_F(BudgetTest, HoldsFor16MiBPerRank) { write_all_ways(4 * kMiB, k16); }
TEST_F(BudgetTest, LongHoldsFor16MiBPerRank) {
  for (const Index budget : {16, 64}) write_all_ways(budget * kMiB, k16);
}
TEST_F(BudgetTest, LongHoldsFor64MiBPerRank) {
  for (const Index budget : {4, 16, 64}) write_all_ways(budget * kMiB, k64);
}
TEST_F(BudgetTest, LongHoldsFor256MiBPerRank) {
  for (const Index budget : {4, 16, 64}) write_all_ways(budget * kMiB, k256);
}

}  // namespace
}  // namespace esker
