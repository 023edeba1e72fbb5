// Several threads read one dataset at once, through one cache of open files.
#include <gtest/gtest.h>

#include <thread>

#include "formats/idx/idx_dataset.h"
#include "model/field_facts.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/scenario.h"
#include "write/boxes.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: scenario

TEST(Threads, ReadTheSameFilesAtOnce) {
  const auto store = memory_store();
  const RunPlan run;
  ASSERT_TRUE(write_all(store, run).ok());
  const auto dataset = idx::IdxDataset::open(store, run.path).value();
  const auto read_all = [&] {
    for (std::size_t f = 0; f < dataset.schema.fields().size(); ++f) {
      const Field& field = dataset.schema.fields()[f];
      const auto& place = dataset.places[f];
      const idx::IdxPart& part = *dataset.parts[place.part];
      std::vector<Point> points;
      for_each_point(part.header().box, [&](const Point& p) { points.push_back(p); });
      for (Index step = 0; step < (field.fixed ? 1 : run.end_step); ++step) {
        if (!is_due(field, step)) continue;
        const auto expected = expected_samples(field, static_cast<int>(f), step, points);
        std::vector<std::byte> answer(expected.size());
        const Status status =
            read_box(part, place.columns, step, part.header().box, part.header().bitmask.max_level(),
                     answer.data(), {.verify = step == 1});
        EXPECT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(answer, expected) << field.name << " " << step;
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(read_all);
}

}  // namespace
}  // namespace esker
