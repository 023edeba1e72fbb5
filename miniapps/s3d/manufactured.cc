#include "manufactured.h"

#include <array>
#include <cmath>
#include <numbers>

#include "transport.h"

namespace s3d {
namespace {

using std::numbers::pi;

constexpr double kStream = 30, kAcross = 10, kSpan = 8;                     // speeds, m/s
constexpr double kWaveX = 2 * pi / kLengths[0], kWaveY = pi / kLengths[1];  // wave numbers of the flow, 1/m
constexpr double kWaveZ = 2 * pi / kLengths[2];
constexpr double kFrequency = 2 * pi / 1e-3;  // 1/s, of the flow and the scalars

/// Mean, amplitude, half waves along x and y, phase along z.
struct Shape {
  double mean, amplitude, along_x, along_y, phase;
};

constexpr std::array<Shape, kNumScalars> kShapes{
    {{950, 150, 2, 2, 0.0}, {0.1, 0.06, 1, 2, 0.7}, {0.1, 0.06, 2, 1, 1.9}, {0.2, 0.1, 3, 1, 3.1}}};

/// A scalar of the solution with its derivatives.
struct Derivatives {
  double value, dt, dx, dy, dz, laplacian;
};

Derivatives evaluate(const Shape& s, const Place& at, double time) {
  const double k = s.along_x * pi / kLengths[0], l = s.along_y * pi / kLengths[1];
  const double x = k * at.x, y = l * (at.y + 0.5 * kLengths[1]),
               z = kWaveZ * at.z - kFrequency * time + s.phase;
  const double a = s.amplitude, wave = a * std::cos(x) * std::cos(y) * std::cos(z);
  const double sin_z = a * std::cos(x) * std::cos(y) * std::sin(z);
  return {s.mean + wave,
          kFrequency * sin_z,
          -k * a * std::sin(x) * std::cos(y) * std::cos(z),
          -l * a * std::cos(x) * std::sin(y) * std::cos(z),
          -kWaveZ * sin_z,
          -(k * k + l * l + kWaveZ * kWaveZ) * wave};
}

/// The velocity that wave_flow() is the potential of.
std::array<double, 3> velocity(const Place& at, double time) {
  const double x = kWaveX * at.x - kFrequency * time, y = kWaveY * at.y, z = kWaveZ * at.z;
  const double u = kStream - kAcross / kWaveX * kWaveY * std::sin(x) * std::sin(y) * std::cos(z) -
                   kSpan / kWaveX * kWaveZ * std::sin(x) * std::cos(y) * std::cos(z);
  return {u, -kAcross * std::cos(x) * std::cos(y) * std::cos(z),
          kSpan * std::cos(x) * std::cos(y) * std::sin(z)};
}

Flow wave_flow() {
  const auto one = [](auto...) { return 1.0; };
  const auto along_y = [](double y) { return std::cos(kWaveY * y); };
  const auto wave = [](double speed) {
    return [=](double x, double t) { return speed / kWaveX * std::sin(kWaveX * x - kFrequency * t); };
  };
  Flow flow;
  flow.potential_z.push_back({one, [](double y) { return kStream * y; }, one});
  flow.potential_z.push_back({wave(kAcross), along_y, [](double z) { return std::cos(kWaveZ * z); }});
  flow.potential_y.push_back({wave(kSpan), along_y, [](double z) { return std::sin(kWaveZ * z); }});
  flow.max_speed = {kStream + kAcross * kWaveY / kWaveX + kSpan * kWaveZ / kWaveX, kAcross, kSpan};
  return flow;
}

Values source(const Place& at, double time) {
  const auto [u, v, w] = velocity(at, time);
  const double burns = reaction_rate(manufactured_solution(at, time));
  Values source;
  for (int s = 0; s < kNumScalars; ++s) {
    const Derivatives j = evaluate(kShapes[s], at, time);
    source[s] = j.dt + u * j.dx + v * j.dy + w * j.dz - kDiffusivity * j.laplacian - burns * kPerCO[s];
  }
  return source;
}

}  // namespace

Values manufactured_solution(const Place& place, double time) {
  Values values;
  for (int s = 0; s < kNumScalars; ++s) values[s] = evaluate(kShapes[s], place, time).value;
  return values;
}

Problem manufactured() { return {wave_flow(), manufactured_solution, manufactured_solution, source}; }

}  // namespace s3d
