// Rheology: the flow law of cold ice, and its melting point.
#pragma once

#include "constants.h"

namespace pism {

/// Exponent n of Glen's flow law: strain rate = A stress^n.
inline constexpr int kGlen = 3;

/// Melting temperature [K] of ice `depth` m below the surface.
inline double pressure_melting_point(double depth) { return kMeltingPoint - kMeltingPerDepth * depth; }

/// Specific enthalpy [J kg^-1] of cold ice at `temp` K: c (T - T0). Temperate ice holds no water here.
inline double enthalpy(double temp) { return kIceHeatCapacity * (temp - kEnthalpyZero); }

/// Diffusivity D [m^2 a^-1] of the surface of ice with column mean rate factor `softness` [Pa^-3 a^-1],
/// thickness `thk` [m] and squared surface slope: 2 A (rho g)^n / (n + 2) H^(n+2) |grad h|^(n-1), the
/// shallow-ice flux being -D grad h (Hutter 1983).
inline double sia_diffusivity(double softness, double thk, double slope2) {
  static_assert(kGlen == 3, "the powers below");
  constexpr double kFactor = 2.0 * kIceRhoG * kIceRhoG * kIceRhoG / (kGlen + 2);
  const double thk2 = thk * thk;
  return kFactor * softness * thk2 * thk2 * thk * slope2;
}

/// Glen's law with the rate factor of Paterson and Budd (1982, Cold Reg. Sci. Technol. 6), whose
/// temperature is counted from the pressure melting point.
struct FlowLaw {
  double enhancement = 3.0;  ///< factor on A; 3 is what PISM's SeaRISE-Greenland runs use (-sia_e 3.0)
  /// m^2 a^-1, about 1 m^2/s. Where D would be larger - steep, thick margins, where shallow ice does not
  /// hold anyway - ice stiffens until it is this (compare PISM's sia.limit_diffusivity).
  double max_diffusivity = 3.0e7;
  /// Pa^-3 a^-1. Above 0, A is this at any temperature, without enhancement.
  double isothermal_softness = 0;

  /// A [Pa^-3 a^-1] at `temp` K, `depth` m below the surface.
  [[nodiscard]] double rate_factor(double temp, double depth) const;
};

}  // namespace pism
