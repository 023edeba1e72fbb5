#include "solution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace uintah {
namespace {

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// 1 inside, 0 outside, smooth over some `thickness`.
double inside(double distance, double thickness) { return 0.5 * (1 - std::tanh(distance / thickness)); }

}  // namespace

Features::Features(const Vec3& lengths, double time) {
  const double scale = *std::min_element(lengths.begin(), lengths.end());
  const double turn = 2 * std::numbers::pi * time;
  const Vec3 middle{lengths[0] / 2, lengths[1] / 2, lengths[2] / 2};
  blob_center_ = {middle[0] + 0.36 * scale * std::cos(turn), middle[1] + 0.36 * scale * std::sin(turn),
                  middle[2] + 0.1 * scale * std::sin(turn)};
  ring_center_ = middle;
  ring_axis_ = {std::sin(turn / 2), 0, std::cos(turn / 2)};
  blob_radius_ = (0.08 + 0.05 * time) * scale;
  ring_radius_ = (0.2 + 0.1 * time) * scale;
  tube_radius_ = 0.04 * scale;
  thickness_ = 0.02 * scale;
}

double Features::to_blob(const Vec3& at) const {
  const Vec3 offset = minus(at, blob_center_);
  return std::sqrt(dot(offset, offset)) - blob_radius_;
}

double Features::to_ring(const Vec3& at) const {
  const Vec3 offset = minus(at, ring_center_);
  const double height = dot(offset, ring_axis_);
  const double from_axis = std::sqrt(std::max(0.0, dot(offset, offset) - height * height));
  const double across = from_axis - ring_radius_;
  return std::sqrt(across * across + height * height) - tube_radius_;
}

double Features::distance(const Vec3& at) const {
  return std::min(std::abs(to_blob(at)), std::abs(to_ring(at)));
}

std::array<double, kNumFields> Features::values(const Vec3& at) const {
  const double blob = inside(to_blob(at), thickness_), ring = inside(to_ring(at), thickness_);
  return {1.2 + 2 * blob - 0.8 * ring, 300 + 700 * blob + 1500 * ring, 101325 + 5000 * blob - 2000 * ring,
          0.7 * blob + 0.2 * ring};
}

}  // namespace uintah
