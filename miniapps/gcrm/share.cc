#include "share.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "panels.h"

namespace gcrm {
namespace {

nlohmann::json json_of(const RunReport& run) {
  nlohmann::json norms = nlohmann::json::array();
  for (const Norms& n : run.norms) {
    norms.push_back({{"l1", n.l1}, {"l2", n.l2}, {"linf", n.linf}, {"min", n.least}, {"max", n.most}});
  }
  return {{"interval", run.interval.text},
          {"interval_days", run.interval.days},
          {"paths", run.paths},
          {"output_steps", run.output_steps},
          {"model_steps", run.model_steps},
          {"model_seconds", run.model_seconds},
          {"output_seconds", run.output_seconds},
          {"first_output_seconds", run.first_output_seconds},
          {"share", run.share()},
          {"share_after_first", run.share_after_first()},
          {"within_goal", run.share() <= kShareGoal},
          {"data_bytes_per_step", run.data_bytes},
          {"mass_change", run.mass_change},
          {"state", fmt::format("{:016x}", run.state)},
          {"norms", norms}};
}

}  // namespace

double RunReport::share() const { return output_seconds / (output_seconds + model_seconds); }

double RunReport::share_after_first() const {
  const double later = output_seconds - first_output_seconds;
  return later / (later + model_seconds);
}

std::string to_text(const RunReport& run) {
  return fmt::format(
      "time   every {} day: {} output steps in {:.2f} s (first {:.2f} s), {} model steps in {:.2f} s\n"
      "share  {:.1f} % of the run is output, {:.1f} % after the first step; goal {:.0f} %: {}\n",
      run.interval.text, run.output_steps, run.output_seconds, run.first_output_seconds, run.model_steps,
      run.model_seconds, 100 * run.share(), 100 * run.share_after_first(), 100 * kShareGoal,
      run.share() <= kShareGoal ? "met" : "missed");
}

std::string to_json(const Settings& settings, int n_ranks, const std::vector<RunReport>& runs) {
  nlohmann::json all = nlohmann::json::array(), formats = nlohmann::json::array();
  for (const Target& target : settings.targets) formats.push_back(target.esker.get("format"));
  for (const RunReport& run : runs) all.push_back(json_of(run));
  const nlohmann::json report = {{"level", settings.level},
                                 {"cells", Panels(settings.level).num_cells()},
                                 {"layers", settings.bell.layers},
                                 {"days", settings.days},
                                 {"ranks", n_ranks},
                                 {"formats", formats},
                                 {"precision", esker_type_name(settings.precision)},
                                 {"goal", kShareGoal},
                                 {"runs", all}};
  return report.dump(2) + "\n";
}

}  // namespace gcrm
