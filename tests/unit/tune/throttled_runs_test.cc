// Runs on throttled storage: few writers may be several times as fast as many, or as slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tune/simulated_run.h"
#include "tune/throttled_workload.h"

namespace esker {
namespace {

using namespace testing_support;  // NOLINT: simulated runs

constexpr int kStepsOfRun = 24;

TEST(ThrottledRuns, Explore) {
  const double noise = std::getenv("NOISE") ? std::atof(std::getenv("NOISE")) : 0.1;
  const double burst = std::getenv("BURST") ? std::atof(std::getenv("BURST")) : 0.02;
  int n = 0, near = 0, above = 0;
  for (const double share : {0.005, 0.02, 0.04, 0.1}) {
    double worst = 0;
    int near_here = 0, here = 0, above_here = 0;
    for (const double rate : {4e7, 1e8, 4e8, 1e9, 4e9}) {
      for (const double contention : {0.0, 0.5, 1.0, 3.0}) {
        std::vector<double> totals, lasts;
        double best_gain = 0;
        for (const double mib : {16.0, 32.0, 64.0, 128.0}) {
          for (unsigned seed = 0; seed < 3; ++seed) {
            const Workload workload =
                throttled_workload({rate, contention, mib, share, seed % 2 ? 1.8 : 1.2});
            const Setting best = best_of_grid(workload);
            const double best_s = workload.surface.step_s(best);
            best_gain = workload.surface.step_s({}) / best_s;
            const SimulatedRun run =
                simulate(workload.surface, disturbances(kStepsOfRun, noise, 2, burst, 77 + seed), seed);
            totals.push_back(run.ratio());
            lasts.push_back(workload.surface.step_s(run.settings.back()) / best_s);
            if (std::getenv("SHOW") && run.ratio() > 1.05) {
              std::printf("rate %.0e c %.1f mib %.0f\n", rate, contention, mib);
              std::printf("total %.3f last %.3f %s\n", run.ratio(), lasts.back(), run.record.state.c_str());
              for (const auto& p : run.record.probes)
                std::printf("  step %d %s: predicted %.2f observed %.2f %d: %s\n", int(p.step),
                            to_text(p.setting).c_str(), p.predicted, p.observed, p.steps, p.verdict.c_str());
            }
          }
        }
        const int near_now =
            static_cast<int>(std::ranges::count_if(lasts, [](double l) { return l <= 1 / 0.9; }));
        const int above_now =
            static_cast<int>(std::ranges::count_if(totals, [](double t) { return t > 1.05; }));
        std::printf(
            "plan %.3f rate %.0e contention %.1f gain %.2f: mean total %.3f most %.3f, near %d of %zu\n",
            share, rate, contention, best_gain,
            std::accumulate(totals.begin(), totals.end(), 0.0) / totals.size(), std::ranges::max(totals),
            near_now, lasts.size());
        worst = std::max(worst, std::ranges::max(totals));
        here += static_cast<int>(lasts.size());
        near_here += near_now;
        above_here += above_now;
      }
    }
    std::printf("== plan %.3f: near %d of %d, above %d, worst %.3f\n", share, near_here, here, above_here,
                worst);
    n += here;
    near += near_here;
    above += above_here;
  }
  std::printf("ALL near %.3f above %d of %d\n", double(near) / n, above, n);
}

}  // namespace
}  // namespace esker
