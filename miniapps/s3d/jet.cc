#include "jet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "transport.h"

namespace s3d {
namespace {

using std::numbers::pi;

constexpr double kLayer = 0.2 * kJetWidth;                       // d: width of a shear layer, m
constexpr double kWaveSpeed = 0.5 * (kJetSpeed + kCoflowSpeed);  // m/s
constexpr double kReach = 1.25 * kJetWidth;                      // of the vortices in y, m
constexpr double kGrowth = 2 * kJetWidth;                        // of the vortices in x, m

/// A wave of a potential. Its largest velocity across x is `speed`, m/s.
struct Wave {
  double speed, length, phase;
  bool is_odd;  ///< in y
  int along_z;  ///< periods in z
};

constexpr std::array<Wave, 4> kWavesZ{
    {{6, 8e-3, 0.3, false, 0}, {4, 5e-3, 1.7, false, 1}, {3, 4e-3, 4.1, true, 2}, {2, 3e-3, 2.9, false, 3}}};
constexpr std::array<Wave, 2> kWavesY{{{5, 6e-3, 0.9, false, 1}, {3, 3.5e-3, 5.2, true, 2}}};

double log_cosh(double a) { return std::abs(a) + std::log1p(std::exp(-2 * std::abs(a))) - std::log(2.0); }

/// The profile of a jet with shear layers of width `layer`: 1 inside, 0 outside.
double profile(double y, double layer) {
  const double half = 0.5 * kJetWidth;
  return 0.5 * (std::tanh((y + half) / layer) - std::tanh((y - half) / layer));
}

double mean_potential(double y) {
  const double half = 0.5 * kJetWidth;
  const double integral = 0.5 * kLayer * (log_cosh((y + half) / kLayer) - log_cosh((y - half) / kLayer));
  return kCoflowSpeed * y + (kJetSpeed - kCoflowSpeed) * integral;
}

/// Decays away from the jet; zero at the walls.
double across(const Wave& wave, double y) {
  const double wall = std::cos(pi * y / kLengths[1]), at = y / kReach;
  return (wave.is_odd ? at : 1.0) * std::exp(-at * at) * wall * wall;
}

Term term_of(const Wave& wave) {
  const double k = 2 * pi / wave.length, l = 2 * pi * wave.along_z / kLengths[2];
  return {[=](double x, double t) {
            const double grown = 1 - std::exp(-(x / kGrowth) * (x / kGrowth));
            return wave.speed / k * grown * std::sin(k * (x - kWaveSpeed * t) + wave.phase);
          },
          [=](double y) { return across(wave, y); },
          [=](double z) { return std::cos(l * z + 2 * wave.phase); }};
}

Flow jet_flow() {
  Flow flow;
  flow.potential_z.push_back(
      {[](double, double) { return 1.0; }, mean_potential, [](double) { return 1.0; }});
  for (const Wave& wave : kWavesZ) flow.potential_z.push_back(term_of(wave));
  for (const Wave& wave : kWavesY) flow.potential_y.push_back(term_of(wave));
  flow.max_speed = {kJetSpeed + 15, 18, 10};  // tested
  return flow;
}

Values inflow(const Place& place, double /*time*/) { return mix(profile(place.y, kLayer), 0); }

/// The layers have widened by diffusion, and have burnt downstream of a front that is uneven in z.
Values initial(const Place& place, double /*time*/) {
  const double age = std::max(place.x, 0.0) / kWaveSpeed;
  const double layer = std::sqrt(kLayer * kLayer + 4 * kDiffusivity * age);
  const double ripple = 2 * pi * place.z / kLengths[2], side = place.y > 0 ? 1 : 0;
  const double front = kJetWidth * (2.5 + 0.5 * std::sin(ripple + side) + 0.3 * std::sin(3 * ripple - side));
  return mix(profile(place.y, layer), 0.5 * (1 + std::tanh((place.x - front) / (0.25 * kJetWidth))));
}

}  // namespace

Problem jet() { return {jet_flow(), initial, inflow}; }

}  // namespace s3d
