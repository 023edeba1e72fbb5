#include <gtest/gtest.h>

#include <limits>

#include "format/idx/catalog.h"
#include "format/schema_json.h"

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

TEST(SchemaFile, EmptySchema) { EXPECT_TRUE(parse_schema(print_schema(Schema())).value().fields().empty()); }

TEST(SchemaFile, TextThatIsNotUtf8IsNotFatal) {
  Schema s;
  s.attributes()["t"] = std::string("a\xff");
  EXPECT_EQ(std::get<std::string>(parse_schema(print_schema(s)).value().attributes().at("t")),
            "a\xef\xbf\xbd");
}

TEST(SchemaFile, NewerFormatsAreNamed) {
  EXPECT_EQ(parse_schema(R"({"format":2})").status().code(), Code::kUnsupported);
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
            "two parts are called 'a'");
  EXPECT_EQ(parse_catalog(R"({"format":9})").status().code(), Code::kUnsupported);
}

}  // namespace
}  // namespace esker::idx
