#include "format/idx/commit_record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace esker::idx {
namespace {

TEST(CommitRecord, IsOneLine) {
  const CommitRecord record{1, 7, {0, 50}, {{1, {"temp"}}}, {}};
  EXPECT_EQ(print_commit_record(record),
            R"({"format":1,"generation":7,"times":[0.0,50.0],"absent":{"1":["temp"]},)"
            R"("alignment":4096,"checksums":false})");
  CommitRecord split;
  split.split = {{"a", {"a.0-7", "a.8"}}};
  split.checksums = true;
  EXPECT_EQ(print_commit_record(split),
            R"({"format":1,"generation":0,"times":[],"absent":{},"split":{"a":["a.0-7","a.8"]},)"
            R"("alignment":4096,"checksums":true})");
  EXPECT_EQ(parse_commit_record(print_commit_record(split)).value(), split);
}

TEST(CommitRecord, PrintThenParseIsTheSame) {
  const double inf = std::numeric_limits<double>::infinity();
  const CommitRecord record{1,
                            std::numeric_limits<Index>::max(),
                            {-inf, -0.0, 0.1, 1.0 / 3, 1e300, 5e-324, inf},
                            {{0, {}}, {6, {"a", "b\n\"c\""}}},
                            {}};
  EXPECT_EQ(parse_commit_record(print_commit_record(record)).value(), record);
}

TEST(CommitRecord, NotANumber) {
  const CommitRecord record{1, 0, {std::nan("")}, {}, {}};
  EXPECT_TRUE(std::isnan(parse_commit_record(print_commit_record(record)).value().times[0]));
}

TEST(CommitRecord, NewerFormatsAreNamed) {
  EXPECT_EQ(parse_commit_record(R"({"format":2})").status().code(), Code::kUnsupported);
}

TEST(CommitRecord, DamageIsNamed) {
  for (const char* bad : {"",
                          "x",
                          "[]",
                          "{",
                          "{}",
                          "null",
                          R"({"format":0,"generation":0,"times":[],"absent":{}})",
                          R"({"format":"1","generation":0,"times":[],"absent":{}})",
                          R"({"format":1,"generation":-1,"times":[],"absent":{}})",
                          R"({"format":1,"generation":1.5,"times":[],"absent":{}})",
                          R"({"format":1,"generation":0,"times":{},"absent":{}})",
                          R"({"format":1,"generation":0,"times":["x"],"absent":{}})",
                          R"({"format":1,"generation":0,"times":[null],"absent":{}})",
                          R"({"format":1,"generation":0,"times":[0],"absent":{"1":[]}})",
                          R"({"format":1,"generation":0,"times":[0],"absent":{"-1":[]}})",
                          R"({"format":1,"generation":0,"times":[0],"absent":{"x":[]}})",
                          R"({"format":1,"generation":0,"times":[0],"absent":{"0":[1]}})",
                          R"({"format":1,"generation":18446744073709551615,"times":[],"absent":{}})",
                          R"({"format":1,"generation":0,"times":[1e999],"absent":{}})",
                          R"({"format":1,"generation":0,"times":[],"absent":{},"split":{"a":["a"]}})",
                          R"({"format":1,"generation":0,"times":[],"absent":{},"split":[]})",
                          R"({"format":1,"generation":0,"times":[],"absent":{},"alignment":0})",
                          R"({"format":1,"generation":0,"times":[],"absent":{},"checksums":1})",
                          "{\"format\":1,\"\xff\":0}"}) {
    EXPECT_EQ(parse_commit_record(bad).status().code(), Code::kDataLoss) << bad;
  }
  EXPECT_EQ(parse_commit_record(R"({"format":1,"generation":0,"times":7,"absent":{}})").status().message(),
            "'times': expected a list, found number");
}

TEST(CommitRecord, DeepNestingIsRefusedBeforeItIsParsed) {
  const std::string deep = "{\"format\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  EXPECT_EQ(parse_commit_record(deep).status().message(), "JSON is nested deeper than 32");
}

}  // namespace
}  // namespace esker::idx
