#include "formats/idx/header.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/formats/idx/idx_texts.h"

namespace esker::idx {
namespace {

Header parsed(const std::string& text) { return parse_header(text, "run").value(); }

/// A mask of `zeros` times 0, then `ones` times 1.
std::string mask(std::size_t zeros, std::size_t ones) {
  return fmt::format("V{}{}", std::string(zeros, '0'), std::string(ones, '1'));
}

Code code_of(const std::string& text) { return parse_header(text, "run").status().code(); }

std::string message_of(const std::string& text) { return parse_header(text, "run").status().message(); }

TEST(Header, AMinimalHeaderHasDefaults) {
  const Header h = parsed(kMinimal);
  EXPECT_EQ(h.version, 6);
  EXPECT_EQ(h.box, (Box{{0, 0}, {13, 7}}));  // the text stores the last index
  EXPECT_EQ(h.bitmask.to_string(), "V0101010");
  EXPECT_EQ(h.bits_per_block, 4);
  EXPECT_EQ(h.blocks_per_file, 4);
  EXPECT_EQ(h.filename_template, "./temp/%04x.bin");
  EXPECT_FALSE(h.time.has_value());
  EXPECT_EQ(h.interleave_block, 0);
  EXPECT_EQ(h.missing_blocks, 0);
  EXPECT_EQ(h.arco, 0);
  EXPECT_TRUE(h.axis.empty() && h.physic_box.empty() && h.logic_to_physic.empty() && h.other.empty());
}

TEST(Header, EveryKeyIsRead) {
  const Header h = parsed(kFull);
  EXPECT_EQ(h.axis, "x y z");
  EXPECT_EQ(h.physic_box, (std::vector<double>{0, 1.5, -2, 2, 0.1, 1e300}));
  ASSERT_EQ(h.fields.size(), 2u);
  EXPECT_EQ(h.fields[1].description, "m/s, (u v w)");
  ASSERT_TRUE(h.time.has_value());
  EXPECT_EQ(h.time->ranges.size(), 2u);
  ASSERT_NE(h.find_other("(esker)"), nullptr);
  EXPECT_EQ(h.find_other("(esker)")->substr(0, 12), R"({"format":1,)");
  EXPECT_EQ(h.find_other("(nothing)"), nullptr);
}

/// kMinimal (13 x 7, blocks of 2^4) of this version and number of bricks.
std::string with_bricks(const std::string& bricks, int version = 7) {
  std::string text = kMinimal;
  text.replace(text.find("(version)\n6"), 11, "(version)\n" + std::to_string(version));
  return text + "(bricks)\n" + bricks + "\n";
}

TEST(Header, BricksNeedVersion7AndABlockEach) {
  const Header h = parsed(with_bricks("4"));
  EXPECT_EQ(h.brick_digits, 2);
  EXPECT_EQ(parsed(print_header(h)), h);
  EXPECT_EQ(parsed(with_bricks("4", 6)).brick_digits, 0);  // an unknown key there
  for (const char* wrong : {"0", "1", "3", "-2", "x", "", "33554432", "16", "9223372036854775807"}) {
    EXPECT_EQ(code_of(with_bricks(wrong)), Code::kDataLoss) << wrong;
    EXPECT_NE(message_of(with_bricks(wrong)).find("(bricks)"), std::string::npos) << wrong;
  }
  std::string empty_brick = with_bricks("2");
  empty_brick.replace(empty_brick.find("0 12 0 6"), 8, "0 6 0 6");
  EXPECT_EQ(code_of(empty_brick), Code::kDataLoss);
}

TEST(Header, PrintsTheKeysInOpenVisusOrder) {
  const std::string text = print_header(parsed(kFull));
  EXPECT_EQ(text, kFull);
}

TEST(Header, PrintThenParseIsTheSame) {
  for (const std::string& text : kTexts) {
    const Header h = parsed(text);
    EXPECT_EQ(parsed(print_header(h)), h) << print_header(h);
  }
}

TEST(Header, LinesAreTrimmedAndBlankLinesCommentsAndJunkInFrontSkipped) {
  std::string text = "junk in front\n\n# a comment (box)\n" + kMinimal;
  text.replace(text.find("0 12 0 6"), 8, "  0 12 \n\n# (bits)\n\t0 6  ");
  EXPECT_EQ(parsed(text), parsed(kMinimal));
}

TEST(Header, CarriageReturnsAndTrailingNulsAreHarmless) {
  std::string text;
  for (const char c : kMinimal) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parsed(text + std::string(3, '\0') + " \n"), parsed(kMinimal));
}

TEST(Header, AValueOnTheKeysOwnLineIsPartOfTheKey) {
  EXPECT_EQ(message_of(with(kMinimal, "(bits)", "") + "(bits) V0101010\n"), "(bits) is missing");
}

TEST(Header, KeyOrderIsFree) {
  const std::string first = with(kMinimal, "(bits)", "") + "(bits)\nV0101010\n";
  EXPECT_EQ(parsed(first), parsed(kMinimal));
}

TEST(Header, UnknownKeysAreKeptAndPrintedBehindTheKnownOnes) {
  const Header h = parsed("(author)\nsomeone\nelse\n" + kMinimal + "(empty)\n");
  ASSERT_EQ(h.other.size(), 2u);
  EXPECT_EQ(*h.find_other("(author)"), "someone else");
  EXPECT_EQ(*h.find_other("(empty)"), "");
  EXPECT_NE(print_header(h).find("(arco)\n0\n(author)\nsomeone else\n(empty)\n"), std::string::npos);
}

TEST(Header, TheLastValueOfARepeatedKeyApplies) {
  EXPECT_EQ(parsed(kMinimal + "(bitsperblock)\n5\n").bits_per_block, 5);
}

TEST(Header, VersionIsALeadingIntegerFrom1To6) {
  EXPECT_EQ(parsed(with(kMinimal, "(version)", "6.1")).version, 6);
  EXPECT_EQ(parsed(with(kMinimal, "(version)", "1")).version, 1);
  EXPECT_EQ(code_of(with(kMinimal, "(version)", "7")), Code::kUnsupported);
  EXPECT_EQ(code_of(with(kMinimal, "(version)", "0")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kMinimal, "(version)", "six")), Code::kDataLoss);
}

TEST(Header, MissingRequiredKeysAreErrors) {
  for (const char* key : {"(version)", "(box)", "(fields)", "(bits)"}) {
    EXPECT_EQ(message_of(with(kMinimal, key, "")), std::string(key) + " is missing");
  }
}

TEST(Header, BoxPairsBeyondTheMaskAreIgnored) {
  EXPECT_EQ(parsed(with(kMinimal, "(box)", "0 12 0 6 0 99 0 0 0 0")).box, (Box{{0, 0}, {13, 7}}));
}

TEST(Header, TheMaskCoversTheBoxWithItsOrigin) {
  EXPECT_EQ(parsed(with(kMinimal, "(box)", "3 15 1 7")).box, (Box{{3, 1}, {16, 8}}));
  for (const char* box :
       {"0 16 0 6", "5 4 0 6", "-1 4 0 6", "0 12", "0 12 0", "0 x 0 6", "0 99999999999999999999 0 6"}) {
    EXPECT_EQ(code_of(with(kMinimal, "(box)", box)), Code::kDataLoss) << box;
  }
}

TEST(Header, MasksMustBeSpelledOut) {
  EXPECT_EQ(code_of(with(kMinimal, "(bits)", "V")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kMinimal, "(bits)", "0101010")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kMinimal, "(bits)", "F0101010")), Code::kUnsupported);
  EXPECT_EQ(code_of(with(kMinimal, "(bits)", mask(63, 0))), Code::kDataLoss);
  EXPECT_EQ(parsed(with(kMinimal, "(bits)", "V1100100111")).bitmask.to_string(), "V1100100111");
}

TEST(Header, AxesOfExtent1KeepTheirDigit) {
  const Header h = parsed(with(with(kMinimal, "(bits)", "V20101010"), "(box)", "0 12 0 6 0 0"));
  EXPECT_EQ(h.box, (Box{{0, 0, 0}, {13, 7, 1}}));
}

TEST(Header, BitsPerBlockIsGuessedAndClampedToTheMask) {
  const std::string large = with(with(kMinimal, "(bits)", mask(10, 10)), "(box)", "0 1023 0 1023");
  EXPECT_EQ(parsed(with(large, "(bitsperblock)", "0")).bits_per_block, 16);
  EXPECT_EQ(parsed(with(large, "(bitsperblock)", "")).bits_per_block, 16);
  EXPECT_EQ(parsed(with(large, "(bitsperblock)", "40")).bits_per_block, 20);
  EXPECT_EQ(parsed(with(kMinimal, "(bitsperblock)", "")).bits_per_block, 7);
  for (const char* bad : {"-1", "x", "4.5", "99999999999"}) {
    EXPECT_EQ(code_of(with(kMinimal, "(bitsperblock)", bad)), Code::kDataLoss) << bad;
  }
}

TEST(Header, BlocksAreSmallerThan2GiB) {
  const std::string huge = with(with(kMinimal, "(bits)", mask(30, 20)), "(blocksperfile)", "1");
  EXPECT_EQ(code_of(with(huge, "(bitsperblock)", "31")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(huge, "(bitsperblock)", "29")), Code::kDataLoss);  // float32: 2^31 bytes
  EXPECT_TRUE(parse_header(with(huge, "(bitsperblock)", "28"), "run").ok());
  EXPECT_EQ(code_of(with(with(huge, "(bitsperblock)", "28"), "(fields)", "v float64[65536]")),
            Code::kDataLoss);
}

// OpenVisus 2.2.149: as many blocks as fit in 128 MiB with all fields, but at most all blocks.
TEST(Header, BlocksPerFileIsGuessedAsOpenVisusDoes) {
  const std::string large = with(with(kMinimal, "(bits)", mask(15, 15)), "(bitsperblock)", "12");
  struct Row {
    const char *fields, *bits_per_block;
    Index expected;
  };
  for (const Row& row :
       {Row{"a uint8", "12", 32768}, Row{"a float64", "12", 4096}, Row{"a float32[3]", "12", 2730},
        Row{"a uint8 + b float64", "12", 3640}, Row{"a float32[3]", "20", 10}, Row{"a float32", "28", 1},
        Row{"a uint8", "8", 524288}}) {
    const std::string text = with(with(large, "(fields)", row.fields), "(bitsperblock)", row.bits_per_block);
    EXPECT_EQ(parsed(with(text, "(blocksperfile)", "0")).blocks_per_file, row.expected) << row.fields;
    EXPECT_EQ(parsed(with(text, "(blocksperfile)", "")).blocks_per_file, row.expected) << row.fields;
  }
  EXPECT_EQ(parsed(with(kMinimal, "(blocksperfile)", "0")).blocks_per_file, 8);
}

TEST(Header, BlocksPerFileMinus1IsAllBlocksAndMoreThanThereAreIsLegal) {
  EXPECT_EQ(parsed(with(kMinimal, "(blocksperfile)", "-1")).blocks_per_file, 8);
  EXPECT_EQ(parsed(with(kMinimal, "(blocksperfile)", "3")).blocks_per_file, 3);
  EXPECT_EQ(parsed(with(kMinimal, "(blocksperfile)", "5000")).blocks_per_file, 5000);
  for (const char* bad : {"-2", "x", "1000000000000", "16777217", "99999999999999999999"}) {
    EXPECT_EQ(code_of(with(kMinimal, "(blocksperfile)", bad)), Code::kDataLoss) << bad;
  }
}

// One "/%02x" for every 8 bits beyond 16, rounded up (checked with OpenVisus 2.2.149).
TEST(Header, TemplatesAreGuessedFromTheStem) {
  const std::string base =
      with(with(with(kMinimal, "(filename_template)", ""), "(bitsperblock)", "14"), "(blocksperfile)", "1");
  const auto guess = [&](std::size_t digits) {
    return parsed(with(with(base, "(bits)", mask(digits - 20, 20)), "(box)", "0 0 0 0")).filename_template;
  };
  EXPECT_EQ(parsed(with(kMinimal, "(filename_template)", "")).filename_template, "./run/%04x.bin");
  EXPECT_EQ(guess(30), "./run/%04x.bin");
  EXPECT_EQ(guess(31), "./run/%02x/%04x.bin");
  EXPECT_EQ(guess(38), "./run/%02x/%04x.bin");
  EXPECT_EQ(guess(39), "./run/%02x/%02x/%04x.bin");
}

TEST(Header, TemplatesThatCannotBeExpandedAreRefused) {
  for (const char* bad : {"./v/%x.bin", "./v/%4x.bin", "./v/%s.bin", "./v/%n%n%n%n", "./v/%04x/", "./v/%"}) {
    EXPECT_EQ(code_of(with(kMinimal, "(filename_template)", bad)), Code::kDataLoss) << bad;
  }
  EXPECT_EQ(code_of(with(kMinimal, "(time)", "0 3 time_%s/")), Code::kDataLoss);
}

TEST(Header, InterleavedFilesAreUnsupported) {
  EXPECT_EQ(parsed(with(kMinimal, "(interleave block)", "1")).interleave_block, 1);
  EXPECT_EQ(code_of(with(kMinimal, "(interleave block)", "2")), Code::kUnsupported);
}

TEST(Header, MissingBlocksIs0Or1) {
  EXPECT_EQ(parsed(with(kMinimal, "(missing_blocks)", "1")).missing_blocks, 1);
  for (const char* bad : {"True", "2", "-1"}) {
    EXPECT_EQ(code_of(with(kMinimal, "(missing_blocks)", bad)), Code::kDataLoss) << bad;
  }
}

TEST(Header, ArcoRecomputesBlockSizeAndIgnoresTemplates) {
  const Header h = parsed(with(kArco, "(filename_template)", "./%s"));
  EXPECT_EQ(h.bits_per_block, 10);
  EXPECT_EQ(h.blocks_per_file, 1);
  EXPECT_EQ(h.arco, 4096);
  EXPECT_EQ(code_of(with(kArco, "(arco)", "4")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kArco, "(arco)", "9999999999")), Code::kDataLoss);
}

// In ARCO the field's name is a directory.
TEST(Header, ArcoFieldNamesMayNotLeaveTheDirectory) {
  for (const char* name : {"../../etc", "..", ".", "a/b", "/etc"}) {
    EXPECT_EQ(code_of(with(kArco, "(fields)", std::string(name) + " float32")), Code::kDataLoss) << name;
    EXPECT_TRUE(parse_header(with(kMinimal, "(fields)", std::string(name) + " float32"), "run").ok()) << name;
  }
}

TEST(Header, PhysicalBoxesAndMatricesAreChecked) {
  EXPECT_EQ(code_of(with(kMinimal, "(physic_box)", "0 1 2")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kMinimal, "(physic_box)", "0 a")), Code::kDataLoss);
  EXPECT_EQ(code_of(with(kMinimal, "(logic_to_physic)", "1 0 0")), Code::kDataLoss);
  EXPECT_EQ(parsed(with(kMinimal, "(logic_to_physic)", "2 0 1 0 3 5 0 0 1")).logic_to_physic.size(), 9u);
}

TEST(Header, PidxDialect) {
  const Header h = parsed(kPidx);
  EXPECT_EQ(h.version, 6);
  EXPECT_EQ(h.box, (Box{{0, 0, 0}, {64, 48, 20}}));
  ASSERT_EQ(h.fields.size(), 2u);
  EXPECT_EQ(h.fields[0].type, SampleType::kFloat64);
  EXPECT_EQ(h.fields[1].components, 3);
  // Without an option the layout would be row-major, but PIDX stores HZ order: the blocks' flags decide.
  EXPECT_EQ(h.fields[0].order, InBlockOrder::kRowMajor);
  EXPECT_EQ(h.blocks_per_file, 128);  // although there are only 32 blocks
  EXPECT_EQ(h.time->path_template, "time%09d/");
  EXPECT_EQ(*h.find_other("(io mode)"), "idx");
  EXPECT_EQ(*h.find_other("(endian)"), "little");
}

TEST(Header, ErrorsNameKeyExpectedAndFound) {
  EXPECT_EQ(message_of(with(kMinimal, "(missing_blocks)", "True")),
            "(missing_blocks): expected an integer from 0 to 1, found 'True'");
  EXPECT_EQ(message_of(with(kMinimal, "(box)", "0 16 0 6")),
            "(box): expected 0 <= first <= last < 16 on axis 0, found 0 16");
}

}  // namespace
}  // namespace esker::idx
