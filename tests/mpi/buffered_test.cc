// put_buffered: the caller's memory is free at once, numbers become those of the field, and the copies are
// counted in the memory budget.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "base/max_part.h"
#include "esker/esker.hpp"
#include "support/mpi_fixture.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: the fixture
using Json = nlohmann::json;

constexpr Index kColumns = 24, kRows = 11;

class BufferedTest : public MpiTest {
 protected:
  Writer create(const std::string& name, SampleType type, int components, Index budget = 1 << 20) {
    Options options;
    options.report = "none";
    options.bits_per_block = 6;
    options.overwrite = true;
    options.memory_budget_bytes = budget;
    Writer writer = Writer::create(path(name), comm_, options).value();
    const DimId x = writer.def_dim("x", kColumns).value(), y = writer.def_dim("y", kRows).value();
    const GridId map = writer.def_grid("map", {x, y}).value();
    field_ = writer.def_field(map, "v", type, {.components = components}).value();
    return writer;
  }

  /// This rank's columns.
  [[nodiscard]] Box mine() const {
    return {{kColumns * comm_.rank() / comm_.size(), 0},
            {kColumns * (comm_.rank() + 1) / comm_.size(), kRows}};
  }

  template <class T>
  static T value(Index x, Index y, int component, Index step) {
    return static_cast<T>(x * 100 + y + 0.25 * component + static_cast<double>(step));
  }

  /// The samples that all ranks put, in the field's type.
  template <class T>
  void expect_values(const std::string& name, int components, Index step) {
    const Dataset dataset = Dataset::open(path(name)).value();
    std::vector<T> samples(static_cast<std::size_t>(kColumns * kRows * components));
    dataset.read({.field = "v", .step = step}, samples.data(), samples.size() * sizeof(T)).check();
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto c = static_cast<int>(static_cast<Index>(i) % components);
      const Index sample = static_cast<Index>(i) / components;
      ASSERT_EQ(samples[i], static_cast<T>(value<double>(sample % kColumns, sample / kColumns, c, step)))
          << i;
    }
  }

  FieldId field_;
};

TEST_F(BufferedTest, ConvertsFromAnyLayoutAndCopiesTheCallersMemory) {
  Writer writer = create("run.idx", SampleType::kFloat32, 2);
  const Box box = mine();
  const Index nx = box.extent(0), row = kRows + 3, plane = row * nx;
  for (const Index step : {0, 1, 2}) {
    // y fastest with three more, the components apart; then another type; backwards in memory at last.
    std::vector<double> samples(static_cast<std::size_t>(2 * plane), std::nan(""));
    std::vector<std::int32_t> whole(samples.size(), -1);
    const bool backwards = step == 2;
    Patch patch{box, samples.data(), SampleType::kFloat64, {8 * row, 8}, 8 * plane};
    if (backwards) {
      patch = {box, samples.data() + 2 * plane - 1, SampleType::kFloat64, {-8 * row, -8}, -8 * plane};
    }
    for (int c = 0; c < 2; ++c) {
      for (Index x = 0; x < nx; ++x) {
        for (Index y = 0; y < kRows; ++y) {
          const Index at = c * plane + x * row + y;
          samples[static_cast<std::size_t>(backwards ? 2 * plane - 1 - at : at)] =
              value<double>(box.lo[0] + x, y, c, step);
        }
      }
    }
    writer.begin_step(static_cast<double>(step)).check();
    writer.put_buffered(field_, patch).check();
    std::fill(samples.begin(), samples.end(), -777);
    writer.end_step().check();
    expect_values<float>("run.idx", 2, step);
  }
  const Json report = Json::parse(writer.report_json().value());
  const double most = report["per_rank"]["copied_bytes"]["max"];
  EXPECT_GE(most, static_cast<double>(kColumns / comm_.size() * kRows * 8));
  writer.close().check();
}

TEST_F(BufferedTest, WritesTheFilesOfPut) {
  std::vector<std::string> texts;
  for (const bool buffered : {false, true}) {
    Writer writer = create("same.idx", SampleType::kInt16, 1);
    std::vector<std::int16_t> samples(static_cast<std::size_t>(mine().num_samples()));
    std::iota(samples.begin(), samples.end(), static_cast<std::int16_t>(comm_.rank() * 1000));
    for (const Index step : {0, 1}) {
      writer.begin_step(static_cast<double>(step)).check();
      const Patch patch = Patch::dense(mine(), samples.data());
      (buffered ? writer.put_buffered(field_, patch) : writer.put(field_, patch)).check();
      writer.end_step().check();
    }
    writer.close().check();
    const Dataset dataset = Dataset::open(path("same.idx")).value();
    std::vector<std::int16_t> all(kColumns * kRows);
    dataset.read({.field = "v", .step = 1}, all.data(), all.size() * 2).check();
    texts.emplace_back(reinterpret_cast<const char*>(all.data()), all.size() * 2);
    comm_.get()->barrier();
  }
  EXPECT_TRUE(texts[0] == texts[1]);
}

TEST_F(BufferedTest, NamesTheValueThatDoesNotFitOnAllRanks) {
  Writer writer = create("range.idx", SampleType::kUint8, 1);
  std::vector<std::int32_t> samples(static_cast<std::size_t>(mine().num_samples()), 255);
  const Index nx = mine().extent(0);
  for (const bool fits : {false, true}) {
    if (is_last_rank()) samples[static_cast<std::size_t>(2 * nx + 1)] = fits ? 7 : 300;
    writer.begin_step(0).check();
    const Status put = writer.put_buffered(field_, Patch::dense(mine(), samples.data()));
    EXPECT_EQ(put.ok(), fits || !is_last_rank()) << put.message();
    const Status ended = writer.end_step();
    if (fits) {
      EXPECT_TRUE(ended.ok()) << ended.message();
      continue;
    }
    expect_everywhere(ended, Code::kOutOfRange);
    const Index x = kColumns * (comm_.size() - 1) / comm_.size() + 1;
    const std::string text = "sample (" + std::to_string(x) + ", 2) is 300, which uint8 cannot hold";
    EXPECT_NE(ended.message().find(text), std::string::npos) << ended.message();
  }
  writer.close().check();
}

// The step is as large as the budget, so that its rounds use all of it.
TEST_F(BufferedTest, CopiesTakeAtMostHalfOfTheBudget) {
  constexpr Index kSide = 128, kBudget = kSide * kSide * 8;
  if (max_part_bytes() < static_cast<std::size_t>(kBudget)) {
    GTEST_SKIP() << "rounds are as small as parts of messages at any budget";
  }
  for (const bool buffered : {false, true}) {
    Options options;
    options.bits_per_block = 6;
    options.overwrite = true;
    options.memory_budget_bytes = kBudget;
    Writer writer = Writer::create(path("half.idx"), comm_, options).value();
    const DimId x = writer.def_dim("x", kSide).value(), y = writer.def_dim("y", kSide).value();
    const FieldId field =
        writer.def_field(writer.def_grid("map", {x, y}).value(), "v", SampleType::kFloat64, {}).value();
    const Index begin = kSide * comm_.rank() / comm_.size(), end = kSide * (comm_.rank() + 1) / comm_.size();
    const std::vector<double> samples(kSide * kSide, 1.5);
    for (const Index step : {0, 1}) {
      writer.begin_step(static_cast<double>(step)).check();
      const Patch first = Patch::dense({{begin, 0}, {begin + 1, kSide}}, samples.data());
      (buffered ? writer.put_buffered(field, first) : writer.put(field, first)).check();
      writer.put(field, Patch::dense({{begin + 1, 0}, {end, kSide}}, samples.data())).check();
      writer.end_step().check();
    }
    const Json amounts = Json::parse(writer.report_json().value())["per_rank"];
    const Index used =
        amounts["peak_buffer_bytes"]["max"].get<Index>() + amounts["plan_bytes"]["max"].get<Index>();
    EXPECT_LE(used, buffered ? kBudget / 2 : kBudget);
    if (comm_.size() == 1 && !buffered) {
      EXPECT_GT(used, kBudget / 2);
    }
    writer.close().check();
  }
}

TEST_F(BufferedTest, CopiesAndBuffersShareTheBudget) {
  constexpr Index kBudget = 32 << 10;
  Writer writer = create("budget.idx", SampleType::kFloat64, 1, kBudget);
  const std::vector<double> samples(kColumns * kRows, 1.5);
  const Box whole{{0, 0}, {kColumns, kRows}};
  const Index copy = kColumns * kRows * 8;  // 2112 bytes
  for (const Index step : {0, 1, 2, 3}) {
    writer.begin_step(static_cast<double>(step)).check();
    const Patch patch = Patch::dense(whole, samples.data());
    const Index most = kBudget / 2 / copy;
    Status put;
    if (comm_.rank() == 0) {
      // Step 1 has one copy, step 2 as many as are refused.
      for (Index n = 0; n < (step == 2 ? most + 1 : 1) && put.ok(); ++n) {
        put = step == 0 ? writer.put(field_, patch) : writer.put_buffered(field_, patch);
      }
    }
    EXPECT_EQ(put.ok(), step != 2 || comm_.rank() != 0) << put.message();
    const Status ended = writer.end_step();
    if (step == 2) {
      expect_everywhere(ended, Code::kOutOfMemory);
      EXPECT_NE(ended.message().find("set memory_budget to " + std::to_string(2 * (most + 1) * copy)),
                std::string::npos)
          << ended.message();
      break;
    }
    ASSERT_TRUE(ended.ok()) << ended.message();
    const Json amounts = Json::parse(writer.report_json().value())["per_rank"];
    if (step > 0) {
      EXPECT_EQ(amounts["copied_bytes"]["max"].get<Index>(), copy);
    }
  }
  writer.close().check();
}

}  // namespace
}  // namespace esker
