#include "rheology.h"

#include <gtest/gtest.h>

namespace pism {
namespace {

TEST(Rheology, RateFactorIsPatersonBudd) {
  const FlowLaw law{.enhancement = 1.0};
  // 3.615e-13 exp(-6e4 / (8.314 * 253.15)) = 1.500e-25 s^-1 Pa^-3 at -20 C, worked by hand.
  EXPECT_NEAR(law.rate_factor(253.15, 0) / kSecondsPerYear, 1.500e-25, 0.005e-25);
  EXPECT_LT(law.rate_factor(263.0, 0), law.rate_factor(263.3, 0));
  EXPECT_NEAR(law.rate_factor(263.15 - 1e-9, 0) / law.rate_factor(263.15 + 1e-9, 0), 1.0, 0.01);
}

TEST(Rheology, RateFactorCountsFromTheMeltingPoint) {
  const FlowLaw law;
  EXPECT_DOUBLE_EQ(law.rate_factor(pressure_melting_point(1500), 1500), law.rate_factor(kMeltingPoint, 0));
}

TEST(Rheology, EnhancementIsAFactor) {
  EXPECT_DOUBLE_EQ((FlowLaw{.enhancement = 3.0}.rate_factor(260, 0)),
                   3 * FlowLaw{.enhancement = 1.0}.rate_factor(260, 0));
}

TEST(Rheology, EnthalpyIsZeroAtItsReference) {
  EXPECT_EQ(enthalpy(223.15), 0);
  EXPECT_DOUBLE_EQ(enthalpy(224.15), kIceHeatCapacity);
}

TEST(Rheology, DiffusivityHasItsPowers) {
  const double d = sia_diffusivity(1e-17, 1000, 1e-4);
  EXPECT_NEAR(sia_diffusivity(1e-17, 2000, 1e-4) / d, 32, 1e-9);  // H^(n+2)
  EXPECT_NEAR(sia_diffusivity(1e-17, 1000, 4e-4) / d, 4, 1e-12);  // |grad h|^(n-1)
  EXPECT_NEAR(sia_diffusivity(2e-17, 1000, 1e-4) / d, 2, 1e-12);
}

}  // namespace
}  // namespace pism
