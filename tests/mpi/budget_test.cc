// The memory budget and the growth of the ranks' memory in end_step, measured as Pss, which counts a shared
// page once over all ranks. The budget includes the buffers and the plan.
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
/// Stacks, tables of files, texts and MPI's buffers of one rank, which do not depend on the budget.
constexpr Index kSlackBytes = kMiB;

Index pss_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    Index kilobytes = 0;
    if (word == "Pss:" && file >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

/// The largest Pss of this process since construction, by sampling.
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
    ::mallopt(M_MMAP_THRESHOLD,
              64 << 10);  // freed memory is returned to the system, so that the next run grows again
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

  /// Two by two boxes; a step with a new plan, and a step without.
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
    EXPECT_LE(buffers + plans, static_cast<double>(comm_.size() * budget));
    // Slots of shared buffers that are not needed are not touched.
    EXPECT_GE(growth[0], buffers / 8) << "the counted bytes are not the growth";
    EXPECT_LE(growth[0], limit);
    EXPECT_LE(growth[0] + growth[1], limit);
    comm_.get()->barrier();
  }

  using Ways = std::vector<std::map<std::string, std::string>>;
  void write_all_ways(Index budget, const Size& size, const Ways& ways = ways_to_move()) {
    for (const auto& way : ways) {
      SCOPED_TRACE(text_of(way) + ", " + size.name);
      write(way, budget, size);
    }
  }
};

// An adaptive mesh: patches of 4 x 4 x 4, many of them on each of four ranks, in many fields.
class ManyPatches : public BudgetTest {
 protected:
  Writer create_fields(const std::map<std::string, std::string>& way, Index budget, int n_fields,
                       Index n_planes) {
    Options options;
    options.report = "none";
    options.overwrite = true;
    options.memory_budget_bytes = budget;
    for (const auto& [name, value] : way) options.set(name, value).check();
    Writer writer = Writer::create(path("run.idx"), comm_, options).value();
    const DimId x = writer.def_dim("x", 160).value();
    const DimId y = writer.def_dim("y", 160).value();
    const DimId z = writer.def_dim("z", 4 * n_planes).value();
    const GridId grid = writer.def_grid("xyz", {x, y, z}).value();
    for (int f = 0; f < n_fields; ++f) {
      (void)writer.def_field(grid, "f" + std::to_string(f), SampleType::kFloat64).value();
    }
    return writer;
  }

  /// Half of x, half of y; 400 in each plane of patches.
  [[nodiscard]] std::vector<Box> my_boxes(Index n_planes) const {
    std::vector<Box> boxes;
    const Index x0 = comm_.rank() % 2 * 80, y0 = comm_.rank() / 2 * 80;
    for (Index z = 0; z < 4 * n_planes; z += 4) {
      for (Index y = y0; y < y0 + 80; y += 4) {
        for (Index x = x0; x < x0 + 80; x += 4) boxes.push_back(Box{{x, y, z}, {x + 4, y + 4, z + 4}});
      }
    }
    return boxes;
  }

  static Status write_step(Writer& writer, const std::vector<Box>& boxes, int n_fields, int step) {
    static const std::vector<double> kSamples(64, 1.5);
    writer.begin_step(step).check();
    for (int f = 0; f < n_fields; ++f) {
      for (const Box& box : boxes) writer.put(FieldId{f}, Patch::dense(box, kSamples.data())).check();
    }
    return writer.end_step();
  }

  /// Writes a step within a budget of 8 MiB. How much a rank has grown from the first put on: the highest
  /// mark, with what the allocator keeps.
  double growth_of_step(const std::map<std::string, std::string>& way, int n_fields, Index n_planes) {
    const std::vector<Box> boxes = my_boxes(n_planes);
    Writer writer = create_fields(way, 8 * kMiB, n_fields, n_planes);
    ::malloc_trim(0);
    comm_.get()->barrier();
    PeakMemory memory;
    write_step(writer, boxes, n_fields, 0).check();
    std::array<double, 1> growth{static_cast<double>(memory.growth_bytes())};
    const double plan_s = writer.last_step().plan_s;
    comm_.get()->all_reduce_sum(growth);
    const Json amounts = Json::parse(writer.report_json().value())["per_rank"];
    const double buffers = amounts["peak_buffer_bytes"]["max"].get<double>();
    const double plan = amounts["plan_bytes"]["max"].get<double>();
    writer.close().check();
    if (comm_.rank() == 0) {
      std::printf("%zu patches, %d fields %s: a rank grows by %.1f MiB; buffers %.2f, plan %.2f, %.2f s\n",
                  boxes.size(), n_fields, text_of(way).c_str(), growth[0] / 4 / kMiB, buffers / kMiB,
                  plan / kMiB, plan_s);
    }
    EXPECT_GT(plan, static_cast<double>(boxes.size() * 8));
    EXPECT_LE(buffers + plan, 8.0 * kMiB);
    return growth[0] / 4;
  }
};

TEST_F(ManyPatches, OfManyFieldsFitInTheBudget) {
  for (const auto& way : {std::map<std::string, std::string>{}, {{"transport", "messages"}}}) {
    (void)growth_of_step(way, 8, 5);
  }
}

TEST_F(ManyPatches, LongTwoThousandOfEightFieldsTake16MiB) {
  for (const auto& way : {std::map<std::string, std::string>{}, {{"transport", "messages"}}}) {
    EXPECT_LE(growth_of_step(way, 8, 5), 16.0 * kMiB);
  }
}

TEST_F(ManyPatches, LongTenThousandOfSixteenFieldsTake32MiB) {
  for (const auto& way : {std::map<std::string, std::string>{}, {{"transport", "messages"}}}) {
    EXPECT_LE(growth_of_step(way, 16, 25), 32.0 * kMiB);
  }
}

TEST_F(ManyPatches, ABudgetThatThePlanExceedsIsAnErrorThatNamesTheNeededBytes) {
  const std::vector<Box> boxes = my_boxes(1);
  Writer writer = create_fields({{"bits_per_block", "8"}}, 8 << 10, 2, 1);
  const Status status = write_step(writer, boxes, 2, 0);
  expect_everywhere(status, Code::kOutOfMemory);
  const std::string text = status.message();
  EXPECT_NE(text.find("for the plan"), std::string::npos) << text;
  writer.close().check();
  const Index needed = std::stoll(text.substr(text.find("needs ") + 6));
  Writer again = create_fields({{"bits_per_block", "8"}}, needed, 2, 1);
  const Status enough = write_step(again, boxes, 2, 0);
  EXPECT_TRUE(enough.ok()) << enough.message();
  again.close().check();
}

TEST_F(BudgetTest, HoldsFor16MiBPerRank) {
  write_all_ways(4 * kMiB, k16,
                 {{{"transport", "messages"}}, {{"transport", "shared"}}, ways_to_move().back()});
}
TEST_F(BudgetTest, HoldsForCompressedSteps) {
  for (const char* compression : {"zip", "zfp-accuracy=1e-3"}) {
    write({{"compression", compression}}, 8 * kMiB, k16);
    write({{"compression", compression}, {"transport", "messages"}}, 8 * kMiB, k16);
  }
}
TEST_F(BudgetTest, LongHoldsForCompressedStepsOf256MiBPerRank) {
  for (const char* compression : {"zip", "zfp-accuracy=1e-3"}) {
    write({{"compression", compression}}, 16 * kMiB, k256);
  }
}
TEST_F(BudgetTest, LongHoldsFor16MiBPerRank) {
  for (const Index budget : {4, 16, 64}) write_all_ways(budget * kMiB, k16);
}
TEST_F(BudgetTest, LongHoldsFor64MiBPerRank) {
  for (const Index budget : {4, 16, 64}) write_all_ways(budget * kMiB, k64);
}
TEST_F(BudgetTest, LongHoldsFor256MiBPerRank) {
  for (const Index budget : {4, 16, 64}) write_all_ways(budget * kMiB, k256);
}

}  // namespace
}  // namespace esker
