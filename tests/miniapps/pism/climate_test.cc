#include "climate.h"

#include <gtest/gtest.h>

#include "constants.h"

namespace pism {
namespace {

TEST(Climate, LatitudeOfKnownPlaces) {
  EXPECT_DOUBLE_EQ(polar_stereographic_latitude(0, 0), 90.0);
  // Summit station lies at 72.58 N, 38.46 W, which is x 18 km, y -1892 km on the ellipsoid (EPSG 3413
  // turned to 39 W).
  EXPECT_NEAR(polar_stereographic_latitude(18e3, -1892e3), 72.58, 0.2);
}

TEST(Climate, TemperatureAtSummit) {
  // 49.13 - 0.007992 * 3200 - 0.7576 * 72.58 = -31.4 C; measured: about -30 C.
  EXPECT_NEAR(mean_annual_temperature(3200, 72.58), kMeltingPoint - 31.43, 0.01);
  EXPECT_GT(mean_july_temperature(3200, 72.58), mean_annual_temperature(3200, 72.58) + 10);
}

TEST(Climate, WinterInversionEndsTheLapseRate) {
  EXPECT_EQ(mean_annual_temperature(0, 75), mean_annual_temperature(200, 75));
  EXPECT_LT(mean_annual_temperature(300, 75), mean_annual_temperature(200, 75));
}

TEST(Climate, DegreeDaysOfConstantWarmth) {
  // Far above melting every day counts with its temperature, far below none does.
  EXPECT_NEAR(positive_degree_days(kMeltingPoint + 30, kMeltingPoint + 30), 30 * 365.2422, 1e-3);
  EXPECT_EQ(positive_degree_days(kMeltingPoint - 40, kMeltingPoint - 30), 0);
  // At 0 C: sigma / sqrt(2 pi) per day.
  EXPECT_NEAR(positive_degree_days(kMeltingPoint, kMeltingPoint), 5.0 * 0.3989422804 * 365.2422, 1e-4);
}

TEST(Climate, BalanceIsPositiveHighAndNegativeLow) {
  const auto balance = [](double elevation, double latitude) {
    return surface_mass_balance(mean_annual_temperature(elevation, latitude),
                                mean_july_temperature(elevation, latitude));
  };
  EXPECT_NEAR(balance(3200, 72.6), precipitation(mean_annual_temperature(3200, 72.6)), 1e-3);
  EXPECT_LT(balance(200, 67), -1.0);
  EXPECT_GT(balance(2000, 65), 0.3);
}

}  // namespace
}  // namespace pism
