// TreeModel: a sum of regression trees, as `esker tune fit` exports scikit-learn's tree models (format:
// docs/formats/tune_model.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "esker/types/status.hpp"

namespace esker {

class TreeModel {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;  ///< of a file
  static constexpr std::size_t kMaxTrees = 2000;
  static constexpr std::size_t kMaxNodes = 200'000;  ///< of all trees
  static constexpr std::size_t kMaxAttributes = 256;
  static constexpr double kMaxValue = 1e6;  ///< magnitude of a leaf, of "base" and of "scale"

  /// A leaf has attribute -1. Children come after their parent, so a walk ends.
  struct Node {
    int attribute = -1;
    int left = 0, right = 0;  ///< nodes of the same tree
    double threshold = 0;     ///< to the left: values of the attribute up to this one
    double value = 0;         ///< of a leaf
  };
  using Tree = std::vector<Node>;

  /// The content of a file. kUnsupported: a newer format, or a model of another machine or another version
  /// of Esker (the error names both). kDataLoss: damaged, or beyond the limits above. Local, pure.
  static Result<TreeModel> parse(const std::string& text, std::string_view machine, std::string_view version);

  /// Names of the attributes, in the order of predict().
  [[nodiscard]] const std::vector<std::string>& attributes() const { return attributes_; }
  /// The prediction for these values, one per attribute: finite for all values, also for NaN. Like
  /// scikit-learn, it compares values as 32-bit reals. Local; cost: the depths of the trees.
  [[nodiscard]] double predict(std::span<const double> values) const;

 private:
  std::vector<std::string> attributes_;
  std::vector<Tree> trees_;
  double base_ = 0, scale_ = 1;
};

}  // namespace esker
