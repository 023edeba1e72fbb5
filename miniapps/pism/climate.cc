#include "climate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "constants.h"

namespace pism {

double polar_stereographic_latitude(double x, double y) {
  constexpr double kRadius = 6371000.0;                     // m
  constexpr double kSineOfTrueScale = 0.94551857559931685;  // sin 71 degrees
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  return 90.0 - 2.0 * kDegrees * std::atan(std::sqrt(x * x + y * y) / (kRadius * (1.0 + kSineOfTrueScale)));
}

double mean_annual_temperature(double elevation, double latitude) {
  const double inversion = 20.0 * (latitude - 65.0);
  return kMeltingPoint + 49.13 - 0.007992 * std::max(elevation, inversion) - 0.7576 * latitude;
}

double mean_july_temperature(double elevation, double latitude) {
  return kMeltingPoint + 30.38 - 0.006277 * elevation - 0.3262 * latitude;
}

double precipitation(double annual_temperature) {
  return 0.45 * std::exp(0.0533 * (annual_temperature - (kMeltingPoint - 15.0)));
}

double positive_degree_days(double annual_temperature, double july_temperature) {
  constexpr int kMonths = 12;
  constexpr double kDays = 365.2422, kSigma = 5.0;
  if (std::max(july_temperature, annual_temperature) < kMeltingPoint - 5 * kSigma) return 0;
  double sum = 0;
  for (int month = 0; month < kMonths; ++month) {
    const double season = std::cos(2.0 * std::numbers::pi * month / kMonths);
    const double t = annual_temperature + (july_temperature - annual_temperature) * season - kMeltingPoint;
    const double s = t / (std::numbers::sqrt2 * kSigma);
    sum += kSigma * std::exp(-s * s) / std::sqrt(2.0 * std::numbers::pi) + 0.5 * t * std::erfc(-s);
  }
  return sum * kDays / kMonths;
}

double surface_mass_balance(double annual_temperature, double july_temperature) {
  constexpr double kToIce = kWaterDensity / kIceDensity;
  constexpr double kSnowFactor = 0.003 * kToIce, kIceFactor = 0.008 * kToIce;  // m ice K^-1 day^-1
  constexpr double kRefreeze = 0.6;
  const double snow = precipitation(annual_temperature);
  const double days = positive_degree_days(annual_temperature, july_temperature);
  const double snow_melt = std::min(snow, days * kSnowFactor);
  const double ice_melt = (days - snow_melt / kSnowFactor) * kIceFactor;
  return snow - (1.0 - kRefreeze) * snow_melt - ice_melt;
}

}  // namespace pism
