#include "esker/tuning.hpp"

#include "tune/knowledge.h"
#include "tune/parameter_space.h"
#include "tune/step_model.h"

namespace esker {

std::vector<TunableOption> tuning_space(const PlanReport& plan, const Options& options) {
  const bool is_idx = options.format == "auto" || options.format.find("idx") != std::string::npos;
  TuningFacts facts;
  facts.ranks = plan.ranks;
  facts.aggregators = plan.aggregators > 0 ? plan.aggregators : plan.writers;
  facts.buffer_bytes = plan.buffer_bytes.max;  // at least that of the collective buffer
  facts.bits_per_block = plan.bits_per_block;
  facts.blocks_per_file = plan.blocks_per_file;
  facts.has_chunks = options.format.starts_with("netcdf");
  facts.may_compress = is_idx || facts.has_chunks;
  facts.shares_a_file = options.format.starts_with("cdf") || options.format.starts_with("netcdf");
  facts.compresses = options.compression != "none";
  facts.may_write_alone = !facts.compresses && !options.partial && !(is_idx && options.checksums);
  facts.knows_stripes = options.stripe_size_bytes > 0;
  return tunable_options(facts, options);
}

std::string machine_kind() { return machine_name(); }

std::string tune_model_path() { return StepModel::default_path(); }

}  // namespace esker
