// ModelText: the text of a small tree model, with members that tests replace.
#pragma once

#include <fmt/format.h>

#include <string>

namespace esker::testing_support {

/// A tree of one comparison: -1 for up to 1.5 aggregators, else 3, times 2, plus 0.5.
struct ModelText {
  std::string format = "1", predicts = "log2_step_ratio", kind = "decision_tree", esker = "1", machine = "m";
  std::string attributes = "[\"ranks\", \"aggregators\"]", base = "0.5", scale = "2";
  std::string attribute = "[1, -1, -1]", threshold = "[1.5, 0, 0]", left = "[1, 0, 0]", right = "[2, 0, 0]",
              value = "[7, -1, 3]";
  std::size_t num_trees = 1;

  [[nodiscard]] std::string print() const {
    const std::string tree =
        fmt::format(R"({{"attribute": {}, "threshold": {}, "left": {}, "right": {}, "value": {}}})",
                    attribute, threshold, left, right, value);
    std::string trees;
    for (std::size_t t = 0; t < num_trees; ++t) trees += (t == 0 ? "" : ", ") + tree;
    return fmt::format(
        R"({{"esker_model": {}, "predicts": "{}", "kind": "{}", "esker": "{}", "machine": "{}", )"
        R"("data": "sha256:0", "attributes": {}, "base": {}, "scale": {}, "trees": [{}]}})",
        format, predicts, kind, esker, machine, attributes, base, scale, trees);
  }
};

}  // namespace esker::testing_support
