#include "model/patch_cover.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

const Mesh kMesh{.axes = {"x", "y"}, .extent = {4, 2}, .ratios = {{2, 2}}};

TEST(PatchCover, PatchesOutsideOfTheirLevelAreDamage) {
  EXPECT_TRUE(
      check_patches(kMesh, std::vector<MeshBox>{{0, Box{{0, 0}, {4, 2}}}, {1, Box{{6, 2}, {8, 4}}}}).ok());
  for (const MeshBox& wrong :
       {MeshBox{2, Box{{0, 0}, {1, 1}}}, MeshBox{1, Box{{6, 2}, {9, 4}}}, MeshBox{0, Box{{0, 0}, {4, 3}}}}) {
    EXPECT_EQ(check_patches(kMesh, std::vector<MeshBox>{wrong}).code(), Code::kDataLoss);
  }
}

// Sums of their samples would not fit in an Index.
TEST(PatchCover, MoreSamplesThanTheLevelHasAreDamage) {
  const Mesh huge{.axes = {"x", "y"}, .extent = {Index{1} << 30, Index{1} << 30}, .ratios = {{2, 2}}};
  const std::vector<MeshBox> patches(5, {1, huge.domain(1)});
  EXPECT_EQ(check_patches(huge, patches).code(), Code::kDataLoss);
}

TEST(PatchCover, NodesOnBordersMayBeInSeveralPatches) {
  Mesh nodes = kMesh;  // 5 x 3 nodes
  nodes.centering = Centering::kNodes;
  std::vector<MeshBox> patches;
  for (Index x = 0; x < 4; ++x) {
    for (Index y = 0; y < 2; ++y) patches.push_back({0, Box{{x, y}, {x + 2, y + 2}}});
  }
  EXPECT_TRUE(check_patches(nodes, patches).ok());
  const Lattice all{2, {0, 0}, {1, 1}, {9, 5}};
  EXPECT_TRUE(samples_in_patches(nodes, patches, all).empty());
  patches.pop_back();
  EXPECT_FALSE(samples_in_patches(nodes, patches, all).empty());
  const std::vector<MeshBox> repeated(5, {0, nodes.domain(0)});
  EXPECT_EQ(check_patches(nodes, repeated).code(), Code::kDataLoss);
}

TEST(PatchCover, FlagsSamplesInCellsOfPatches) {
  const Lattice all{2, {0, 0}, {1, 1}, {8, 4}};
  const std::vector<MeshBox> patches{{0, Box{{1, 0}, {2, 2}}}, {1, Box{{7, 3}, {8, 4}}}};
  const std::vector<std::uint8_t> expected{0, 0, 1, 1, 0, 0, 0, 0,  //
                                           0, 0, 1, 1, 0, 0, 0, 0,  //
                                           0, 0, 1, 1, 0, 0, 0, 0,  //
                                           0, 0, 1, 1, 0, 0, 0, 1};
  EXPECT_EQ(samples_in_patches(kMesh, patches, all), expected);
  const std::vector<MeshBox> whole{{0, kMesh.domain(0)}};
  EXPECT_TRUE(samples_in_patches(kMesh, whole, all).empty());
}

}  // namespace
}  // namespace esker
