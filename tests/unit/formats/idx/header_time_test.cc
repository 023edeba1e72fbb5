#include <gtest/gtest.h>

#include "formats/idx/header.h"

namespace esker::idx {
namespace {

std::vector<Index> times(const std::string& text) { return parse_time(text).value().list(1000).value(); }

TEST(Time, FirstLastTemplate) {
  EXPECT_EQ(times("0 2 time_%04d/"), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(times("5 5 t%d_"), (std::vector<Index>{5}));
  EXPECT_EQ(times("-2 1 t%d/"), (std::vector<Index>{-2, -1, 0, 1}));  // OpenVisus lists these, too
  EXPECT_EQ(parse_time("0 2 time_%04d/").value().path_template, "time_%04d/");
}

TEST(Time, TemplateAndUnionOfRanges) {
  EXPECT_EQ(times("time_%04d/ (0,4,2) (10,12,1)"), (std::vector<Index>{0, 2, 4, 10, 11, 12}));
  EXPECT_EQ(times("t%d/ (3)(5,6)"), (std::vector<Index>{3, 5, 6}));
  EXPECT_EQ(times("t%d/ (5,7) (0,6,3)"), (std::vector<Index>{0, 3, 5, 6, 7}));  // ascending, none twice
  EXPECT_EQ(times("t%d/ (4,0)"), (std::vector<Index>{}));
}

TEST(Time, AnEmptyDatasetHasNoSteps) {
  const TimeSteps none = parse_time("0 -1 time_%04d/").value();
  EXPECT_TRUE(none.ranges.empty());
  EXPECT_EQ(print_time(none), "0 -1 time_%04d/");
  EXPECT_EQ(print_time({"time_%04d/", {{0, -1, 1}}}), "0 -1 time_%04d/");
  EXPECT_FALSE(none.contains(0));
  EXPECT_FALSE((TimeSteps{"t%d/", {{0, -1, 1}}}.contains(0)));
}

TEST(Time, UnknownTimesAreNoSteps) { EXPECT_TRUE(times("* * time_%04d/").empty()); }

TEST(Time, OtherTextsAreErrors) {
  for (const char* bad : {"",
                          "0 4",
                          "0 4 t%d/ x",
                          "0,4 t%d/",
                          "t%d/",
                          "x 4 t%d/",
                          "* 4 t%d/",
                          "0 0 t%d/ (3,4)",
                          "(0,4) t%d/",
                          "t%d/ (0 4 2)",
                          "t%d/ ()",
                          "t%d/ (1,2,3,4)",
                          "t%d/ (1,2",
                          "t%d/ (1,,2)",
                          "t%d/ (1,2,)",
                          "t%d/ (0,4,0)",
                          "t%d/ (0,4,-1)",
                          "t%d/ (0,4) x",
                          "0 99999999999999999999 t%d/",
                          "0 9223372036854775807 t%d/"}) {
    EXPECT_EQ(parse_time(bad).status().code(), Code::kDataLoss) << bad;
  }
}

TEST(Time, ContainsAgreesWithList) {
  const TimeSteps time = parse_time("t%d/ (0,4,2) (10,12) (20)").value();
  const std::vector<Index> listed = time.list(100).value();
  for (Index t = -3; t < 30; ++t) {
    EXPECT_EQ(time.contains(t), std::find(listed.begin(), listed.end(), t) != listed.end()) << t;
  }
}

TEST(Time, ListsAreBounded) {
  EXPECT_EQ(parse_time("0 1000000000000 t%d/").value().list(1000).status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_time("t%d/ (0,9) (0,9)").value().list(19).status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_time("t%d/ (0,9) (0,9)").value().list(20).value().size(), 10u);
}

TEST(Time, PrintThenParseIsTheSame) {
  for (const char* text : {"0 2 time_%04d/", "t%d/ (0,4,2) (10,12,1)", "t%d/ (3)", "0 -1 t%d/", "* * t%d/"}) {
    const TimeSteps time = parse_time(text).value();
    EXPECT_EQ(parse_time(print_time(time)).value(), time) << print_time(time);
  }
}

}  // namespace
}  // namespace esker::idx
