#include "tune/tree_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "format/json_text.h"
#include "tune/model_text.h"

namespace esker {
namespace {

using testing_support::ModelText;

Json golden() {
  std::ifstream file(ESKER_GOLDEN_DIR "/tune/models.json");
  std::stringstream text;
  text << file.rdbuf();
  return Json::parse(text.str());
}

// The models and predictions are scikit-learn's, see tests/golden/tune/make_models.py.
TEST(TreeModel, PredictsWhatScikitLearnPredicts) {
  const Json cases = golden().at("cases");
  ASSERT_EQ(cases.size(), 3U);
  for (const Json& one : cases) {
    const TreeModel model = TreeModel::parse(one.at("model").dump(), "golden", "1.2.3").value();
    const auto rows = one.at("values").get<std::vector<std::vector<double>>>();
    const auto expected = one.at("predictions").get<std::vector<double>>();
    ASSERT_EQ(rows.size(), expected.size());
    ASSERT_GT(rows.size(), 100U);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      EXPECT_NEAR(model.predict(rows[r]), expected[r], 1e-12) << one.at("model").at("kind") << ", row " << r;
    }
  }
}

TEST(TreeModel, ComparesValuesAs32BitReals) {
  ModelText text;
  text.threshold = "[16777216, 0, 0]";
  const TreeModel model = TreeModel::parse(text.print(), "m", "1").value();
  EXPECT_EQ(model.attributes(), (std::vector<std::string>{"ranks", "aggregators"}));
  const auto predict = [&](double value) { return model.predict(std::vector<double>{0, value}); };
  EXPECT_EQ(predict(16777216), 0.5 + 2 * -1);
  EXPECT_EQ(predict(16777217), 0.5 + 2 * -1) << "the next 32-bit real is 16777218";
  EXPECT_EQ(predict(16777218), 0.5 + 2 * 3);
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(predict(value), 0.5 + 2 * 3);
  }
  EXPECT_EQ(predict(-std::numeric_limits<double>::max()), 0.5 + 2 * -1);
}

void expect_refused(const ModelText& text, Code code, const std::string& why) {
  const Status status = TreeModel::parse(text.print(), "m", "1").status();
  EXPECT_EQ(status.code(), code) << text.print();
  EXPECT_NE(status.message().find(why), std::string::npos) << status.message();
}

TEST(TreeModel, ModelsOfOtherMachinesAndVersionsAreRefusedByName) {
  expect_refused({.esker = "0.9"}, Code::kUnsupported, "the model is of Esker 0.9, this is 1");
  expect_refused({.machine = "frontier"}, Code::kUnsupported,
                 "the model is of machine 'frontier', this is 'm'");
  expect_refused({.predicts = "seconds"}, Code::kUnsupported, "predicts 'seconds'");
  expect_refused({.kind = "neural_net"}, Code::kUnsupported, "of kind 'neural_net'");
  expect_refused({.format = "2"}, Code::kUnsupported, "format 2");
}

TEST(TreeModel, HostileNodesAreRefused) {
  expect_refused({.left = "[0, 0, 0]"}, Code::kDataLoss, "node 0 has child 0");
  expect_refused({.attribute = "[1, 0, -1]", .left = "[1, 0, 0]", .right = "[2, 2, 0]"}, Code::kDataLoss,
                 "node 1 has child 0");
  expect_refused({.right = "[3, 0, 0]"}, Code::kDataLoss, "node 0 has child 3");
  expect_refused({.right = "[-1, 0, 0]"}, Code::kDataLoss, "node 0 has child -1");
  expect_refused({.right = "[9223372036854775807, 0, 0]"}, Code::kDataLoss, "has child");
  expect_refused({.attribute = "[2, -1, -1]"}, Code::kDataLoss, "compares attribute 2");
  expect_refused({.attribute = "[-2, -1, -1]"}, Code::kDataLoss, "compares attribute -2");
  expect_refused({.attribute = "[1, -1]"}, Code::kDataLoss, "arrays of 2 and 3 nodes");
  expect_refused({.threshold = "[1.5]"}, Code::kDataLoss, "arrays of 3 and 1 nodes");
  expect_refused({.attribute = "[]", .threshold = "[]", .left = "[]", .right = "[]", .value = "[]"},
                 Code::kDataLoss, "expected 1 to");
  expect_refused({.attribute = "[0.5, -1, -1]"}, Code::kDataLoss, "'attribute'");
}

TEST(TreeModel, NumbersThatAreNoneAreRefused) {
  for (const char* bad : {"\"NaN\"", "\"Infinity\"", "NaN", "1e999", "1e7", "null", "[]"}) {
    const std::string value = "[0, " + std::string(bad) + ", 3]";
    EXPECT_EQ(TreeModel::parse(ModelText{.value = value}.print(), "m", "1").status().code(), Code::kDataLoss);
    EXPECT_EQ(TreeModel::parse(ModelText{.base = bad}.print(), "m", "1").status().code(), Code::kDataLoss);
    EXPECT_EQ(TreeModel::parse(ModelText{.scale = bad}.print(), "m", "1").status().code(), Code::kDataLoss);
  }
  expect_refused({.threshold = "[\"NaN\", 0, 0]"}, Code::kDataLoss, "'threshold'");
  expect_refused({.threshold = "[\"-Infinity\", 0, 0]"}, Code::kDataLoss, "'threshold'");
}

TEST(TreeModel, SizesBeyondTheLimitsAreRefused) {
  std::string names = "[\"a0\"";
  for (std::size_t i = 1; i <= TreeModel::kMaxAttributes; ++i) names += ", \"a" + std::to_string(i) + "\"";
  expect_refused({.attributes = names + "]"}, Code::kDataLoss, "'attributes'");
  expect_refused({.attributes = "[]"}, Code::kDataLoss, "'attributes'");
  expect_refused({.num_trees = 0}, Code::kDataLoss, "'trees'");
  expect_refused({.num_trees = TreeModel::kMaxTrees + 1}, Code::kDataLoss, "'trees'");
  std::string zeros = "[0", leaves = "[-1";
  for (std::size_t n = 0; n < TreeModel::kMaxNodes / 2; ++n) zeros += ",0", leaves += ",-1";
  const ModelText large{.attribute = leaves + "]",
                        .threshold = zeros + "]",
                        .left = zeros + "]",
                        .right = zeros + "]",
                        .value = zeros + "]",
                        .num_trees = 2};
  expect_refused(large, Code::kDataLoss, "nodes");
  const std::string text = ModelText().print();
  EXPECT_EQ(TreeModel::parse(text + std::string(TreeModel::kMaxBytes, ' '), "m", "1").status().code(),
            Code::kDataLoss);
}

TEST(TreeModel, ATruncatedFileIsRefused) {
  const std::string text = ModelText().print();
  ASSERT_TRUE(TreeModel::parse(text, "m", "1").ok());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(TreeModel::parse(text.substr(0, size), "m", "1").status().code(), Code::kDataLoss) << size;
  }
}

}  // namespace
}  // namespace esker
