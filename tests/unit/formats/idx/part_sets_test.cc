#include "formats/idx/part_sets.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/faulty_store.h"

namespace esker::idx {
namespace {

class PartSetsTest : public testing::Test {
 protected:
  PartSetsTest() {
    const Box box{{0, 0, 0}, {33, 20, 17}};
    grid_.emplace(Bitmask::for_extent(3, box.hi).value(), 4, box);
    const auto set = std::make_shared<BlockSet>(*grid_, BlockRuns{{0, 5}, {7, 8}});
    bytes_ = encode_block_sets({{{set, 17}, {set, 17}}, {}}).value();
    for (int step = 0; step < 4; ++step) {
      memory_->open(path_of(step), OpenMode::kWrite).value()->write_at(bytes_, 0).check();
    }
  }

  static std::string path_of(int step) { return "step" + std::to_string(step); }

  Result<PartSets::Sets> load(PartSets& sets, int step) {
    return sets.load(*store_, path_of(step), block_sets_sum(bytes_), *grid_, 2);
  }

  std::optional<BlockGrid> grid_;
  std::vector<std::byte> bytes_;
  std::atomic<int> opened_ = 0;
  std::shared_ptr<Store> memory_ = memory_store();
  std::shared_ptr<Store> store_ = faulty_store(memory_, [this](StoreCall call, const std::string&) {
    opened_ += call == StoreCall::kOpen ? 1 : 0;
    return 0;
  });
};

TEST_F(PartSetsTest, AreReadOnce) {
  PartSets sets;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int step = 0; step < 4; ++step) EXPECT_EQ(load(sets, step).value()->columns[1].num_primary, 17);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened_, 4);
}

// Those of two steps are kept here, and always those of the last one.
TEST_F(PartSetsTest, AreKeptInALimitedMemory) {
  PartSets two(45000);
  for (const int step : {0, 1, 0, 1}) ASSERT_TRUE(load(two, step).ok());
  EXPECT_EQ(opened_, 2);
  for (const int step : {2, 0, 2, 0}) ASSERT_TRUE(load(two, step).ok());
  EXPECT_EQ(opened_, 4);
  PartSets one(1);
  for (const int step : {0, 0, 1, 1, 0, 0}) ASSERT_TRUE(load(one, step).ok());
  EXPECT_EQ(opened_, 7);
}

TEST_F(PartSetsTest, AreReadAgainAfterAnError) {
  PartSets sets;
  ASSERT_TRUE(memory_->remove(path_of(0)).ok());
  EXPECT_EQ(load(sets, 0).status().code(), Code::kDataLoss);
  memory_->open(path_of(0), OpenMode::kWrite).value()->write_at(bytes_, 0).check();
  EXPECT_TRUE(load(sets, 0).ok());
}

}  // namespace
}  // namespace esker::idx
