// A tree model, which tune=auto asks which settings are worth trying.
#include <cmath>

#include "fuzz/fuzz.h"
#include "tune/step_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = esker::fuzz::text_of(data, size);
  const auto trees = esker::TreeModel::parse(text, "m", "1");
  esker::fuzz::require_short_message(trees.status());
  if (trees.ok()) {
    for (const double value : {0.0, -1e300, 1e300, std::nan("")}) {
      const double predicted = trees->predict(std::vector<double>(trees->attributes().size(), value));
      esker::fuzz::require(std::isfinite(predicted), "a prediction is a number");
    }
  }
  const auto model = esker::StepModel::parse(text, "m");
  esker::fuzz::require_short_message(model.status());
  if (!model.ok()) return 0;
  const double ratio = model->ratio({}, esker::Options(), {{"transport", "put"}});
  esker::fuzz::require(std::isfinite(ratio) && ratio > 0, "a ratio is a number above 0");
  return 0;
}
