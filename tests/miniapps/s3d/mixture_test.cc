#include "mixture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>

namespace s3d {
namespace {

double mass(const Values& v) { return v[kCO] * (1 + kHydrogen) + v[kO2] + v[kCO2] * (1 + kWater); }

TEST(Mixture, BurningKeepsTheMass) {
  for (const double fuel : {0.1, 0.42, 0.9}) {
    const double before = mass(mix(fuel, 0));
    for (const double burnt : {0.3, 1.0}) EXPECT_NEAR(mass(mix(fuel, burnt)), before, 1e-14);
  }
}

TEST(Mixture, BurnsUntilFuelOrOxygenIsUsedUp) {
  EXPECT_NEAR(mix(0.1, 1)[kCO], 0, 1e-15);
  EXPECT_GT(mix(0.1, 1)[kO2], 0.1);
  EXPECT_NEAR(mix(0.9, 1)[kO2], 0, 1e-15);
  EXPECT_GT(mix(0.9, 1)[kCO], 0.1);
}

TEST(Mixture, HottestNearTheStoichiometricFraction) {
  double hottest = 0, at = 0;
  for (int i = 0; i <= 100; ++i) {
    const double t = mix(0.01 * i, 1)[kT];
    if (t > hottest) hottest = t, at = 0.01 * i;
  }
  EXPECT_NEAR(hottest, 2250, 50);
  EXPECT_NEAR(at, kOxidizer[kO2] / (kOxidizer[kO2] + kOxygen * kFuel[kCO]), 0.01);
}

TEST(Mixture, TheReactionIsNeverNegative) {
  EXPECT_EQ(reaction_rate({1500, -1e-18, 0.1, 0}), 0);
  EXPECT_EQ(reaction_rate({1500, 0.1, -1e-18, 0}), 0);
  EXPECT_GT(reaction_rate({1500, 0.1, 0.1, 0}), reaction_rate({1000, 0.1, 0.1, 0}));
}

TEST(Mixture, SpeciesSumTo1AndCopyTheTransportedBits) {
  for (const double fuel : {0.0, 0.2, 0.42, 1.0}) {
    const Values v = mix(fuel, 0.7);
    const auto y = species_of(v);
    EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 1, 1e-15);
    for (const auto& [scalar, in_list] : {std::pair{kCO, kCOInList}, {kO2, kO2InList}, {kCO2, kCO2InList}}) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(y[in_list]), std::bit_cast<std::uint64_t>(v[scalar]));
    }
    for (const double fraction : y) EXPECT_GE(fraction, 0);
  }
}

}  // namespace
}  // namespace s3d
