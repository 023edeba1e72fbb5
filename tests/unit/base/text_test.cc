#include "base/text.h"

#include <gtest/gtest.h>

#include "base/readable.h"

namespace esker {
namespace {

TEST(Text, TrimAndWords) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(std::string_view("a\0\0", 3)), "a");
  EXPECT_EQ(trim("  "), "");
  std::string_view rest = "  one\ttwo ";
  EXPECT_EQ(take_word(rest), "one");
  EXPECT_EQ(take_word(rest), "two");
  EXPECT_EQ(take_word(rest), "");
}

TEST(Text, Integers) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("+12"), 12);
  for (const char* bad : {"", "+", "-", "+-1", "1.0", "0x1", " 1", "1 ", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_leading_integer(" 6.1"), 6);
  EXPECT_EQ(parse_leading_integer("x6"), std::nullopt);
}

TEST(Text, RealsKeepAllTheirDigits) {
  const std::vector<double> values{0.1, -1e300, 1.0 / 3, 5e-324, 0};
  EXPECT_EQ(parse_reals(print_reals(values), 5).value(), values);
  EXPECT_EQ(parse_reals("1,2 3", 3).value(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(parse_reals("1 2 3 4", 3).status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_reals("1 x", 3).status().code(), Code::kDataLoss);
}

TEST(Text, ReadableTextsAreUtf8) {
  EXPECT_EQ(readable("Höhe"), "Höhe");
  EXPECT_EQ(readable("H\xf6he \xff"), "H?he ?");
}

TEST(Text, CountsHaveTheNounInItsForm) {
  EXPECT_EQ(count_of(1, "file"), "1 file");
  EXPECT_EQ(count_of(0, "file"), "0 files");
  EXPECT_EQ(count_of(2, "step"), "2 steps");
}

TEST(Text, Utf8) {
  for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\xff", "\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82", "\xc3("}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(Text, ExcerptsAreShortAndPrintable) {
  EXPECT_EQ(excerpt("a\n\xff\x01z"), "a???z");
  EXPECT_LT(excerpt(std::string(10000, 'x')).size(), 70u);
}

}  // namespace
}  // namespace esker
