// The worked examples of docs/formats/idx.md (section 13), the block table that the project must
// reproduce, and what OpenVisus itself wrote (tests/golden/openvisus).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "grid/blocks.h"
#include "grid/copy_samples.h"
#include "grid/hz.h"
#include "grid/order.h"
#include "support/offsets.h"
#include "unit/grid/brute_force.h"

namespace esker {
namespace {

using Points = std::vector<Point>;

Lattice lattice_2d(Point origin, Index sx, Index sy, Index nx, Index ny) {
  return {.rank = 2, .origin = origin, .stride = {sx, sy, 1, 1, 1}, .count = {nx, ny, 1, 1, 1}};
}

Lattice lattice_3d(Point origin, Point stride, Point count) {
  for (int a = 3; a < kMaxRank; ++a) stride[a] = count[a] = 1;
  return {.rank = 3, .origin = origin, .stride = stride, .count = count};
}

// --- 8 x 8, V010101, 16 samples per block ---

BlockGrid grid_8x8() { return {Bitmask::parse("V010101").value(), 4, Box{{0, 0}, {8, 8}}}; }

TEST(Example8x8, HzAddresses) {
  const Index table[8][8] = {{0, 16, 4, 18, 1, 24, 6, 26},     {32, 33, 36, 37, 48, 49, 52, 53},
                             {8, 17, 9, 19, 12, 25, 13, 27},   {34, 35, 38, 39, 50, 51, 54, 55},
                             {2, 20, 5, 22, 3, 28, 7, 30},     {40, 41, 44, 45, 56, 57, 60, 61},
                             {10, 21, 11, 23, 14, 29, 15, 31}, {42, 43, 46, 47, 58, 59, 62, 63}};
  const Bitmask mask = grid_8x8().mask();
  for (Index y = 0; y < 8; ++y) {
    for (Index x = 0; x < 8; ++x) {
      EXPECT_EQ(hz_from_point(mask, {x, y}), table[y][x]) << x << "," << y;
      EXPECT_EQ(point_from_hz(mask, table[y][x]), (Point{x, y}));
    }
  }
}

TEST(Example8x8, LevelTable) {
  const Bitmask mask = grid_8x8().mask();
  EXPECT_EQ(mask.samples_new_at(0), lattice_2d({0, 0}, 8, 8, 1, 1));
  EXPECT_EQ(mask.samples_new_at(1), lattice_2d({4, 0}, 8, 8, 1, 1));
  EXPECT_EQ(mask.samples_new_at(2), lattice_2d({0, 4}, 4, 8, 2, 1));
  EXPECT_EQ(mask.samples_new_at(3), lattice_2d({2, 0}, 4, 4, 2, 2));
  EXPECT_EQ(mask.samples_new_at(4), lattice_2d({0, 2}, 2, 4, 4, 2));
  EXPECT_EQ(mask.samples_new_at(5), lattice_2d({1, 0}, 2, 2, 4, 4));
  EXPECT_EQ(mask.samples_new_at(6), lattice_2d({0, 1}, 1, 2, 8, 4));
}

TEST(Example8x8, BlockTable) {
  const BlockGrid grid = grid_8x8();
  EXPECT_EQ(grid.num_blocks(), 4);
  EXPECT_EQ(grid.lattice(0), lattice_2d({0, 0}, 2, 2, 4, 4));
  EXPECT_EQ(grid.lattice(1), lattice_2d({1, 0}, 2, 2, 4, 4));
  EXPECT_EQ(grid.lattice(2), lattice_2d({0, 1}, 1, 2, 4, 4));
  EXPECT_EQ(grid.lattice(3), lattice_2d({4, 1}, 1, 2, 4, 4));
  EXPECT_EQ(grid.level_of_block(1), 5);
  EXPECT_EQ(grid.level_of_block(2), 6);
  EXPECT_EQ(grid.level_of_block(3), 6);
}

/// The points of a piece in the order of `order`, from position `first` of the result on.
void place(const Lattice& lattice, const SampleOrder& order, Index first, Points& stored) {
  for (const Point& index : testing_support::points_of(lattice.all_indices())) {
    stored.at(static_cast<std::size_t>(first + order.at(index))) = lattice.point(index);
  }
}

TEST(Example8x8, StoredOrderOfBlock0) {
  const Points expected{{0, 0}, {4, 0}, {0, 4}, {4, 4}, {2, 0}, {2, 4}, {6, 0}, {6, 4},
                        {0, 2}, {2, 2}, {0, 6}, {2, 6}, {4, 2}, {6, 2}, {4, 6}, {6, 6}};
  const Bitmask mask = grid_8x8().mask();
  Points stored(16);
  for (int level = 0; level <= 4; ++level) {
    place(mask.samples_new_at(level), hz_order_in_level(mask, level), first_hz_of_level(level), stored);
  }
  EXPECT_EQ(stored, expected);

  const Lattice all = grid_8x8().lattice(0);
  place(all, row_major_order(2, all.count), 0, stored);
  EXPECT_EQ(Points(stored.begin(), stored.begin() + 5), (Points{{0, 0}, {2, 0}, {4, 0}, {6, 0}, {0, 2}}));
  EXPECT_EQ(stored.back(), (Point{6, 6}));
}

TEST(Example8x8, StoredOrderOfBlock2) {
  const Points expected{{0, 1}, {1, 1}, {0, 3}, {1, 3}, {2, 1}, {3, 1}, {2, 3}, {3, 3},
                        {0, 5}, {1, 5}, {0, 7}, {1, 7}, {2, 5}, {3, 5}, {2, 7}, {3, 7}};
  const Lattice block = grid_8x8().lattice(2);
  Points stored(16);
  place(block, hz_order_in_block(grid_8x8().mask(), 4, 6), 0, stored);
  EXPECT_EQ(stored, expected);
  place(block, row_major_order(2, block.count), 0, stored);
  EXPECT_EQ(Points(stored.begin(), stored.begin() + 5), (Points{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {0, 3}}));
  EXPECT_EQ(stored.back(), (Point{3, 7}));
}

// --- 16^3, 256 samples per block, 2 blocks per file ---

BlockGrid grid_16() {
  return {Bitmask::for_extent(3, {16, 16, 16}).value(), 8, Box{{0, 0, 0}, {16, 16, 16}}};
}

TEST(Example16, BlockTable) {
  const BlockGrid grid = grid_16();
  EXPECT_EQ(grid.mask().to_string(), "V012012012012");
  EXPECT_EQ(grid.lattice(0), lattice_3d({0, 0, 0}, {2, 2, 4}, {8, 8, 4}));
  EXPECT_EQ(grid.lattice(1), lattice_3d({0, 0, 2}, {2, 2, 4}, {8, 8, 4}));
  EXPECT_EQ(grid.lattice(2), lattice_3d({1, 0, 0}, {2, 2, 2}, {4, 8, 8}));
  EXPECT_EQ(grid.lattice(3), lattice_3d({9, 0, 0}, {2, 2, 2}, {4, 8, 8}));
  const Points level_11{{0, 1, 0}, {0, 9, 0}, {8, 1, 0}, {8, 9, 0}};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(grid.lattice(4 + i), lattice_3d(level_11[i], {1, 2, 2}, {8, 4, 8}));
  }
  const Points level_12{{0, 0, 1}, {0, 0, 9}, {0, 8, 1}, {0, 8, 9},
                        {8, 0, 1}, {8, 0, 9}, {8, 8, 1}, {8, 8, 9}};
  for (Index i = 0; i < 8; ++i) {
    EXPECT_EQ(grid.lattice(8 + i), lattice_3d(level_12[i], {1, 1, 2}, {8, 8, 4}));
  }
}

TEST(Example16, HzBitsOfBlock2) {
  const SampleOrder order = hz_order_in_block(grid_16().mask(), 8, 10);
  // position = y2 z2 x1 y1 z1 x0 y0 z0
  const SampleMap map = SampleMap::ordered(Box{{0, 0, 0}, {4, 8, 8}}, order, 1, {1, 1, 1, 1, 1});
  EXPECT_EQ(testing_support::offsets(map, 0), (std::vector<Index>{0, 4, 32, 36}));
  EXPECT_EQ(testing_support::offsets(map, 1), (std::vector<Index>{0, 2, 16, 18, 128, 130, 144, 146}));
  EXPECT_EQ(testing_support::offsets(map, 2), (std::vector<Index>{0, 1, 8, 9, 64, 65, 72, 73}));
}

struct LevelRow {
  int level;
  Index first_hz, last_hz, first_block, last_block, first_file, last_file;
};

TEST(Example16, LevelsAddressesBlocksAndFiles) {
  const LevelRow rows[] = {
      {0, 0, 0, 0, 0, 0, 0},        {1, 1, 1, 0, 0, 0, 0},       {2, 2, 3, 0, 0, 0, 0},
      {3, 4, 7, 0, 0, 0, 0},        {4, 8, 15, 0, 0, 0, 0},      {5, 16, 31, 0, 0, 0, 0},
      {6, 32, 63, 0, 0, 0, 0},      {7, 64, 127, 0, 0, 0, 0},    {8, 128, 255, 0, 0, 0, 0},
      {9, 256, 511, 1, 1, 0, 0},    {10, 512, 1023, 2, 3, 1, 1}, {11, 1024, 2047, 4, 7, 2, 3},
      {12, 2048, 4095, 8, 15, 4, 7}};
  const BlockGrid grid = grid_16();
  const Index blocks_per_file = 2;
  for (const LevelRow& row : rows) {
    SCOPED_TRACE(row.level);
    EXPECT_EQ(first_hz_of_level(row.level), row.first_hz);
    EXPECT_EQ(first_hz_of_level(row.level + 1) - 1, row.last_hz);
    std::set<Index> blocks, files;
    for (const Point& p : testing_support::points_of(grid.mask().samples_new_at(row.level))) {
      const Index hz = hz_from_point(grid.mask(), p);
      EXPECT_TRUE(row.first_hz <= hz && hz <= row.last_hz);
      blocks.insert(grid.block_of(p));
      files.insert(grid.block_of(p) / blocks_per_file);
    }
    EXPECT_EQ(*blocks.begin(), row.first_block);
    EXPECT_EQ(*blocks.rbegin(), row.last_block);
    EXPECT_EQ(static_cast<Index>(blocks.size()), row.last_block - row.first_block + 1);
    EXPECT_EQ(*files.begin(), row.first_file);
    EXPECT_EQ(*files.rbegin(), row.last_file);
    std::set<Index> visited;
    grid.for_each_block_meeting(grid.box(), std::max(row.level, 8), [&](Index b) { visited.insert(b); });
    EXPECT_EQ(visited, blocks);
  }
}

// --- 13 x 7 ---

TEST(Example13x7, BlockTable) {
  const BlockGrid grid(Bitmask::for_extent(2, {13, 7}).value(), 4, Box{{0, 0}, {13, 7}});
  EXPECT_EQ(grid.mask().to_string(), "V0101010");
  EXPECT_EQ(grid.mask().pow2_box(), (Box{{0, 0}, {16, 8}}));
  const Lattice expected[] = {lattice_2d({0, 0}, 4, 2, 4, 4), lattice_2d({2, 0}, 4, 2, 4, 4),
                              lattice_2d({0, 1}, 2, 2, 4, 4), lattice_2d({8, 1}, 2, 2, 4, 4),
                              lattice_2d({1, 0}, 2, 1, 4, 4), lattice_2d({1, 4}, 2, 1, 4, 4),
                              lattice_2d({9, 0}, 2, 1, 4, 4), lattice_2d({9, 4}, 2, 1, 4, 4)};
  ASSERT_EQ(grid.num_blocks(), 8);
  for (Index b = 0; b < 8; ++b) EXPECT_EQ(grid.lattice(b), expected[b]);
  EXPECT_EQ(grid.num_existing(), 8);
}

TEST(Example13x7, ShapesOfTheLevels) {
  const Bitmask mask = Bitmask::parse("V0101010").value();
  const Point shapes[] = {{1, 1}, {2, 1}, {2, 2}, {4, 2}, {4, 4}, {7, 4}, {7, 7}, {13, 7}};
  for (int level = 0; level <= 7; ++level) {
    const Box inside = mask.samples_up_to(level).indices_in(Box{{0, 0}, {13, 7}});
    EXPECT_EQ(inside.extent(0), shapes[level][0]) << level;
    EXPECT_EQ(inside.extent(1), shapes[level][1]) << level;
  }
}

// --- files of OpenVisus ---

using Json = nlohmann::json;

Box box_from(const Json& corners) {
  Box box;
  box.rank = static_cast<int>(corners[0].size());
  for (int a = 0; a < box.rank; ++a) box.lo[a] = corners[0][a], box.hi[a] = corners[1][a];
  return box;
}

const Json& datasets() {
  static const Json manifest = Json::parse(std::ifstream(ESKER_GOLDEN_DIR "/openvisus/manifest.json"));
  return manifest.at("datasets");
}

TEST(OpenVisusVectors, MasksAreTheDefault) {
  int n_checked = 0;
  for (const Json& d : datasets()) {
    const std::string name = d.at("name");
    if (name.find("custom_mask") != std::string::npos || name == "d3_flat_axis") continue;
    const Box box = box_from(d.at("box"));
    EXPECT_EQ(Bitmask::for_extent(box.rank, box.hi).value().to_string(), d.at("bits")) << name;
    ++n_checked;
  }
  EXPECT_EQ(n_checked, 28);
}

TEST(OpenVisusVectors, SameBlocksExist) {
  int n_absent = 0;
  for (const Json& d : datasets()) {
    if (d.contains("written_boxes")) continue;  // sparse: blocks are absent for another reason
    const Bitmask mask = Bitmask::parse(d.at("bits").get<std::string>()).value();
    const BlockGrid grid(mask, d.at("bitsperblock"), box_from(d.at("box")));
    for (const Json& row : d.at("full")) {
      EXPECT_EQ(grid.num_existing(), row.at("blocks").at("stored")) << d.at("name");
      EXPECT_EQ(grid.num_blocks() - grid.num_existing(), row.at("blocks").at("absent")) << d.at("name");
      n_absent += static_cast<int>(row.at("blocks").at("absent"));
    }
  }
  EXPECT_GT(n_absent, 0);
}

TEST(OpenVisusVectors, SameSamplesAnswerQueries) {
  int n_queries = 0;
  for (const Json& d : datasets()) {
    const Bitmask mask = Bitmask::parse(d.at("bits").get<std::string>()).value();
    for (const Json& query : d.at("queries")) {
      const Lattice level = mask.samples_up_to(query.at("end_resolution"));
      const Box inside = level.indices_in(box_from(query.at("box")));
      ASSERT_EQ(inside.empty(), query.value("empty", false)) << d.at("name") << query;
      if (inside.empty()) continue;
      for (int a = 0; a < mask.rank(); ++a) {
        const std::size_t slot = static_cast<std::size_t>(mask.rank() - 1 - a);  // shapes end with x
        EXPECT_EQ(inside.extent(a), query.at("shape")[slot]) << d.at("name") << query;
        EXPECT_EQ(level.stride[a], query.at("stride")[static_cast<std::size_t>(a)]);
        EXPECT_EQ(level.point(inside.lo)[a], query.at("logic_box")[0][static_cast<std::size_t>(a)]);
      }
      ++n_queries;
    }
  }
  EXPECT_GT(n_queries, 500);
}

/// One raw block of a worked example (one field, 2 blocks per file), found through its file's header.
std::string block_bytes(const std::string& name, Index block, Index size_bytes) {
  const std::string file_name = std::string("000") + "0123456789abcdef"[block / 2 * 2] + ".bin";
  std::ifstream file(ESKER_GOLDEN_DIR "/openvisus/" + name + "/" + name + "/" + file_name, std::ios::binary);
  std::array<unsigned char, 4> be{};
  file.seekg(40 + 40 * (block % 2) + 8);  // word 2 of the block's entry: its offset
  file.read(reinterpret_cast<char*>(be.data()), 4);
  std::string bytes(static_cast<std::size_t>(size_bytes), '\0');
  file.seekg(be[0] << 24 | be[1] << 16 | be[2] << 8 | be[3]);
  file.read(bytes.data(), size_bytes);
  EXPECT_TRUE(file.good()) << name << " block " << block;
  return bytes;
}

/// Little-endian sample number `i` of a block.
Index sample_at(const std::string& bytes, Index i, Index sample_bytes) {
  Index value = 0;
  for (Index k = sample_bytes - 1; k >= 0; --k) {
    value = value << 8 | static_cast<unsigned char>(bytes.at(static_cast<std::size_t>(i * sample_bytes + k)));
  }
  return value;
}

/// x + size y + size^2 z + 1: the samples of the vectors.
Index value_at(const Point& p, Index size) { return p[0] + size * p[1] + size * size * p[2] + 1; }

void expect_stored_bytes(const BlockGrid& grid, const std::string& name, Index sample_bytes) {
  const Index size = grid.box().hi[0];
  for (Index block = 0; block < grid.num_blocks(); ++block) {
    const std::string hz = block_bytes(name + "_hz", block, grid.samples_per_block() * sample_bytes);
    for (Index i = 0; i < grid.samples_per_block(); ++i) {
      const Point p = point_from_hz(grid.mask(), block * grid.samples_per_block() + i);
      ASSERT_EQ(sample_at(hz, i, sample_bytes), value_at(p, size)) << "block " << block;
    }
    const std::string row_major = block_bytes(name + "_rm", block, grid.samples_per_block() * sample_bytes);
    const Lattice lattice = grid.lattice(block);
    const SampleOrder order = row_major_order(lattice.rank, lattice.count);
    for (const Point& index : testing_support::points_of(lattice.all_indices())) {
      ASSERT_EQ(sample_at(row_major, order.at(index), sample_bytes), value_at(lattice.point(index), size));
    }
  }
}

TEST(OpenVisusVectors, StoredBytesFollowTheOrders) {
  expect_stored_bytes(grid_8x8(), "ex8x8", 1);
  expect_stored_bytes(grid_16(), "ex16cubed", 2);
}

}  // namespace
}  // namespace esker
