#include <gtest/gtest.h>

#include "formats/idx/header.h"

namespace esker::idx {
namespace {

FieldEntry field(const std::string& text) { return parse_field(text).value(); }
Code code_of_field(const std::string& text) { return parse_field(text).status().code(); }

TEST(Fields, EntriesAreSeparatedByPlusOutsideBrackets) {
  const auto fields =
      parse_fields("a float32 + b uint8 description(1 + 2 (+ 3)) min(0) +c int8 ++ d float64 +").value();
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[0].name, "a");
  EXPECT_EQ(fields[1].description, "1 + 2 (+ 3)");
  EXPECT_EQ(fields[2].name, "c");
  EXPECT_EQ(fields[3].type, SampleType::kFloat64);
}

TEST(Fields, ThereIsAtLeastOneAndNamesAreUnique) {
  EXPECT_EQ(parse_fields("").status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_fields(" + + ").status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_fields("a int8 + a int8").status().code(), Code::kDataLoss);
  EXPECT_TRUE(parse_fields("a int8 + A int8").ok());
}

TEST(Fields, TypesInEveryFormAndLetterCase) {
  for (const char* type :
       {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"}) {
    EXPECT_EQ(name(field(std::string("v ") + type).type), type);
    EXPECT_EQ(field(std::string("v ") + type).components, 1);
  }
  EXPECT_EQ(field("v FLOAT32").type, SampleType::kFloat32);
  EXPECT_EQ(field("v float32[3]"), field("v 3*float32"));
  EXPECT_EQ(field("v float64[9]").sample_bytes(), 72);
  EXPECT_EQ(field("v float32[1]").components, 1);
}

TEST(Fields, OtherTypesAreRefused) {
  for (const char* type : {"", "float", "f4", "float16", "float32[0]", "float32[-1]", "float32[]",
                           "float32[3", "*float32", "float32*", "0*float32", "float32[99999999999999999999]",
                           "float32[65537]", "float32[2][2]", "3*float32[2]", "[3]", "*"}) {
    EXPECT_EQ(code_of_field(std::string("v ") + type), Code::kDataLoss) << type;
  }
}

TEST(Fields, LayoutOptionAndItsSynonyms) {
  for (const char* hz :
       {"default_layout(hzorder)", "default_layout(0)", "layout(hz)", "format(0)", "default_layout(xhzx)"}) {
    EXPECT_EQ(field(std::string("v int8 ") + hz).order, InBlockOrder::kHz) << hz;
  }
  for (const char* rows : {"", "default_layout()", "default_layout(row_major)", "default_layout(rowmajor)",
                           "default_layout(1)", "layout(1)", "default_layout( row_major )", "bogus(0)"}) {
    EXPECT_EQ(field(std::string("v int8 ") + rows).order, InBlockOrder::kRowMajor) << rows;
  }
}

// OpenVisus looks for default_layout, then layout, then format, and takes the first occurrence.
TEST(Fields, TheFirstSynonymInOrderApplies) {
  EXPECT_EQ(field("v int8 layout(1) default_layout(0)").order, InBlockOrder::kHz);
  EXPECT_EQ(field("v int8 layout(0) default_layout(1)").order, InBlockOrder::kRowMajor);
  EXPECT_EQ(field("v int8 default_layout(hz) default_layout(1)").order, InBlockOrder::kHz);
}

TEST(Fields, CompressionOptionAndItsSynonyms) {
  EXPECT_EQ(field("v int8 default_compression(zfp-reversible-reversible)").compression,
            "zfp-reversible-reversible");
  EXPECT_EQ(field("v int8 compression(lz4)").compression, "lz4");
  EXPECT_EQ(field("v int8 compressed(lz4)").compression, "lz4");
  EXPECT_EQ(field("v int8 compressed").compression, "zip");
  EXPECT_EQ(field("v int8 compressed min(0)").compression, "zip");
  EXPECT_EQ(field("v int8").compression, "");
}

TEST(Fields, OtherOptions) {
  const FieldEntry f =
      field("v float32[2] default_value(42) min(1 -2.5) max(inf) filter(dehaar) description(a b)");
  EXPECT_EQ(f.default_value, 42);
  EXPECT_EQ(f.min, (std::vector<double>{1, -2.5}));
  EXPECT_EQ(f.max, (std::vector<double>{std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(f.filter, "dehaar");
  EXPECT_EQ(f.description, "a b");
  EXPECT_EQ(field("v int8 default_value(-1)").default_value, -1);
  EXPECT_EQ(field("v int8 default_value()").default_value, 0);
  EXPECT_EQ(field("v int8 default_value(1.5)").default_value, 1);
}

TEST(Fields, DamagedOptionsAreErrorsThatNameTheField) {
  EXPECT_EQ(code_of_field("v int8 min(a)"), Code::kDataLoss);
  EXPECT_EQ(code_of_field("v int8 min(0"), Code::kDataLoss);
  EXPECT_EQ(code_of_field("v int8 default_value(99999999999)"), Code::kDataLoss);
  EXPECT_EQ(parse_field("temp int8 min(a)").status().message(),
            "field 'temp': min: expected a number, found 'a'");
}

TEST(Fields, NamesThatAReaderAccepts) {
  for (const char* good : {"v", "a/b", "\xc3\xa9", "T(K)", "x?", "-", "deformation", "uncompressed", "min"}) {
    EXPECT_EQ(field(std::string(good) + " int8").name, good);
  }
  for (const char* bad : {"\xff", "\xc3", "a\x01", "(v", "#v", "v(", "v)", ")v("}) {
    EXPECT_EQ(code_of_field(std::string(bad) + " int8"), Code::kDataLoss) << bad;
  }
}

TEST(Fields, PrintThenParseIsTheSame) {
  for (const char* text :
       {"v float32", "v 3*float64 default_layout(0) compressed min(0 0 0) max(1.1 2 1e-300)",
        "v uint8 default_value(-7) description(a (b) + c) filter(x)", "uncompressed int8",
        "v int8 description(not compressed)", "compressed int8 compression(lz4)"}) {
    EXPECT_EQ(field(print_field(field(text))), field(text)) << print_field(field(text));
  }
  EXPECT_EQ(print_field(field("v float32[3] min(0 0 0)")),
            "v float32[3] default_layout() default_value(0) min(0 0 0)");
}

// OpenVisus takes this word for default_compression(zip) at any position.
TEST(Fields, TheWordCompressedInANameIsNotAnOption) {
  EXPECT_NE(print_field(field("uncompressed int8")).find("default_compression()"), std::string::npos);
  EXPECT_NE(print_field(field("v int8 description(compressed)")).find("default_compression()"),
            std::string::npos);
}

TEST(FieldName, NamesThatAWriterAccepts) {
  for (const char* good :
       {"v", "thk", "deformation", "information", "format", "min", "velsurf_mag", "a.b-c", "1"}) {
    EXPECT_TRUE(check_field_name(good).ok()) << good;
  }
  EXPECT_TRUE(check_field_name(std::string(128, 'x')).ok());
  for (const std::string& bad :
       {std::string(), std::string("a b"), std::string("a+b"), std::string("a?"), std::string("a(b)"),
        std::string("\xc3\xa9"), std::string(".."), std::string("a/b"), std::string("a\nb"),
        std::string(129, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(check_field_name(bad).code(), Code::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace esker::idx
