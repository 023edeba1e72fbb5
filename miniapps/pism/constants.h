// Physical constants of the ice-sheet miniapp.
//
// Units throughout the model: metre, year, kelvin, pascal, joule, kilogram. What is put to Esker is
// the model's own memory, so velocities are in m/a everywhere.
#pragma once

namespace pism {

inline constexpr double kSecondsPerYear = 31556925.9747;    ///< tropical year, PISM's `year`
inline constexpr double kGravity = 9.81;                    ///< m s^-2
inline constexpr double kIceDensity = 910.0;                ///< kg m^-3
inline constexpr double kSeaWaterDensity = 1028.0;          ///< kg m^-3
inline constexpr double kWaterDensity = 1000.0;             ///< kg m^-3
inline constexpr double kIceRhoG = kIceDensity * kGravity;  ///< Pa m^-1

inline constexpr double kMeltingPoint = 273.15;  ///< K, at the ice surface
inline constexpr double kMeltingPerDepth =
    8.66e-4;  ///< K m^-1, EISMINT II (Payne et al. 2000, J. Glaciol. 46)
inline constexpr double kIceHeatCapacity = 2009.0;                 ///< J kg^-1 K^-1, EISMINT II
inline constexpr double kIceConductivity = 2.1 * kSecondsPerYear;  ///< J m^-1 K^-1 a^-1, EISMINT II
inline constexpr double kIceDiffusivity = kIceConductivity / (kIceDensity * kIceHeatCapacity);  ///< m^2 a^-1
inline constexpr double kGeothermalFlux = 0.050 * kSecondsPerYear;  ///< J m^-2 a^-1, EISMINT-Greenland
inline constexpr double kEnthalpyZero = 223.15;                     ///< K, where PISM's enthalpy is zero

}  // namespace pism
