// Boxes that do not cover a grid exactly once are an error on all ranks, which names the right ranks and
// boxes.
#include "write/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "support/thread_comm.h"

namespace esker {
namespace {

using testing_support::run_ranks;

constexpr Index kWidth = 6;

/// Two fields on one grid and one on another, each rank with a slab of 6 along x.
struct Case {
  explicit Case(int n) : n_ranks(n) {
    const DimId x = schema.add_dim("x", n * kWidth).value();
    const DimId y = schema.add_dim("y", 5).value();
    const GridId map = schema.add_grid("map", {x, y}).value();
    const GridId line = schema.add_grid("line", {x}).value();
    for (const auto& [name, grid] : {std::pair("a", map), {"l", line}, {"b", map}}) {
      schema.add_field({.name = name, .grid = grid.index, .attributes = {}}).value();
    }
  }

  [[nodiscard]] static std::vector<std::vector<Box>> boxes_of_rank(int rank) {
    const Index x = rank * kWidth;
    const Box slab{{x, 0}, {x + kWidth, 5}};
    return {{slab}, {Box{{x}, {x + kWidth}}}, {slab}};
  }

  int n_ranks;
  Schema schema;
  std::vector<int> fields{0, 1, 2};
};

std::vector<PatchBoxes> as_lists(const std::vector<std::vector<Box>>& boxes) {
  std::vector<PatchBoxes> lists;
  for (const auto& of_field : boxes) lists.emplace_back(of_field);
  return lists;
}

using Change = std::function<void(int rank, std::vector<std::vector<Box>>& boxes)>;

/// The message that all ranks get when the ranks' boxes are changed.
std::string error_after(int n_ranks, const Change& change) {
  const Case test(n_ranks);
  std::vector<Status> of_rank(static_cast<std::size_t>(n_ranks));
  run_ranks(n_ranks, [&](const Communicator& comm) {
    auto mine = Case::boxes_of_rank(comm.rank());
    change(comm.rank(), mine);
    of_rank[static_cast<std::size_t>(comm.rank())] =
        share_boxes(*comm.get(), test.schema, test.fields, as_lists(mine), "step 3").status();
  });
  for (const Status& status : of_rank) {
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.message(), of_rank[0].message());
  }
  return of_rank[0].message();
}

class SharedBoxesTest : public testing::TestWithParam<int> {};

TEST_P(SharedBoxesTest, FieldsInTheSameBoxesShareThem) {
  const Case test(GetParam());
  for (const bool differ : {false, true}) {
    run_ranks(test.n_ranks, [&](const Communicator& comm) {
      auto mine = Case::boxes_of_rank(comm.rank());
      const bool is_last = comm.rank() == test.n_ranks - 1;
      if (differ && is_last) {  // on one rank only: two boxes for one
        mine[2].push_back(mine[2][0]);
        mine[2][0].hi[1] = mine[2][1].lo[1] = 2;
      }
      const SharedBoxes shared =
          share_boxes(*comm.get(), test.schema, test.fields, as_lists(mine), "step 3").value();
      EXPECT_EQ(shared.directory.lists().size(), differ ? 3u : 2u);
      EXPECT_EQ(shared.of_field.at(0) == shared.of_field.at(2), !differ);
      EXPECT_NE(shared.of_field.at(0), shared.of_field.at(1));
      EXPECT_EQ(shared.directory.num_holders(), test.n_ranks);
      for (int f = 0; f < 3; ++f) {
        EXPECT_EQ(shared.of_field.at(f)->boxes_of(comm.rank()), mine[static_cast<std::size_t>(f)]);
      }
    });
  }
}

TEST_P(SharedBoxesTest, AGapIsFound) {
  const int last = GetParam() - 1;
  const std::string text = error_after(GetParam(), [&](int rank, auto& boxes) {
    if (rank == last) boxes[2][0].lo[1] = 1;
  });
  EXPECT_NE(text.find("step 3: field 'b': no rank put the samples"), std::string::npos) << text;
  EXPECT_NE(text.find("x [0,1)"), std::string::npos) << text;
}

TEST_P(SharedBoxesTest, NamesTheWholeGapAndTheRanksThatPutNothing) {
  const int n = GetParam();
  if (n == 1) GTEST_SKIP() << "a rank that put nothing, and one that put something";
  const int idle = n / 2;
  const std::string text = error_after(n, [&](int rank, auto& boxes) {
    if (rank == idle) boxes[2] = {Box{{3, 3}, {3, 3}}};
  });
  const std::string begin = std::to_string(idle * kWidth), end = std::to_string((idle + 1) * kWidth);
  const std::string gap = "[" + begin + "," + end + ") x [0,5)";
  EXPECT_EQ(text, "step 3: field 'b': no rank put the samples " + gap + "; no samples came from rank " +
                      std::to_string(idle) + "; together the ranks' patches must cover the grid [0," +
                      std::to_string(n * kWidth) + ") x [0,5) exactly once");
}

TEST_P(SharedBoxesTest, AGapAcrossBricksIsOneBox) {
  const std::string text = error_after(GetParam(), [&](int, auto& boxes) { boxes[2][0].hi[1] = 2; });
  const std::string gap = "[0," + std::to_string(GetParam() * kWidth) + ") x [2,5);";
  EXPECT_NE(text.find("no rank put the samples " + gap), std::string::npos) << text;
}

TEST_P(SharedBoxesTest, AnOverlapNamesTheRanks) {
  const int last = GetParam() - 1;
  const int other = std::max(0, last - 1);
  const std::string text = error_after(GetParam(), [&](int rank, auto& boxes) {
    if (rank == other) boxes[1].push_back(Box{{last * kWidth}, {last * kWidth + 1}});
  });
  const std::string begin = std::to_string(last * kWidth);
  EXPECT_NE(text.find("step 3: field 'l': patches overlap in [" + begin + ","), std::string::npos) << text;
  EXPECT_NE(text.find("rank " + std::to_string(other) + " put ["), std::string::npos) << text;
  EXPECT_NE(text.find("rank " + std::to_string(last) + " put ["), std::string::npos) << text;
}

TEST_P(SharedBoxesTest, NamesAFieldThatNoRankPut) {
  const std::string text = error_after(GetParam(), [](int, auto& boxes) { boxes[1].clear(); });
  EXPECT_EQ(text, "step 3: field 'l' is due but no rank put it");
}

INSTANTIATE_TEST_SUITE_P(OnRanks, SharedBoxesTest, testing::Values(1, 2, 4, 7),
                         [](const auto& test) { return std::to_string(test.param); });

TEST(DenseAxes, AreThoseThatAllRanksHave) {
  run_ranks(3, [](const Communicator& comm) {
    const std::vector<double> samples(24);
    const Box box{{0, 0, 0}, {2, 3, 4}};
    const Patch rows = Patch::strided(box, samples.data(), {1, 2, 6});
    const Patch columns = Patch::strided(box, samples.data(), {4, 8, 1});
    const bool is_first = comm.rank() == 0;
    std::vector<PatchList> patches{{rows}, {columns}, {is_first ? rows : columns}, {columns}, {}};
    if (is_first) patches[3].clear();  // a rank without patches has no influence
    const auto axes = common_dense_axes(*comm.get(), patches);
    ASSERT_TRUE(axes.ok());
    EXPECT_EQ(*axes, (std::vector<int>{0, 2, 0, 2, 0}));
  });
}

}  // namespace
}  // namespace esker
