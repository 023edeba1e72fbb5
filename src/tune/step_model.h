// StepModel: predicts how a setting changes the time of a step, by a tree model that was fitted on this kind
// of machine.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tune/setting.h"
#include "tune/step_attribute.h"
#include "tune/tree_model.h"

namespace esker {

class StepModel {
 public:
  /// tune_model.json next to knowledge_path(); empty if that is.
  static std::string default_path();

  /// A model in the format of docs/formats/tune_model.md, for this version of Esker and the machine
  /// `machine`. Errors: those of TreeModel::parse, and kUnsupported for attributes that are not known here.
  static Result<StepModel> parse(const std::string& text, std::string_view machine);
  /// The same for the file at `path`, which errors name. kNotFound.
  static Result<StepModel> read(Store& store, const std::string& path);

  /// Time of a step with `setting` over the time as configured. Local, pure.
  [[nodiscard]] double ratio(const TuningFacts& facts, const Options& configured,
                             const Setting& setting) const;

 private:
  StepModel(TreeModel model, std::vector<StepAttribute> attributes)
      : model_(std::move(model)), attributes_(std::move(attributes)) {}
  [[nodiscard]] double predict(const TuningFacts& facts, const Options& options) const;

  TreeModel model_;
  std::vector<StepAttribute> attributes_;
};

}  // namespace esker
