#include "norms.h"

#include <cmath>
#include <limits>

#include "reduce.h"

namespace gcrm {
namespace {

/// Sums and extremes over the cells of a layer.
enum { kMass, kError1, kSolution1, kError2, kSolution2, kNumSums };
enum { kErrorMax, kSolutionMax, kMost, kMinusLeast, kNumMaxima };

Norms norms_of(const ExactSum* sums, const double* maxima) {
  const auto ratio = [&](int error, int solution) { return sums[error].value() / sums[solution].value(); };
  return {ratio(kError1, kSolution1),
          std::sqrt(ratio(kError2, kSolution2)),
          maxima[kErrorMax] / maxima[kSolutionMax],
          sums[kMass].value(),
          -maxima[kMinusLeast],
          maxima[kMost]};
}

}  // namespace

std::vector<double> exact_tracer(const Mesh& mesh, const Bell& bell, double days) {
  std::vector<Vec3> centres;
  for (int k = 0; k < bell.layers; ++k) centres.push_back(bell.centre(k, days));
  std::vector<double> tracer;
  tracer.reserve(mesh.middles.size() * centres.size());
  for (const Vec3& middle : mesh.middles) {
    for (const Vec3& centre : centres) tracer.push_back(Bell::value(centre, middle));
  }
  return tracer;
}

std::vector<Norms> find_norms(MPI_Comm comm, const Mesh& mesh, const Bell& bell,
                              const std::vector<double>& tracer, double days) {
  std::vector<Norms> norms;
  for (int k = 0; k < bell.layers; ++k) {
    const Vec3 centre = bell.centre(k, days);
    std::vector<ExactSum> sums(kNumSums);
    std::vector<double> maxima(kNumMaxima, -std::numeric_limits<double>::infinity());
    for (Index c = 0; c < mesh.num_own(); ++c) {
      const double value = tracer[c * bell.layers + k], exact = Bell::value(centre, mesh.middles[c]);
      const double error = std::abs(value - exact), area = mesh.areas[c];
      sums[kMass].add(area * value);
      sums[kError1].add(area * error);
      sums[kSolution1].add(area * exact);
      sums[kError2].add(area * error * error);
      sums[kSolution2].add(area * exact * exact);
      maxima[kErrorMax] = std::max(maxima[kErrorMax], error);
      maxima[kSolutionMax] = std::max(maxima[kSolutionMax], exact);
      maxima[kMost] = std::max(maxima[kMost], value);
      maxima[kMinusLeast] = std::max(maxima[kMinusLeast], -value);
    }
    sum_over_ranks(comm, sums);
    max_over_ranks(comm, maxima);
    norms.push_back(norms_of(sums.data(), maxima.data()));
  }
  return norms;
}

}  // namespace gcrm
