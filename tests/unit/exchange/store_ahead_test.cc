#include "exchange/store_ahead.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

namespace esker {
namespace {

using Rounds = std::vector<std::size_t>;

TEST(StoreAhead, StoresInOrderAndAllBeforeItEnds) {
  for (const bool in_thread : {false, true}) {
    Rounds stored;
    {
      StoreAhead ahead([&](std::size_t round) { stored.push_back(round); }, in_thread);
      EXPECT_EQ(ahead.in_thread(), in_thread);
      for (int i = 0; i < 3; ++i) ahead.add();
      EXPECT_TRUE(ahead.have_stored(3, true));
      EXPECT_EQ(stored, (Rounds{0, 1, 2}));
      ahead.add();
    }
    EXPECT_EQ(stored, (Rounds{0, 1, 2, 3}));
  }
}

TEST(StoreAhead, FillsTheNextBufferWhileOneIsStored) {
  std::latch filled(2);
  StoreAhead ahead(
      [&](std::size_t round) {
        if (round == 0) filled.wait();
      },
      true);
  for (int i = 0; i < 2; ++i) {
    ahead.add();
    EXPECT_FALSE(ahead.have_stored(1, false));
    filled.count_down();
  }
  EXPECT_TRUE(ahead.have_stored(2, true));
}

TEST(StoreAhead, StoresInPlaceWithoutAThread) {
  std::thread::id stored_by;
  StoreAhead ahead([&](std::size_t) { stored_by = std::this_thread::get_id(); }, false);
  ahead.add();
  EXPECT_TRUE(ahead.have_stored(1, false));
  EXPECT_EQ(stored_by, std::this_thread::get_id());
}

}  // namespace
}  // namespace esker
