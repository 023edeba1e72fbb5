#include "variables.h"

#include <numeric>

namespace gcrm {
namespace {

constexpr double kEarthRadius = 6.37122e6;  // m, Williamson et al. (1992)

double value_at(int variable, const Mesh& mesh, Index cell, int layers, const std::vector<double>& tracer) {
  switch (variable) {
    case kTracerMean: {
      const auto column = tracer.begin() + cell * layers;
      return std::accumulate(column, column + layers, 0.0) / layers;
    }
    case kLon:
      return longitude_degrees(mesh.centres[cell]);
    case kLat:
      return latitude_degrees(mesh.centres[cell]);
    default:
      return kEarthRadius * kEarthRadius * mesh.areas[cell];
  }
}

}  // namespace

std::vector<double> values_of(int variable, const Mesh& mesh, int layers, const std::vector<double>& tracer) {
  if (variable == kTracer) return {tracer.begin(), tracer.begin() + mesh.num_own() * layers};
  std::vector<double> values(mesh.num_own());
  for (Index c = 0; c < mesh.num_own(); ++c) values[c] = value_at(variable, mesh, c, layers, tracer);
  return values;
}

}  // namespace gcrm
