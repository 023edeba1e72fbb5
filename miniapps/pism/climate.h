// Climate: surface temperature and surface mass balance from elevation and latitude alone.
#pragma once

namespace pism {

/// Latitude [degrees north] of polar-stereographic x, y [m] centred on the north pole, true scale at
/// 71 N: the axes of the SeaRISE Greenland files. On a sphere (Snyder 1987, USGS Prof. Paper 1395,
/// eq. 21-33 solved for latitude), within 0.2 degrees of the ellipsoid.
double polar_stereographic_latitude(double x, double y);

/// Mean annual surface temperature [K] at `elevation` m and `latitude` degrees north:
/// 49.13 - 0.007992 max(s, 20 (lat - 65)) - 0.7576 lat in Celsius, the second elevation being the
/// winter inversion layer. EISMINT-Greenland (Ritz et al. 1997, Clim. Dyn. 13; Huybrechts).
double mean_annual_temperature(double elevation, double latitude);

/// Mean July surface temperature [K]: 30.38 - 0.006277 s - 0.3262 lat in Celsius. Same source.
double mean_july_temperature(double elevation, double latitude);

/// Precipitation [m ice a^-1], all of it snow: 0.45 m at -15 C and 5.33 % more per kelvin, which is the
/// sensitivity of EISMINT-Greenland. The value at -15 C is ours: it gives about 0.2 m at the summit
/// and 0.7 m in the south, as observed.
double precipitation(double annual_temperature);

/// Positive degree days [K day] of a year whose daily temperatures vary by 5 K (standard deviation)
/// around a sinusoid. Calov and Greve (2005, J. Glaciol. 51), summed over 12 months.
double positive_degree_days(double annual_temperature, double july_temperature);

/// Surface mass balance [m ice a^-1]: snow melts first (3 mm water K^-1 day^-1), 60 % of what melts
/// freezes again, the remaining degree days melt ice (8 mm). EISMINT-Greenland's factors.
double surface_mass_balance(double annual_temperature, double july_temperature);

}  // namespace pism
