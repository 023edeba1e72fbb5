// Features: a blob that circles and a ring that turns in a box, and the fields that they make. Both grow with
// time. All is a formula of position and time, so that any value that is read can be checked.
#pragma once

#include <array>

namespace uintah {

using Vec3 = std::array<double, 3>;

inline constexpr int kNumFields = 4;
inline constexpr std::array<const char*, kNumFields> kFieldNames{"density", "temperature", "pressure",
                                                                 "mixture"};
inline constexpr std::array<const char*, kNumFields> kFieldUnits{"kg m-3", "K", "Pa", "1"};

class Features {
 public:
  /// `lengths`: edges of the domain, whose lower corner is the origin. The blob circles once per unit of
  /// `time`, the ring turns half as fast.
  Features(const Vec3& lengths, double time);

  /// Distance to the nearest surface of a feature, on either side. Changes by at most the distance that
  /// `at` moves.
  [[nodiscard]] double distance(const Vec3& at) const;
  /// The fields in the order of kFieldNames.
  [[nodiscard]] std::array<double, kNumFields> values(const Vec3& at) const;

 private:
  /// Below 0 inside.
  [[nodiscard]] double to_blob(const Vec3& at) const;
  [[nodiscard]] double to_ring(const Vec3& at) const;

  Vec3 blob_center_, ring_center_, ring_axis_;
  double blob_radius_, ring_radius_, tube_radius_, thickness_;
};

}  // namespace uintah
