#include "tune/tree_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "format/json_text.h"

namespace esker {
namespace {

constexpr int kModelFormat = 1;

/// As scikit-learn stores it: values too large for 32 bits are kept at the limit.
double as_stored(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::isnan(value) ? value
                           : static_cast<double>(static_cast<float>(std::clamp(value, -kMost, kMost)));
}

Status check_finite(double value, const char* what, double most) {
  if (std::abs(value) <= most) return {};  // false for NaN
  return error(Code::kDataLoss, "'{}': expected a number of at most {:g}, found {}", what, most, value);
}

Status check_size(std::size_t size, const char* what, std::size_t least, std::size_t most) {
  if (size >= least && size <= most) return {};
  return error(Code::kDataLoss, "'{}': expected {} to {} elements, found {}", what, least, most, size);
}

/// "predicts", "kind", "esker" and "machine".
Status check_origin(const Json& json, std::string_view machine, std::string_view version) {
  constexpr std::array<std::string_view, 3> kKinds{"decision_tree", "random_forest", "gradient_boosting"};
  ESKER_ASSIGN_OR_RETURN(const std::string predicts, get_text(json, "predicts"));
  if (predicts != "log2_step_ratio") {
    return error(Code::kUnsupported, "the model predicts '{}'; expected 'log2_step_ratio'",
                 excerpt(predicts));
  }
  ESKER_ASSIGN_OR_RETURN(const std::string kind, get_text(json, "kind"));
  if (std::ranges::find(kKinds, kind) == kKinds.end()) {
    return error(Code::kUnsupported,
                 "the model is of kind '{}'; expected decision_tree, random_forest or "
                 "gradient_boosting",
                 excerpt(kind));
  }
  ESKER_ASSIGN_OR_RETURN(const std::string esker, get_text(json, "esker"));
  if (esker != version) {
    return error(Code::kUnsupported, "the model is of Esker {}, this is {}: fit it again", excerpt(esker),
                 version);
  }
  ESKER_ASSIGN_OR_RETURN(const std::string measured_on, get_text(json, "machine"));
  if (measured_on == machine) return {};
  return error(Code::kUnsupported, "the model is of machine '{}', this is '{}': fit it on this machine",
               excerpt(measured_on), excerpt(std::string(machine)));
}

Result<double> get_finite(const Json& json, const char* key) {
  const auto member = json.find(key);
  if (member == json.end() || !member->is_number()) {
    return error(Code::kDataLoss, "'{}': expected a number", key);
  }
  const auto value = member->get<double>();
  ESKER_RETURN_IF_ERROR(check_finite(value, key, TreeModel::kMaxValue));
  return value;
}

/// Whether the node compares an attribute that exists, and continues with later nodes.
Status check_inner(Index attribute, std::size_t num_attributes, Index node, std::array<Index, 2> children,
                   Index size) {
  if (attribute < 0 || attribute >= static_cast<Index>(num_attributes)) {
    return error(Code::kDataLoss, "node {} compares attribute {}; the model has {}", node, attribute,
                 num_attributes);
  }
  for (const Index child : children) {
    if (child > node && child < size) continue;
    return error(Code::kDataLoss, "node {} has child {}; expected a later one of {}", node, child, size);
  }
  return {};
}

Result<TreeModel::Tree> parse_tree(const Json& json, std::size_t num_attributes) {
  if (!json.is_object()) return error(Code::kDataLoss, "'trees': expected objects");
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> attribute, get_integers(json, "attribute"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<double> threshold, get_reals(json, "threshold"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> left, get_integers(json, "left"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<Index> right, get_integers(json, "right"));
  ESKER_ASSIGN_OR_RETURN(const std::vector<double> value, get_reals(json, "value"));
  const std::size_t size = attribute.size();
  ESKER_RETURN_IF_ERROR(check_size(size, "attribute", 1, TreeModel::kMaxNodes));
  for (const std::size_t other : {threshold.size(), left.size(), right.size(), value.size()}) {
    if (other != size) return error(Code::kDataLoss, "a tree has arrays of {} and {} nodes", size, other);
  }
  TreeModel::Tree tree(size);
  for (std::size_t n = 0; n < size; ++n) {
    ESKER_RETURN_IF_ERROR(check_finite(value[n], "value", TreeModel::kMaxValue));
    tree[n].value = value[n];
    if (attribute[n] == -1) continue;
    ESKER_RETURN_IF_ERROR(check_inner(attribute[n], num_attributes, static_cast<Index>(n),
                                      {left[n], right[n]}, static_cast<Index>(size)));
    ESKER_RETURN_IF_ERROR(check_finite(threshold[n], "threshold", std::numeric_limits<double>::max()));
    tree[n] = {static_cast<int>(attribute[n]), static_cast<int>(left[n]), static_cast<int>(right[n]),
               threshold[n], value[n]};
  }
  return tree;
}

Result<std::vector<TreeModel::Tree>> parse_trees(const Json& json, std::size_t num_attributes) {
  ESKER_ASSIGN_OR_RETURN(const Json* array, get_array(json, "trees"));
  ESKER_RETURN_IF_ERROR(check_size(array->size(), "trees", 1, TreeModel::kMaxTrees));
  std::vector<TreeModel::Tree> trees;
  std::size_t num_nodes = 0;
  for (const Json& json_tree : *array) {
    ESKER_ASSIGN_OR_RETURN(TreeModel::Tree tree, parse_tree(json_tree, num_attributes));
    num_nodes += tree.size();
    ESKER_RETURN_IF_ERROR(check_size(num_nodes, "trees: nodes", 1, TreeModel::kMaxNodes));
    trees.push_back(std::move(tree));
  }
  return trees;
}

}  // namespace

Result<TreeModel> TreeModel::parse(const std::string& text, std::string_view machine,
                                   std::string_view version) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder file, parse_json_object(text, kMaxBytes));
  ESKER_ASSIGN_OR_RETURN(const Index format,
                         get_integer(file.json, "esker_model", 1, std::numeric_limits<int>::max()));
  if (format > kModelFormat)
    return error(Code::kUnsupported, "a model of format {}; {} is known", format, kModelFormat);
  ESKER_RETURN_IF_ERROR(check_origin(file.json, machine, version));
  TreeModel model;
  ESKER_ASSIGN_OR_RETURN(model.attributes_, get_texts(file.json, "attributes"));
  ESKER_RETURN_IF_ERROR(check_size(model.attributes_.size(), "attributes", 1, kMaxAttributes));
  ESKER_ASSIGN_OR_RETURN(model.base_, get_finite(file.json, "base"));
  ESKER_ASSIGN_OR_RETURN(model.scale_, get_finite(file.json, "scale"));
  ESKER_ASSIGN_OR_RETURN(model.trees_, parse_trees(file.json, model.attributes_.size()));
  return model;
}

double TreeModel::predict(std::span<const double> values) const {
  double sum = 0;
  for (const Tree& tree : trees_) {
    const Node* node = tree.data();
    while (node->attribute >= 0) {
      const double value = as_stored(values[static_cast<std::size_t>(node->attribute)]);
      node = &tree[static_cast<std::size_t>(value <= node->threshold ? node->left : node->right)];
    }
    sum += node->value;
  }
  return base_ + scale_ * sum;
}

}  // namespace esker
