#include "rheology.h"

#include <cmath>

namespace pism {

double FlowLaw::rate_factor(double temp, double depth) const {
  if (isothermal_softness > 0) return isothermal_softness;
  constexpr double kGas = 8.314;                        // J mol^-1 K^-1
  constexpr double kWarm = 263.15;                      // K, where the activation energy changes
  constexpr double kColdA = 3.615e-13, kColdQ = 6.0e4;  // Pa^-3 s^-1, J mol^-1
  constexpr double kWarmA = 1.733e3, kWarmQ = 13.9e4;
  const double t = temp + kMeltingPerDepth * depth;
  const bool cold = t < kWarm;
  return enhancement * kSecondsPerYear * (cold ? kColdA : kWarmA) *
         std::exp((cold ? -kColdQ : -kWarmQ) / (kGas * t));
}

}  // namespace pism
