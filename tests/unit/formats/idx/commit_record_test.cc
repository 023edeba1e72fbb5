#include "formats/idx/commit_record.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "formats/idx/record_sum.h"
#include "unit/formats/idx/idx_texts.h"

namespace esker::idx {
namespace {

TEST(CommitRecord, IsOneLine) {
  const CommitRecord record{7, {0, 50}, {{1, {"temp"}}}, {}};
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
  split.sum = 0x1f;
  EXPECT_NE(print_commit_record(split).find(R"({"format":2,)"), std::string::npos);
  EXPECT_NE(print_commit_record(split).find(R"("sum":"000000000000001f"})"), std::string::npos);
  EXPECT_EQ(parse_commit_record(print_commit_record(split)).value(), split);
}

TEST(CommitRecord, AWrongSumIsNamedWithTheRightOne) {
  const Header header = parse_header(kMinimal, "run").value();
  CommitRecord record{7, {0, 50}, {}, {}};
  const std::uint64_t right = record_sum(header, record);
  record.sum = right;
  EXPECT_TRUE(check_record_sum(header, record).ok());
  record.sum = 0x1f;
  const Status status = check_record_sum(header, record);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  const std::string sums =
      fmt::format("records the checksum 000000000000001f, but the text has {:016x}:", right);
  EXPECT_NE(status.message().find(sums), std::string::npos) << status.message();
}

TEST(CommitRecord, PrintThenParseIsTheSame) {
  const double inf = std::numeric_limits<double>::infinity();
  const CommitRecord record{std::numeric_limits<Index>::max(),
                            {-inf, -0.0, 0.1, 1.0 / 3, 1e300, 5e-324, inf},
                            {{0, {}}, {6, {"a", "b\n\"c\""}}},
                            {}};
  EXPECT_EQ(parse_commit_record(print_commit_record(record)).value(), record);
}

TEST(CommitRecord, NotANumber) {
  const CommitRecord record{0, {std::nan("")}, {}, {}};
  EXPECT_TRUE(std::isnan(parse_commit_record(print_commit_record(record)).value().times[0]));
}

TEST(CommitRecord, HasTheChecksumsOfSparseSteps) {
  CommitRecord record{3, {0, 1}, {}, {}};
  record.sum = 7;
  record.sets = {{0, 0x0123456789abcdef}, {1, 5}};
  const std::string text = print_commit_record(record);
  EXPECT_NE(text.find(R"({"format":4,)"), std::string::npos) << text;
  EXPECT_EQ(parse_commit_record(text).value(), record);
  for (const char* bad : {R"({"2":"0000000000000005"})", R"({"-1":"0000000000000005"})", R"({"0":"5"})",
                          R"({"0":5})", R"([])"}) {
    std::string damaged = text;
    const std::size_t at = damaged.find(R"({"0":)"), end = damaged.find('}', at) + 1;
    damaged.replace(at, end - at, bad);
    EXPECT_EQ(parse_commit_record(damaged).status().code(), Code::kDataLoss) << damaged;
  }
}

TEST(CommitRecord, CountsMergedSteps) {
  CommitRecord record{3, {0, 50}, {}, {}};
  record.merged = 2;
  EXPECT_EQ(parse_commit_record(print_commit_record(record)).value(), record);
  record.merged = 3;
  EXPECT_EQ(parse_commit_record(print_commit_record(record)).status().code(), Code::kDataLoss);
}

TEST(CommitRecord, NewerFormatsAreNamed) {
  EXPECT_EQ(parse_commit_record(R"({"format":6})").status().code(), Code::kUnsupported);
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
                          R"({"format":2,"generation":0,"times":[],"absent":{}})",
                          R"({"format":2,"generation":0,"times":[],"absent":{},"sum":"1f"})",
                          R"({"format":1,"generation":0,"times":[],"absent":{},"sum":"000000000000001g"})",
                          "{\"format\":1,\"\xff\":0}"}) {
    EXPECT_EQ(parse_commit_record(bad).status().code(), Code::kDataLoss) << bad;
  }
  EXPECT_EQ(parse_commit_record(R"({"format":1,"generation":0,"times":7,"absent":{}})").status().message(),
            "'times': expected an array, found number");
}

TEST(CommitRecord, DeepNestingIsRefusedBeforeItIsParsed) {
  const std::string deep = "{\"format\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}";
  EXPECT_EQ(parse_commit_record(deep).status().message(), "JSON is nested deeper than 32");
}

}  // namespace
}  // namespace esker::idx
