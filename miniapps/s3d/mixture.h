// Mixture: the two streams, the one-step reaction, and the species that a checkpoint lists.
//
// The fuel is the syngas of Hawkes et al. (2007): CO, H2, N2 with 50, 10, 40 % of the moles. The oxidizer has
// 25 % of O2, the rest is N2, at 900 K. One step burns CO and H2 in their constant ratio:
//
//   CO + r H2 + s O2 -> p CO2 + r 9 H2O     (by mass, per mass of CO; r = 0.2/14, p = 44/28, s = p - 1 + 8 r)
//   rate = A Y_CO Y_O2 exp(-T_a / T)        (mass fraction of CO per second)
//   dT/dt = q rate
//
// T, Y_CO, Y_O2 and Y_CO2 are transported. H2 and H2O follow from CO and CO2 by constant ratios. The radicals
// follow from algebraic expressions (species_of): they have plausible places and magnitudes, no kinetics, and
// do not act on the flame. N2 is the rest, so that the mass fractions sum to 1.
//
// A, T_a and q are chosen for a flame of 2250 K that lifts by a few jet widths; they are not of a real fuel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace s3d {

/// The transported scalars.
enum Scalar : int { kT, kCO, kO2, kCO2, kNumScalars };
using Values = std::array<double, kNumScalars>;

/// The species in the order of the checkpoint: those of the skeletal CO/H2 mechanism of Hawkes et al. (2007).
inline constexpr int kNumSpecies = 11;
inline constexpr std::array<const char*, kNumSpecies> kSpecies{"H2",  "O2", "O",   "OH",  "H2O", "H",
                                                               "HO2", "CO", "CO2", "HCO", "N2"};
/// Where the transported species are in this list.
inline constexpr int kCOInList = 7, kO2InList = 1, kCO2InList = 8;

inline constexpr double kHydrogen = 0.2 / 14;                    ///< r: mass of H2 per mass of CO
inline constexpr double kDioxide = 44.0 / 28;                    ///< p: mass of CO2 per mass of CO
inline constexpr double kOxygen = kDioxide - 1 + 8 * kHydrogen;  ///< s: mass of O2 per mass of CO
inline constexpr double kWater = 9 * kHydrogen / kDioxide;       ///< mass of H2O per mass of CO2
inline constexpr Values kFuel{400, 14 / 25.4, 0, 0};             ///< T [K] and mass fractions of the jet
inline constexpr Values kOxidizer{900, 0, 8.0 / 29, 0};          ///< of the hot coflow
inline constexpr double kHeat = 6700;                            ///< q: K per mass fraction of CO
inline constexpr double kPreFactor = 1e9, kActivation = 12000;   ///< A [1/s], T_a [K]

/// Mass fraction of CO that burns per second. Never negative.
inline double reaction_rate(const Values& v) {
  return kPreFactor * std::max(v[kCO], 0.0) * std::max(v[kO2], 0.0) * std::exp(-kActivation / v[kT]);
}

/// The change of the scalars per mass fraction of CO that burns.
inline constexpr Values kPerCO{kHeat, -1, -kOxygen, kDioxide};

/// The streams mixed: `fuel` is the mixture fraction, `burnt` the fraction of what can burn that has burnt.
inline Values mix(double fuel, double burnt) {
  Values v;
  for (int s = 0; s < kNumScalars; ++s) v[s] = fuel * kFuel[s] + (1 - fuel) * kOxidizer[s];
  const double amount = burnt * std::min(v[kCO], v[kO2] / kOxygen);
  for (int s = 0; s < kNumScalars; ++s) v[s] += amount * kPerCO[s];
  return v;
}

/// The fastest decay, 1/s, of CO or O2 by the reaction in any mixture of the streams and at any stage of
/// burning: bounds a stable step.
inline double fastest_decay() {
  constexpr int kParts = 100;
  double fastest = 0;
  for (int i = 0; i <= kParts; ++i) {
    for (int j = 0; j <= kParts; ++j) {
      const Values v = mix(1.0 * i / kParts, 1.0 * j / kParts);
      const double other = std::max(v[kO2], kOxygen * v[kCO]);
      fastest = std::max(fastest, kPreFactor * other * std::exp(-kActivation / v[kT]));
    }
  }
  return fastest;
}

/// All species from the transported scalars, in the order of kSpecies. CO, O2 and CO2 are copied bit for bit.
inline std::array<double, kNumSpecies> species_of(const Values& v) {
  const auto bell = [&](double center, double width) {
    const double at = (v[kT] - center) / width;
    return std::exp(-at * at);
  };
  const double dissociation = std::exp(-18000 / v[kT]);
  std::array<double, kNumSpecies> y{};
  y[0] = kHydrogen * v[kCO];
  y[kO2InList] = v[kO2];
  y[2] = 20 * v[kO2] * dissociation;                // O
  y[3] = 50 * v[kCO2] * dissociation;               // OH: in burnt gas
  y[4] = kWater * v[kCO2];                          // H2O
  y[5] = 2 * v[kCO] * dissociation;                 // H
  y[6] = 0.02 * v[kCO] * v[kO2] * bell(1200, 200);  // HO2: ahead of the flame
  y[kCOInList] = v[kCO];
  y[kCO2InList] = v[kCO2];
  y[9] = 1e-3 * v[kCO] * bell(1500, 250);  // HCO: at its edge
  double sum = 0;
  for (int s = 0; s < kNumSpecies - 1; ++s) sum += y[s];
  y[kNumSpecies - 1] = 1 - sum;
  return y;
}

}  // namespace s3d
