#include "tune/step_model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/macros.h"
#include "esker/version.h"
#include "store/commit.h"
#include "tune/knowledge.h"
#include "tune/setting.h"

namespace esker {

std::string StepModel::default_path() {
  const std::string knowledge = knowledge_path();
  return knowledge.empty() ? "" : knowledge.substr(0, knowledge.rfind('/')) + "/tune_model.json";
}

Result<StepModel> StepModel::parse(const std::string& text, std::string_view machine) {
  ESKER_ASSIGN_OR_RETURN(TreeModel model, TreeModel::parse(text, machine, ESKER_VERSION));
  std::vector<StepAttribute> attributes;
  for (const std::string& name : model.attributes()) {
    Result<StepAttribute> attribute = StepAttribute::named(name);
    if (!attribute.ok()) return error(Code::kUnsupported, "{}", attribute.status().message());
    attributes.push_back(std::move(*attribute));
  }
  return StepModel(std::move(model), std::move(attributes));
}

Result<StepModel> StepModel::read(Store& store, const std::string& path) {
  ESKER_ASSIGN_OR_RETURN(const std::string text, read_text(store, path, TreeModel::kMaxBytes));
  Result<StepModel> model = parse(text, machine_name());
  return model.ok() ? std::move(model) : model.status().with_context(path);
}

double StepModel::predict(const TuningFacts& facts, const Options& options) const {
  std::vector<double> values;
  for (const StepAttribute& attribute : attributes_) values.push_back(attribute.value(facts, options));
  return model_.predict(values);
}

// The model compares with the built-in options; the difference also holds for others.
double StepModel::ratio(const TuningFacts& facts, const Options& configured, const Setting& setting) const {
  constexpr double kMostDoublings = 20;
  const Result<Options> options = with_setting(configured, setting);
  if (!options.ok()) return std::exp2(kMostDoublings);
  const double doublings = predict(facts, *options) - predict(facts, configured);
  return std::exp2(std::clamp(doublings, -kMostDoublings, kMostDoublings));
}

}  // namespace esker
