#include <gtest/gtest.h>

#include <limits>

#include "base/guarded.h"
#include "format/json_text.h"
#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "support/test_new.h"

namespace esker::idx {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Schema sample() {
  Schema s;
  const DimId x = s.add_dim("x", 3).value(), y = s.add_dim("y", 2).value(), z = s.add_dim("z", 4).value();
  const GridId map = s.add_grid("map", {x, y}).value();
  const GridId volume = s.add_grid("volume", {z, x, y}).value();
  s.set_coords(map, "x", {0.1, -1e300, kInf}).check();
  Field topg{.name = "topg", .grid = map.index, .fixed = true, .attributes = {}};
  Field vel{.name = "vel",
            .grid = volume.index,
            .type = SampleType::kFloat64,
            .components = 3,
            .every = 5,
            .attributes = {}};
  s.attributes_of(s.add_field(topg).value()).value()->emplace("units", "m");
  const FieldId v = s.add_field(vel).value();
  Attributes& a = *s.attributes_of(v).value();
  a["text"] = std::string("caf\xc3\xa9 \"q\"\n");
  a["ints"] = std::vector<Index>{std::numeric_limits<Index>::min(), 0, std::numeric_limits<Index>::max()};
  a["reals"] = std::vector<double>{1, -0.0, 1.0 / 3, -kInf};
  s.attributes()["title"] = std::string();
  s.attributes_of(DimId{0}).value()->emplace("units", "m");
  s.time_attributes()["units"] = std::string("days since 2000-1-1");
  s.attributes_of(volume).value()->emplace("NaN", std::string("NaN"));
  return s;
}

TEST(SchemaFile, PrintThenParseIsTheSame) {
  const std::string text = print_schema(sample());
  const Schema back = parse_schema(text).value();
  EXPECT_EQ(print_schema(back), text);
  EXPECT_EQ(back.grids()[1].dims, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(back.grids()[0].coords, sample().grids()[0].coords);
  EXPECT_EQ(back.fields()[1].attributes, sample().fields()[1].attributes);
  EXPECT_EQ(back.grids()[1].attributes, sample().grids()[1].attributes);
  EXPECT_EQ(back.attributes(), sample().attributes());
  EXPECT_EQ(back.dims()[0].attributes, sample().dims()[0].attributes);
  EXPECT_EQ(back.time_attributes(), sample().time_attributes());
  EXPECT_EQ(back.fields()[1].every, 5);
  EXPECT_TRUE(back.fields()[0].fixed);
}

/// A schema with everything that format 2 adds.
Schema typed_sample() {
  Schema s = sample();
  s.set_time("t", SampleType::kInt32).check();
  s.set_coords({0}, "y", Numbers(std::vector<std::uint64_t>{1, ~std::uint64_t{0}})).check();
  s.set_coords({1}, "z", Numbers(std::vector<float>{0.1f, 0.2f, -0.0f, 4})).check();
  const GridId series = s.add_grid("series", {}).value();
  Field dt{.name = "dt", .grid = series.index, .attributes = {}};
  dt.attributes["flags"] = std::vector<std::int8_t>{-128, 127};
  dt.attributes["scale"] = std::vector<float>{0.1f};
  dt.attributes["big"] = std::vector<std::uint64_t>{~std::uint64_t{0}};
  dt.attributes["units"] = StoredText{"\xc2\xb0", std::string("\xb0\0", 2)};
  s.add_field(dt).status().check();
  s.add_scalar({"crs", std::vector<std::int32_t>{0}, {{"name", std::string("stereo")}}}).status().check();
  s.add_scalar({"site", std::string(), {}}).status().check();
  return s;
}

TEST(SchemaFile, TypesOfAttributesCoordinatesAndTimesAreKept) {
  const Schema given = typed_sample();
  const std::string text = print_schema(given);
  const Schema back = parse_schema(text).value();
  EXPECT_EQ(print_schema(back), text);
  EXPECT_EQ(back.fields()[2].attributes, given.fields()[2].attributes);
  EXPECT_EQ(back.grids()[0].typed_coords, given.grids()[0].typed_coords);
  EXPECT_EQ(back.grids()[1].typed_coords, given.grids()[1].typed_coords);
  EXPECT_EQ(back.grids()[1].coords, given.grids()[1].coords);
  EXPECT_TRUE(back.has_no_axes(back.grids()[2]));
  EXPECT_EQ(back.time_name(), "t");
  EXPECT_EQ(back.time_type(), SampleType::kInt32);
  ASSERT_EQ(back.scalars().size(), 2u);
  EXPECT_EQ(back.scalars()[0].value, given.scalars()[0].value);
  EXPECT_EQ(back.scalars()[0].attributes, given.scalars()[0].attributes);
}

// So older versions of Esker read as many files as possible.
TEST(SchemaFile, FormatIsTheOldestThatHoldsTheSchema) {
  EXPECT_NE(print_schema(sample()).find("\"format\": 1"), std::string::npos);
  EXPECT_NE(print_schema(typed_sample()).find("\"format\": 2"), std::string::npos);
}

TEST(SchemaFile, NumbersBeyondTheirTypeAreDamage) {
  for (const char* value : {R"({"int8": [128]})", R"({"uint64": [-1]})", R"({"int16": [0.5]})"}) {
    const std::string text = std::string(R"({"format": 2, "dimensions": [], "grids": [], "fields": [],)") +
                             R"("attributes": {"a": )" + value + "}}";
    EXPECT_EQ(parse_schema(text).status().code(), Code::kDataLoss) << value;
  }
}

TEST(SchemaFile, EmptySchema) { EXPECT_TRUE(parse_schema(print_schema(Schema())).value().fields().empty()); }

TEST(SchemaFile, TextThatIsNotUtf8IsNotFatal) {
  Schema s;
  s.attributes()["t"] = std::string("a\xff");
  EXPECT_EQ(std::get<std::string>(parse_schema(print_schema(s)).value().attributes().at("t")),
            "a\xef\xbf\xbd");
}

TEST(SchemaFile, NewerFormatsAreNamed) {
  EXPECT_EQ(parse_schema(R"({"format":3})").status().code(), Code::kUnsupported);
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = print_schema(sample());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(SchemaFile, DamageIsNamed) {
  struct Row {
    const char *from, *to;
  };
  for (const Row& row :
       {Row{"\"size\": 3", "\"size\": 0"}, Row{"\"size\": 3", "\"size\": 9223372036854775807"},
        Row{"\"size\": 3", "\"size\": \"3\""}, Row{"\"size\": 3", "\"length\": 3"},
        Row{"\"name\": \"y\"", "\"name\": \"x\""}, Row{"\"name\": \"y\"", "\"name\": \"../y\""},
        Row{"\"grid\": \"volume\"", "\"grid\": \"nothing\""}, Row{"\"float64\"", "\"float128\""},
        Row{"\"components\": 3", "\"components\": 0"},
        Row{"\"components\": 3", "\"components\": 99999999999"}, Row{"\"every\": 5", "\"every\": -5"},
        Row{"\"fixed\": true", "\"fixed\": 1"}, Row{"\"units\"", "\"\""}, Row{"\"Infinity\"", "\"infinite\""},
        Row{"\"Infinity\"", "null"},
        Row{"\"ints\": {\n     \"integers\"", "\"ints\": {\n     \"numbers\""}}) {
    EXPECT_EQ(parse_schema(replaced(row.from, row.to)).status().code(), Code::kDataLoss) << row.to;
  }
  EXPECT_EQ(parse_schema(replaced("\"every\": 5", "\"every\": 0")).status().message(),
            "fields 1: 'every': expected 1 to 2147483647, found 0");
}

TEST(CatalogFile, PrintThenParseIsTheSame) {
  const Catalog catalog{3, {{"map", "map", false}, {"map_fixed", "map", true}}, {0, 0.1, kInf}};
  EXPECT_EQ(parse_catalog(print_catalog(catalog)).value(), catalog);
}

TEST(CatalogFile, PartNamesAreFileNames) {
  for (const char* bad : {"", "..", ".hidden", "a/b", "/etc/passwd", "a b", "a\\u0000b", "\\u00e9"}) {
    const std::string text = R"({"format":1,"generation":0,"parts":[{"name":")" + std::string(bad) +
                             R"(","grid":"g","fixed":false}],"times":[]})";
    EXPECT_EQ(parse_catalog(text).status().code(), Code::kDataLoss) << bad;
  }
}

TEST(CatalogFile, DamageIsNamed) {
  const std::string good = print_catalog({0, {{"map", "map", false}}, {0}});
  for (std::size_t length = 0; length + 2 < good.size(); ++length) {
    EXPECT_EQ(parse_catalog(good.substr(0, length)).status().code(), Code::kDataLoss) << length;
  }
  EXPECT_EQ(parse_catalog(print_catalog({0, {{"a", "g", false}, {"a", "g", true}}, {}})).status().message(),
            "two parts have the name 'a'");
  std::string edited = good;
  edited.replace(edited.find("\"generation\": 0"), 15, "\"generation\": 7");
  const std::string sum = good.substr(good.find("\"sum\": \"") + 8, 16);
  const std::string message = parse_catalog(edited).status().message();
  EXPECT_EQ(message.find("the file records the checksum " + sum + ", but its text has "), 0U) << message;
  EXPECT_NE(message.find("restore the file from a copy"), std::string::npos) << message;
  EXPECT_EQ(parse_catalog(R"({"format":9})").status().code(), Code::kUnsupported);
}

/// Whether `action` returns kOutOfMemory whichever of its allocations fails, and how many it has at least.
template <class Action>
void expect_survival(long least, const Action& action) {
  for (const bool all_after : {false, true}) {
    for (long n = 0;; ++n) {
      long num_failed = 0;
      Code code = Code::kOk;
      {
        const testing_support::FailingNew failing({n, 0, all_after});
        code = guarded("action", action).code();
        num_failed = testing_support::FailingNew::num_failed();
      }
      if (num_failed == 0) {
        EXPECT_GE(n, least);
        EXPECT_EQ(code, Code::kOk);
        break;
      }
      EXPECT_EQ(code, Code::kOutOfMemory) << n;
    }
  }
}

TEST(JsonText, AFailingAllocationIsAnError) {
  const std::string text =
      R"({"a": [1, [2.5, {"b": ["a text that is too long for its own object", null]}], true],
                               "c": {"d": {"e": [[[]]]}, "f": [-1, {}, []]}})";
  expect_survival(20, [&] { return parse_json_object(text, 1000).status(); });
}

TEST(JsonText, AFailingAllocationWhileWritingIsAnError) {
  const Schema schema = typed_sample();
  const Catalog catalog{7, {{"map", "map", false}}, {0, 0.1, kInf}, {{"checksums", "true"}}};
  CommitRecord record;
  record.times = {0, 1, 2.5};
  record.absent = {{1, {"a", "b"}}};
  record.split = {{"vel", {"vel_0", "vel_1"}}};
  const auto write = [](const auto& print) {
    return [&print] {
      (void)print();
      return Status();
    };
  };
  expect_survival(5, write([&] { return print_schema(schema, ".nc"); }));
  expect_survival(5, write([&] { return print_schema_outline(schema); }));
  expect_survival(3, write([&] { return print_catalog(catalog); }));
  expect_survival(3, write([&] { return print_commit_record(record); }));
}

}  // namespace
}  // namespace esker::idx
