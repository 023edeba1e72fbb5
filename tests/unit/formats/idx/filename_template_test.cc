#include "formats/idx/filename_template.h"

#include <gtest/gtest.h>

namespace esker::idx {
namespace {

std::string path(const std::string& blocks, const std::string& time, Index first, Index step) {
  return FilenameTemplate::parse(blocks, time).value().path(first, step);
}

Code code_of_template(const std::string& blocks, const std::string& time = "") {
  return FilenameTemplate::parse(blocks, time).status().code();
}

TEST(FilenameTemplate, ExamplesOfTheFormatPage) {
  EXPECT_EQ(path("./v/%02x/%01x.bin", "", 0x3f, 0), "v/03/f.bin");
  EXPECT_EQ(path("./v/%01x.bin", "", 0x1e, 0), "v/1/e.bin");
  EXPECT_EQ(path("./v/%04x.bin", "time_%04d/", 2, 3), "v/time_0003/0002.bin");
  EXPECT_EQ(path("./v_%02x.bin", "t%d_", 3, 1), "v_t1_03.bin");
}

TEST(FilenameTemplate, NumbersAreThoseOfTheFirstBlock) {
  std::vector<std::string> names;
  for (const Index block : {0, 1, 2, 3, 4, 5}) names.push_back(path("./%04x.bin", "", block - block % 2, 0));
  EXPECT_EQ(names, (std::vector<std::string>{"0000.bin", "0000.bin", "0002.bin", "0002.bin", "0004.bin",
                                             "0004.bin"}));
}

TEST(FilenameTemplate, GroupsTakeBitsFromTheRight) {
  EXPECT_EQ(path("./a%01xb%02xc", "", 0xabc, 0), "aabbcc");
  EXPECT_EQ(path("./r/%02x/%04x.bin", "", 0x123456, 0), "r/12/3456.bin");
  EXPECT_EQ(path("./%09x.bin", "", 0x7, 0), "000000007.bin");
}

TEST(FilenameTemplate, RemainingBitsBecomeDirectories) {
  EXPECT_EQ(path("./v/%02x.bin", "", 0xabcdef, 0), "v/ab/cd/ef.bin");
  EXPECT_EQ(path("./v/%04x.bin", "t%d/", Index{0x123456789abcdef0}, 7), "v/t7/1234/5678/9abc/def0.bin");
  EXPECT_EQ(path("./%09x.bin", "", Index{0x3fffffffffffffff}, 0), "003ffffff/fffffffff.bin");
}

TEST(FilenameTemplate, TimeFormats) {
  EXPECT_EQ(path("./%01x", "%d/", 0, 12), "12/0");
  EXPECT_EQ(path("./%01x", "t%3d/", 0, 7), "t  7/0");
  EXPECT_EQ(path("./%01x", "time%09d/x", 0, 7), "time000000007/x0");
  EXPECT_EQ(path("./%01x", "t%02d/", 0, 12345), "t12345/0");
  EXPECT_EQ(path("./%01x", "t%04d/", 0, -2), "t-002/0");
  EXPECT_EQ(path("./%01x", "always/", 0, 7), "always/0");
}

TEST(FilenameTemplate, WithoutNumbersThereIsOneFileAndTimeIsIgnored) {
  const auto single = FilenameTemplate::parse("./all.bin", "time_%04d/").value();
  EXPECT_TRUE(single.single_file());
  EXPECT_EQ(single.path(99, 3), "all.bin");
  EXPECT_FALSE(FilenameTemplate::parse("./%04x.bin", "").value().single_file());
}

TEST(FilenameTemplate, WaysToNameTheDirectoryOfTheIdx) {
  EXPECT_EQ(path("$(CurrentFileDirectory)/v/%02x", "", 1, 0), "v/01");
  EXPECT_EQ(path("v/%02x", "", 1, 0), "v/01");
  EXPECT_EQ(path("././v/%02x", "", 1, 0), "v/01");
  EXPECT_EQ(code_of_template("$(HOME)/v/%02x"), Code::kUnsupported);
}

TEST(FilenameTemplate, OtherConversionsAreErrors) {
  for (const char* bad : {"./%x", "./%4x", "./%00x", "./%010x", "./%04X", "./%04d", "./%s", "./%n", "./%%",
                          "./%", "./%0", "./%04"}) {
    EXPECT_EQ(code_of_template(bad), Code::kDataLoss) << bad;
  }
  for (const char* bad : {"%s", "%n", "%d%d", "%04x", "%", "%*d", "%99d", "%-4d", "%lld", "%%d"}) {
    EXPECT_EQ(code_of_template("./%04x", bad), Code::kDataLoss) << bad;
  }
}

TEST(FilenameTemplate, PathsStayInTheDirectoryOfTheIdx) {
  for (const char* bad : {"/etc/%04x", "../%04x", "./../%04x", "./a/../../%04x", "a/./../..//%04x", "./..",
                          "/etc/passwd", ".//etc/%04x"}) {
    EXPECT_EQ(code_of_template(bad), Code::kDataLoss) << bad;
  }
  EXPECT_EQ(code_of_template("./%04x", "../../%d"), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./%04x", "/etc/%d"), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./.%04x", "./%d"), Code::kDataLoss);  // the two together make ".."
  EXPECT_EQ(code_of_template("./%04x/../../../x"), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./a/../%04x"), Code::kOk);
  EXPECT_EQ(code_of_template("./a..b/..%04x"), Code::kOk);
}

TEST(FilenameTemplate, OutsideOnRequest) {
  EXPECT_EQ(FilenameTemplate::parse("/data/%04x.bin", "", true).value().path(1, 0), "/data/0001.bin");
  EXPECT_EQ(FilenameTemplate::parse("../%04x.bin", "", true).value().path(1, 0), "../0001.bin");
}

TEST(FilenameTemplate, PatternsOfAllPaths) {
  const auto patterns = [](const char* blocks, const char* time, Index last) {
    return FilenameTemplate::parse(blocks, time).value().patterns(last);
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(patterns("./r/%02x.bin", "t%04d/", 255), Texts{"r/t\2/\1\1.bin"});
  EXPECT_EQ(patterns("./r/%02x.bin", "", 0x10000),
            (Texts{"r/\1\1.bin", "r/\1\1/\1\1.bin", "r/\1\1/\1\1/\1\1.bin"}));
  EXPECT_EQ(patterns("./r.bin", "t%d/", 9), Texts{"r.bin"});
}

TEST(FilenameTemplate, HostileTexts) {
  EXPECT_EQ(code_of_template(""), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./"), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./%04x/"), Code::kDataLoss);
  EXPECT_EQ(code_of_template(std::string("./a\0b%04x", 9)), Code::kDataLoss);
  EXPECT_EQ(code_of_template("./a\nb%04x"), Code::kDataLoss);
  EXPECT_EQ(code_of_template(std::string(100000, 'a')), Code::kDataLoss);
}

}  // namespace
}  // namespace esker::idx
