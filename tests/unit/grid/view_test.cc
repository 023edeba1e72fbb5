// The view of a camera, compared with a check of each sample.
#include "grid/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "base/checked.h"

namespace esker {
namespace {

constexpr Index kPerIndex = 3;  // checked points between two samples

/// The result of checking many points of a grid.
struct Seen {
  bool any = false;
  Vector3 lo{1e9, 1e9, 1e9}, hi{-1e9, -1e9, -1e9};  // indices of those in view
  Vector3 steps{};                                  // the most pixels that an index takes
};

struct Projected {
  bool in_view = false;
  double x = 0, y = 0;  // pixels
};

Projected project(const Camera& camera, const GridPlacement& placement, const Vector3& index) {
  std::array<double, 4> point{placement.origin[0], placement.origin[1], placement.origin[2], 1};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t d = 0; d < 3; ++d) point[d] += index[a] * placement.step[a][d];
  }
  std::array<double, 4> clip{};
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t c = 0; c < 4; ++c) clip[r] += camera.model_view_projection[4 * r + c] * point[c];
  }
  const double w = clip[3];
  Projected seen;
  seen.in_view = w > 0 && std::abs(clip[0]) <= w && std::abs(clip[1]) <= w && std::abs(clip[2]) <= w;
  seen.x = clip[0] / w * static_cast<double>(camera.width_pixels) / 2;
  seen.y = clip[1] / w * static_cast<double>(camera.height_pixels) / 2;
  return seen;
}

Seen look(const Box& grid, const Camera& camera, const GridPlacement& placement) {
  constexpr double kStep = 1e-4;
  Seen seen;
  Point fine{1, 1, 1, 1, 1};
  for (int a = 0; a < grid.rank; ++a) fine[a] = (grid.hi[a] - 1 - grid.lo[a]) * kPerIndex + 1;
  Point at{};
  for (at[2] = 0; at[2] < fine[2]; ++at[2]) {
    for (at[1] = 0; at[1] < fine[1]; ++at[1]) {
      for (at[0] = 0; at[0] < fine[0]; ++at[0]) {
        Vector3 index{};
        for (int a = 0; a < grid.rank; ++a) {
          index[static_cast<std::size_t>(a)] =
              static_cast<double>(grid.lo[a]) + static_cast<double>(at[a]) / kPerIndex;
        }
        const Projected here = project(camera, placement, index);
        if (!here.in_view) continue;
        seen.any = true;
        for (std::size_t a = 0; a < static_cast<std::size_t>(grid.rank); ++a) {
          seen.lo[a] = std::min(seen.lo[a], index[a]);
          seen.hi[a] = std::max(seen.hi[a], index[a]);
          Vector3 next = index;
          next[a] += kStep;
          const Projected there = project(camera, placement, next);
          seen.steps[a] = std::max(seen.steps[a], std::hypot(there.x - here.x, there.y - here.y) / kStep);
        }
      }
    }
  }
  return seen;
}

class Cameras {
 public:
  explicit Cameras(unsigned seed) : random_(seed) {}
  double between(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  Camera next(bool perspective) {
    const Vector3 eye{between(-60, 60), between(-60, 60), between(-60, 60)};
    const Vector3 target{between(0, 24), between(0, 20), between(0, 12)};
    const Vector3 up{between(-0.2, 0.2), between(-0.2, 0.2), 1};
    const auto width = static_cast<Index>(between(20, 900)), height = static_cast<Index>(between(20, 900));
    const double near = between(0.5, 20);
    return perspective ? Camera::perspective(eye, target, up, between(5, 80), near, near + between(10, 120),
                                             width, height)
                       : Camera::orthographic(eye, target, up, between(3, 60), near, near + between(10, 120),
                                              width, height);
  }

 private:
  std::mt19937 random_;
};

double pixels_of(const Bitmask& mask, int level, const Vector3& steps) {
  double most = 0;
  for (int a = 0; a < mask.rank(); ++a) {
    most = std::max(
        most, static_cast<double>(mask.samples_up_to(level).stride[a]) * steps[static_cast<std::size_t>(a)]);
  }
  return most;
}

void compare(const Box& grid, const GridPlacement& placement, bool perspective, unsigned seed) {
  SCOPED_TRACE(testing::Message() << grid.to_string() << " seed " << seed << " perspective " << perspective);
  const Bitmask mask = Bitmask::longest_first(grid.rank, grid.hi).value();
  Cameras cameras(seed);
  int num_seen = 0;
  for (int n = 0; n < 25; ++n) {
    const Camera camera = cameras.next(perspective);
    const Seen seen = look(grid, camera, placement);
    const View view = choose_view(mask, grid, camera, placement, {});
    if (!seen.any) continue;  // a part between the checked points may be in view
    ++num_seen;
    ASSERT_TRUE(view.visible);
    const Point stride = mask.samples_up_to(view.level).stride;
    for (int a = 0; a < grid.rank; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      const auto aligned = [&](double lo) {
        const Index whole = floor_div(static_cast<Index>(std::floor(lo)), stride[a]) * stride[a];
        return std::clamp(whole, grid.lo[a], grid.hi[a] - 1);
      };
      const auto behind = [&](double hi) {
        const Index whole = ceil_div(static_cast<Index>(std::ceil(hi)), stride[a]) * stride[a] + 1;
        return std::clamp(whole, grid.lo[a] + 1, grid.hi[a]);
      };
      EXPECT_LE(view.box.lo[a], aligned(seen.lo[axis])) << a;
      EXPECT_GE(view.box.lo[a], aligned(seen.lo[axis] - 3)) << a;  // a tip of the body, between all points
      EXPECT_GE(view.box.hi[a], behind(seen.hi[axis])) << a;
      EXPECT_LE(view.box.hi[a], behind(seen.hi[axis] + 3)) << a;
    }
    EXPECT_GE(view.pixels, 0.8 * pixels_of(mask, view.level, seen.steps));
    const bool is_finest = view.level == mask.max_level();
    EXPECT_TRUE(is_finest || view.pixels <= 1) << view.pixels;
    // The next coarser level is too coarse.
    EXPECT_TRUE(view.level == 0 || pixels_of(mask, view.level - 1, seen.steps) > 0.6) << view.level;
  }
  EXPECT_GT(num_seen, 5);
}

TEST(View, AgreesWithACheckOfEachSample) {
  GridPlacement skewed;
  skewed.origin = {2, -1, 3};
  skewed.step = {{{1, 0.2, 0}, {0, 0.8, 0.1}, {0.1, 0, 1.3}}};
  for (const bool perspective : {true, false}) {
    for (const GridPlacement& placement : {GridPlacement(), skewed}) {
      compare(Box({0, 0, 0}, {24, 20, 12}), placement, perspective, 1);
      compare(Box({3, 2, 1}, {17, 20, 12}), placement, perspective, 2);
      compare(Box({0, 0}, {24, 20}), placement, perspective, 3);
      compare(Box({0}, {24}), placement, perspective, 4);
    }
  }
}

Camera from_above(double height, Index pixels) {
  return Camera::orthographic({512, 512, 10}, {512, 512, 0}, {0, 1, 0}, height, 0, 20, pixels, pixels);
}

// A map of 1024 x 1024 in a picture of as many pixels: all samples; in one of a quarter: every fourth.
TEST(View, OfAMapTakesOneSamplePerPixel) {
  const Box map({0, 0}, {1025, 1025});
  const Bitmask mask = Bitmask::longest_first(2, {1024, 1024}).value();
  const auto level = [&](Index pixels) {
    return choose_view(mask, map, from_above(1024, pixels), {}, {}).level;
  };
  EXPECT_EQ(level(1024), mask.max_level());
  EXPECT_EQ(level(512), mask.max_level() - 2);
  EXPECT_EQ(level(256), mask.max_level() - 4);
  const View part = choose_view(mask, map, from_above(100, 100), {}, {});
  EXPECT_EQ(part.box, Box({462, 462}, {563, 563}));
  EXPECT_DOUBLE_EQ(part.pixels, 1);
}

TEST(View, BehindTheCameraAndBeyondTheFarPlaneNothingIsSeen) {
  const Box grid({0, 0, 0}, {32, 32, 32});
  const Bitmask mask = Bitmask::longest_first(3, {32, 32, 32}).value();
  const auto sees = [&](const Vector3& eye, const Vector3& target, double far) {
    const Camera camera = Camera::perspective(eye, target, {0, 0, 1}, 40, 1, far, 100, 100);
    return choose_view(mask, grid, camera, {}, {}).visible;
  };
  EXPECT_TRUE(sees({100, 16, 16}, {16, 16, 16}, 200));
  EXPECT_FALSE(sees({100, 16, 16}, {200, 16, 16}, 200));
  EXPECT_FALSE(sees({100, 16, 16}, {16, 16, 16}, 60));
  EXPECT_TRUE(sees({16, 16, 16}, {200, 16, 16}, 60)) << "from within";
}

// A camera that oscillates between two levels keeps one of them, and changes it if it moves farther.
TEST(View, KeepsALevelThatIsNearlyAsGood) {
  const Box map({0, 0}, {1025, 1025});
  const Bitmask mask = Bitmask::longest_first(2, {1024, 1024}).value();
  int changes = 0, changes_without = 0;
  std::optional<int> previous, previous_without;
  for (int n = 0; n < 100; ++n) {
    const Camera camera = from_above(512 + (n % 2 == 0 ? 8 : -8), 256);
    ViewOptions options;
    options.previous_level = previous;
    const int level = choose_view(mask, map, camera, {}, options).level;
    const int without = choose_view(mask, map, camera, {}, {}).level;
    changes += previous && *previous != level ? 1 : 0;
    changes_without += previous_without && *previous_without != without ? 1 : 0;
    previous = level;
    previous_without = without;
  }
  EXPECT_EQ(changes, 0);
  EXPECT_EQ(changes_without, 99);
  ViewOptions from_far;
  from_far.previous_level = 0;
  EXPECT_EQ(choose_view(mask, map, from_above(512, 512), {}, from_far).level, mask.max_level());
}

}  // namespace
}  // namespace esker
