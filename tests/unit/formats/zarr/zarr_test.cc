// The metadata of Zarr groups, also damaged ones; indices of shards, and small arrays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "format/json_text.h"
#include "formats/netcdf/model/values.h"
#include "formats/registry/open_dataset.h"
#include "formats/zarr/existing.h"
#include "formats/zarr/metadata.h"
#include "formats/zarr/model.h"
#include "formats/zarr/shard_index.h"
#include "formats/zarr/small_values.h"
#include "formats/zarr/zarr_dataset.h"
#include "store/commit.h"
#include "support/mutate.h"
#include "support/netcdf_runs.h"
#include "support/read_box.h"
#include "support/runs.h"
#include "support/test_new.h"

namespace esker::zarr {
namespace {

using namespace testing_support;  // NOLINT: runs and mutations

constexpr std::size_t kMuch = std::size_t{1} << 20;

/// Three steps of fields on a volume, a plane and no axes, with components, of several types.
Schema all_kinds() {
  Schema s;
  const DimId x = s.add_dim("x", 40).value(), y = s.add_dim("y", 30).value(), z = s.add_dim("z", 3).value();
  const int volume = s.add_grid("xyz", {x, y, z}).value().index,
            plane = s.add_grid("xy", {x, y}).value().index;
  s.attributes() = {{"title", std::string("a run")}, {"limits", std::vector<double>{-1.5, 2}}};
  std::vector<double> at;
  for (int n = 0; n < 40; ++n) at.push_back(n / 2.0);
  s.set_coords({volume}, "x", at).check();
  s.add_scalar({"gravity", std::vector<double>{9.81}, {{"units", std::string("m s-2")}}}).status().check();
  s.add_scalar({"crs", std::string("polar stereographic"), {}}).status().check();
  s.add_field({.name = "bed",
               .grid = plane,
               .type = SampleType::kFloat32,
               .fixed = true,
               .attributes = {},
               .compression = "bitround=9"})
      .status()
      .check();
  s.add_field({.name = "temp",
               .grid = volume,
               .type = SampleType::kFloat64,
               .attributes = {{"units", std::string("K")}},
               .compression = "zstd"})
      .status()
      .check();
  const Attributes missing{{"_FillValue", std::vector<std::int16_t>{-7}}};
  s.add_field({.name = "ice", .grid = plane, .type = SampleType::kInt16, .every = 2, .attributes = missing})
      .status()
      .check();
  s.add_field({.name = "wind",
               .grid = plane,
               .type = SampleType::kFloat32,
               .components = 2,
               .attributes = {},
               .compression = "zip"})
      .status()
      .check();
  s.add_field({.name = "snow", .grid = plane, .attributes = {}, .compression = "bitround=7"})
      .status()
      .check();
  return s;
}

Group group_of(const Schema& schema, Index num_steps, int levels = 0,
               LevelValues values = LevelValues::kSample) {
  Options options;
  options.levels = levels;
  options.level_values = values;
  Group group = describe_group(schema, options).value().group;
  set_num_steps(group, num_steps);
  return group;
}

std::string text_of_group(int levels = 0) { return print_group(group_of(all_kinds(), 3, levels)); }

/// `text` with the first `from` behind `after` replaced.
std::string changed(std::string text, const std::string& from, const std::string& to,
                    const std::string& after = "") {
  const std::size_t start = text.find(after), at = text.find(from, start);
  EXPECT_TRUE(start != std::string::npos && at != std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Parses without an exception and without much memory; an error is one of damaged or newer groups.
bool is_accepted(const std::string& text) {
  largest_allocation = 0;
  bool is_read = false;
  EXPECT_NO_THROW({
    const auto group = parse_group(text);
    is_read = group.ok();
    if (is_read) {
      const std::string printed = print_group(*group);
      const auto again = parse_group(printed);
      EXPECT_TRUE(again.ok() && print_group(*again) == printed) << again.status().message() << printed;
      (void)header_of(*group, std::vector<std::string>(group->arrays.size()));
    } else {
      EXPECT_TRUE(group.status().code() == Code::kDataLoss || group.status().code() == Code::kUnsupported)
          << group.status().message();
      EXPECT_LT(group.status().message().size(), 1000U);
    }
  }) << text;
  EXPECT_LT(largest_allocation, kMuch);
  return is_read;
}

TEST(ZarrAttributes, FillValuesAreThoseOfSamples) {
  Schema s;
  const int grid = s.add_grid("x", {s.add_dim("x", 4).value()}).value().index;
  const Attributes missing{{"missing_value", std::vector<double>{-1e34, 7}},
                           {"limit", std::vector<double>{-1e34}}};
  s.add_field({.name = "single", .grid = grid, .type = SampleType::kFloat32, .attributes = missing})
      .status()
      .check();
  s.add_field({.name = "double", .grid = grid, .type = SampleType::kFloat64, .attributes = missing})
      .status()
      .check();
  const Attributes of_text{{"missing_value", std::string("-")}, {"_Encoding", std::string("utf-8")}};
  s.add_scalar({"name", std::string("site"), of_text}).status().check();
  const Group group = group_of(s, 0);
  const auto reals = [&](const char* array, const char* attribute) {
    const auto& all = group.find(array)->attributes;
    const auto found = std::ranges::find(all, attribute, &netcdf::Attribute::name);
    return to_reals(numbers_of(netcdf::to_value(*found)));
  };
  EXPECT_EQ(reals("single", "missing_value"), (std::vector<double>{static_cast<double>(-1e34F), 7}));
  EXPECT_EQ(reals("single", "limit"), std::vector<double>{-1e34});
  EXPECT_EQ(reals("double", "missing_value"), (std::vector<double>{-1e34, 7}));
  EXPECT_TRUE(group.find("name")->attributes.empty());
}

TEST(ZarrIndex, IsReadAsItWasWritten) {
  const std::vector<ChunkPlace> places{{0, 10}, {}, {10, 90}, {100, 0}};
  const auto bytes = print_index(places);
  ASSERT_EQ(std::ssize(bytes), index_bytes(4));
  const auto found = parse_index(bytes, 100).value();
  ASSERT_EQ(found.size(), places.size());
  for (std::size_t n = 0; n < places.size(); ++n) {
    EXPECT_EQ(found[n].is_absent(), n == 1);
    EXPECT_EQ(found[n].offset_bytes, places[n].offset_bytes);
    EXPECT_EQ(found[n].size_bytes, places[n].size_bytes);
  }
}

TEST(ZarrIndex, EveryChangedByteIsNoticed) {
  const auto bytes = print_index(std::vector<ChunkPlace>{{0, 10}, {10, 90}});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{4};
    EXPECT_EQ(parse_index(damaged, 100).status().code(), Code::kDataLoss) << at;
  }
}

TEST(ZarrIndex, ChunksEndBeforeIt) {
  constexpr std::uint64_t kMost = ChunkPlace::kAbsent;
  for (const ChunkPlace& place : {ChunkPlace{0, 101}, ChunkPlace{100, 1}, ChunkPlace{101, 0},
                                  ChunkPlace{kMost, 0}, ChunkPlace{0, kMost}, ChunkPlace{50, kMost - 20},
                                  ChunkPlace{kMost - 20, 50}, ChunkPlace{std::uint64_t{1} << 63, 1}}) {
    const Status status = parse_index(print_index(std::vector<ChunkPlace>{{0, 10}, place}), 100).status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << place.offset_bytes;
    EXPECT_NE(status.message().find("chunk 1 of the shard"), std::string::npos) << status.message();
  }
}

TEST(ZarrValues, AreFollowedByFillValues) {
  const std::vector<std::int16_t> values{1, -2};
  const auto fill = print_values(std::vector<std::int16_t>{-7}, 1, {});
  const auto bytes = print_values(values, 4, fill);
  EXPECT_EQ(std::get<std::vector<std::int16_t>>(parse_values(bytes, SampleType::kInt16, 4).value()),
            (std::vector<std::int16_t>{1, -2, -7, -7}));
  EXPECT_EQ(std::get<std::vector<std::int16_t>>(parse_values(bytes, SampleType::kInt16, 2).value()), values);
  EXPECT_EQ(parse_values(bytes, SampleType::kInt16, 5).status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_values({}, SampleType::kFloat64, 1).status().code(), Code::kDataLoss);
}

TEST(ZarrValues, ATextHasItsLength) {
  for (const std::string text : {"", "a", "polar stereographic", "\xc3\xa9"}) {
    auto bytes = print_text(text);
    EXPECT_EQ(parse_text(bytes).value(), text);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      EXPECT_EQ(parse_text(std::span(bytes).first(n)).status().code(), Code::kDataLoss);
    }
    bytes.push_back(std::byte{0});
    EXPECT_EQ(parse_text(bytes).status().code(), Code::kDataLoss);
    bytes.pop_back();
    bytes[0] = std::byte{2};  // texts
    EXPECT_EQ(parse_text(bytes).status().code(), Code::kDataLoss);
  }
}

TEST(ZarrGroup, IsPrintedAsItWasParsed) {
  for (const Index num_steps : {0, 1, 3}) {
    for (const Schema& schema : {all_kinds(), mixed_schema(), single_schema()}) {
      for (const int levels : {0, 1, 3, Options::kAutoLevels}) {
        const std::string text = print_group(group_of(schema, num_steps, levels));
        const auto group = parse_group(text);
        ASSERT_TRUE(group.ok()) << group.status().message();
        EXPECT_EQ(print_group(*group), text);
        EXPECT_EQ(group->num_steps, num_steps);
        EXPECT_EQ(group->num_levels, std::max(levels, 0));
        EXPECT_TRUE(is_of_esker(text).value());
        EXPECT_FALSE(group->has_means);
      }
    }
  }
}

TEST(ZarrGroup, MeansAreAnotherFormat) {
  const Group group = group_of(all_kinds(), 3, 2, LevelValues::kMean);
  const std::string text = print_group(group);
  EXPECT_EQ(print_group(parse_group(text).value()), text);
  EXPECT_TRUE(parse_group(text).value().has_means);
  EXPECT_NE(text.find("\\\"format\\\":2"), std::string::npos) << text;
  EXPECT_FALSE(is_accepted(changed(text, "\\\"mean\\\"", "\\\"median\\\"")));
  EXPECT_FALSE(is_accepted(changed(text, "\\\"levels\\\":2,", "")));
  EXPECT_FALSE(group_of(all_kinds(), 3, 0, LevelValues::kMean).has_means);
}

TEST(ZarrGroup, LevelsHaveEverySecondSample) {
  const Group group = group_of(all_kinds(), 3, 2);
  const Schema schema = all_kinds();
  for (const Field& field : schema.fields()) {
    const Array& full = *group.find("0/" + field.name);
    for (int level = 1; level <= 2; ++level) {
      const Array& coarse = *group.find(std::to_string(level) + "/" + field.name);
      EXPECT_EQ(coarse.dims, full.dims);
      for (std::size_t a = 0; a < full.shape.size(); ++a) {
        const bool is_halved = full.dims[a] == "x" || full.dims[a] == "y" || full.dims[a] == "z";
        const Index between = is_halved ? Index{1} << level : 1;
        EXPECT_EQ(coarse.shape[a], (full.shape[a] + between - 1) / between)
            << field.name << " " << full.dims[a];
      }
    }
  }
  EXPECT_EQ(find_in_group(schema, group).value().levels.size(), 3U);
  Group wrong = group;
  for (Array& array : wrong.arrays) {
    if (array.path() == "1/temp") ++array.shape.back();
  }
  EXPECT_EQ(find_in_group(schema, wrong).status().code(), Code::kDataLoss);
}

TEST(ZarrGroup, LevelsUntilNoAxisIsLong) {
  for (const auto& [extent, levels] :
       {std::pair<Index, int>{1, 0}, {64, 0}, {65, 1}, {128, 1}, {129, 2}, {10000, 8}}) {
    Schema schema;
    const DimId x = schema.add_dim("x", extent).value(), z = schema.add_dim("z", 7).value();
    const int grid = schema.add_grid("grid", {x, z}).value().index;
    schema.add_field({.name = "temp", .grid = grid, .attributes = {}}).status().check();
    EXPECT_EQ(group_of(schema, 0, Options::kAutoLevels).num_levels, levels) << extent;
  }
}

TEST(ZarrGroup, NumbersThatJsonLacksComeBack) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                   kInf = std::numeric_limits<double>::infinity();
  Schema schema = all_kinds();
  schema.attributes()["none"] = std::vector<double>{kNaN};
  schema.attributes()["some"] = std::vector<double>{1, -kInf};
  (*schema.attributes_of(FieldId{1}).value())["_FillValue"] = std::vector<double>{kNaN};
  const std::string text = print_group(group_of(schema, 1));
  EXPECT_EQ(text.find(": NaN"), std::string::npos);
  const Group group = parse_group(text).value();
  EXPECT_EQ(print_group(group), text);
  for (const netcdf::Attribute& attribute : group.attributes) {
    if (attribute.name != "none" && attribute.name != "some") continue;
    EXPECT_EQ(attribute.type, netcdf::Type::kDouble);
    EXPECT_EQ(attribute.values.size(), (attribute.name == "none" ? 1 : 2) * sizeof(double));
  }
  double fill = 0;
  std::memcpy(&fill, group.find("temp")->fill.data(), sizeof(fill));
  EXPECT_TRUE(fill != fill);
}

TEST(ZarrGroup, TextsThatAreWordsForNumbersRemainTexts) {
  Schema schema = all_kinds();
  const std::vector<std::string> both{"NaN", "-Infinity"};
  Attributes& temp = *schema.attributes_of(FieldId{1}).value();
  schema.attributes()["note"] = std::string("Infinity");
  temp["note"] = std::string("NaN");
  temp["notes"] = to_value(both);
  temp["number"] = std::vector<double>{std::numeric_limits<double>::infinity()};
  const std::string text = print_group(group_of(schema, 1));
  const Group group = parse_group(text).value();
  EXPECT_EQ(print_group(group), text);
  const Attributes of_group = netcdf::to_attributes(group.attributes),
                   of_temp = netcdf::to_attributes(group.find("temp")->attributes);
  EXPECT_EQ(of_group.at("note"), AttributeValue(std::string("Infinity")));
  EXPECT_EQ(of_temp.at("note"), AttributeValue(std::string("NaN")));
  EXPECT_EQ(of_temp.at("notes"), to_value(both));
  EXPECT_EQ(of_temp.at("number"), temp["number"]);
  for (const char* bad : {"7", "[7]", "[[7,\\\"a\\\"]]", "[[\\\"a\\\"]]"}) {
    const std::string words = R"([[\"\",\"note\"],[\"temp\",\"note\"],[\"temp\",\"notes\"]])";
    EXPECT_EQ(parse_group(changed(text, words, bad)).status().code(), Code::kDataLoss) << bad;
  }
}

TEST(ZarrGroup, NamesThatEveryGroupHasAreRefused) {
  Schema schema = all_kinds();
  schema.add_field({.name = "zarr.json", .grid = 0, .attributes = {}}).status().check();
  EXPECT_EQ(describe_group(schema, {}).status().code(), Code::kInvalidArgument);
  schema = all_kinds();
  schema.add_field({.name = "__mine", .grid = 0, .attributes = {}}).status().check();
  const Status reserved = describe_group(schema, {}).status();
  EXPECT_EQ(reserved.code(), Code::kInvalidArgument);
  EXPECT_NE(reserved.message().find("'__mine'"), std::string::npos) << reserved.message();
  for (const char* name : {"esker", "esker_schema", "multiscales", "zarr_conventions"}) {
    schema = all_kinds();
    schema.attributes()[name] = std::string("mine");
    const Status status = describe_group(schema, {}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_NE(status.message().find(fmt::format("'{}'", name)), std::string::npos) << status.message();
  }
}

TEST(ZarrGroup, TextsThatEndTooEarly) {
  const std::string text = text_of_group();
  for (std::size_t n = 0; n < 200; ++n) {
    EXPECT_FALSE(is_accepted(text.substr(0, n * (text.size() - 2) / 200))) << n;
  }
}

TEST(ZarrGroup, DamagedTexts) {
  for (const int levels : {0, 2}) {
    const std::string text = text_of_group(levels);
    std::mt19937 random(20261128);
    int accepted = 0;
    for (int k = 0; k < 2000 && !HasFailure(); ++k) accepted += is_accepted(mutated(text, random)) ? 1 : 0;
    EXPECT_GT(accepted, 20);
  }
}

TEST(ZarrGroup, EveryNumberIsChecked) {
  const std::string text = text_of_group();
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos && !HasFailure();) {
    const std::size_t end = text.find_first_not_of("0123456789", at);
    for (const char* number :
         {"-1", "0", "-9223372036854775808", "9223372036854775807", "18446744073709551615",
          "99999999999999999999999", "1e999", "2.5", "4611686018427387904"}) {
      (void)is_accepted(text.substr(0, at) + number + text.substr(end));
    }
    at = text.find_first_of("0123456789", end);
  }
}

/// Calls `change` with every value in a JSON text, and then undoes what it did.
void for_each_value(Json& json, const std::function<void(Json&)>& change) {
  const Json before = json;
  change(json);
  json = before;
  if (!json.is_structured()) return;
  for (auto& item : json.items()) for_each_value(item.value(), change);
}

TEST(ZarrGroup, ValuesOfOtherTypes) {
  Json json = Json::parse(text_of_group());
  const std::vector<Json> others{nullptr,
                                 true,
                                 7,
                                 -1,
                                 2.5,
                                 "text",
                                 "",
                                 Json::array(),
                                 Json::object(),
                                 {1, "a"},
                                 Json::array({Json::array({1})}),
                                 Json{{"name", 1}},
                                 Json{{"name", "zstd"}}};
  for_each_value(json, [&](Json& value) {
    for (const Json& other : others) {
      value = other;
      if (!testing::Test::HasFailure()) (void)is_accepted(json.dump());
    }
  });
  EXPECT_TRUE(is_accepted(json.dump()));
}

/// Zarr has no names of dimensions for an array without dimensions.
TEST(ZarrGroup, AScalarNeedsNoNamesOfDimensions) {
  Json json = Json::parse(text_of_group());
  for (const auto& [name, is_needed] : {std::pair("gravity", false), {"crs", false}, {"temp", true}}) {
    Json without = json;
    without["consolidated_metadata"]["metadata"][name].erase("dimension_names");
    EXPECT_EQ(is_accepted(without.dump()), !is_needed) << name;
  }
}

TEST(ZarrGroup, MembersThatAreMissing) {
  Json json = Json::parse(text_of_group());
  for_each_value(json, [&](Json& value) {
    if (!value.is_object()) return;
    const Json before = value;
    for (const auto& item : before.items()) {
      value = before;
      value.erase(item.key());
      if (!testing::Test::HasFailure()) (void)is_accepted(json.dump());
    }
  });
}

TEST(ZarrGroup, ArraysAreBelowTheirLevels) {
  const std::string text = text_of_group(1);
  for (const std::string bad : {"temp", "2/temp", "../temp", "01/temp", "-1/temp", "0/", "0/.temp", "0/a/b",
                                "0/../temp", "/0/temp"}) {
    Json json = Json::parse(text);
    Json ours = Json::parse(json["attributes"]["esker"].get<std::string>());
    for (Json& name : ours["arrays"]) {
      if (name == "0/temp") name = bad;
    }
    json["attributes"]["esker"] = ours.dump();
    Json& metadata = json["consolidated_metadata"]["metadata"];
    metadata[bad] = metadata["0/temp"];
    EXPECT_EQ(parse_group(json.dump()).status().code(), Code::kDataLoss) << bad;
  }
}

TEST(ZarrGroup, NamesOfArraysAreNoPaths) {
  const std::string text = text_of_group();
  for (const std::string bad : {"a/b", "..", ".", "", "../temp", "/temp", ".temp", "wind"}) {
    Json json = Json::parse(text);
    Json ours = Json::parse(json["attributes"]["esker"].get<std::string>());
    for (Json& name : ours["arrays"]) {
      if (name == "temp") name = bad;
    }
    json["attributes"]["esker"] = ours.dump();
    Json& metadata = json["consolidated_metadata"]["metadata"];
    metadata[bad] = metadata["temp"];
    EXPECT_EQ(parse_group(json.dump()).status().code(), Code::kDataLoss) << bad;
    EXPECT_FALSE(is_accepted(json.dump()));
  }
}

TEST(ZarrGroup, KeysThatOccurTwiceAndDeepNesting) {
  const std::string text = text_of_group();
  EXPECT_FALSE(is_accepted(changed(text, "\"zarr_format\": 3", "\"zarr_format\": 3, \"zarr_format\": 3")));
  EXPECT_FALSE(is_accepted(changed(text, "\"temp\": {", "\"temp\": {}, \"temp\": {")));
  for (const std::string one : {"[", "{\"a\":"}) {
    std::string deep;
    for (int n = 0; n < 100000; ++n) deep += one;
    EXPECT_FALSE(is_accepted(deep));
    EXPECT_FALSE(is_accepted(changed(text, "\"a run\"", deep)));
  }
}

TEST(ZarrGroup, GroupsOfOthersAndNewerOnes) {
  const std::string text = text_of_group();
  EXPECT_FALSE(is_of_esker(R"({"zarr_format": 3, "node_type": "group", "attributes": {}})").value());
  EXPECT_FALSE(is_of_esker("no JSON").value());
  EXPECT_EQ(parse_group(R"({"zarr_format": 3, "attributes": {}})").status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_group(changed(text, "\\\"format\\\":1", "\\\"format\\\":3")).status().code(),
            Code::kUnsupported);
  EXPECT_EQ(parse_group(changed(text, "\"little\"", "\"big\"")).status().code(), Code::kUnsupported);
  EXPECT_EQ(parse_group(changed(text, "\"zstd\"", "\"lz4\"")).status().code(), Code::kUnsupported);
  EXPECT_EQ(parse_group(changed(text, "\"name\": \"bytes\"", "\"name\": \"zstd\"")).status().code(),
            Code::kUnsupported);
}

/// As xarray writes a dataset of fewer steps: with the attributes of the whole one.
TEST(ZarrGroup, CopiesOfSomeStepsAreNotReadAsAll) {
  const std::string text = text_of_group();
  Json json = Json::parse(text);
  for (Json& array : json["consolidated_metadata"]["metadata"]) {
    if (!array["dimension_names"].empty() && array["dimension_names"][0] == "time") array["shape"][0] = 2;
  }
  const Status status = parse_group(json.dump()).status();
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("'time'"), std::string::npos) << status.message();
}

TEST(ZarrGroup, ManyStepsWithoutTimes) {
  Schema schema;
  schema.set_time({}, SampleType::kFloat64).check();
  schema.add_grid("x", {schema.add_dim("x", 4).value()}).status().check();
  schema.add_field({.name = "bed", .grid = 0, .fixed = true, .attributes = {}}).status().check();
  const std::string text = print_group(group_of(schema, 1));
  EXPECT_TRUE(is_accepted(text));
  EXPECT_FALSE(is_accepted(changed(text, "\\\"steps\\\":1", "\\\"steps\\\":9223372036854775807")));
}

TEST(ZarrGroup, ManyArraysTakeLinearTime) {
  Schema schema;
  schema.add_grid("x", {schema.add_dim("x", 4).value()}).status().check();
  for (int n = 0; n < 20000; ++n) {
    schema.add_field({.name = fmt::format("field_{}", n), .grid = 0, .attributes = {}}).status().check();
  }
  const std::string text = print_group(group_of(schema, 1));
  EXPECT_EQ(parse_group(text).value().arrays.size(), 20001U);
}

/// A dataset of three steps, with so many levels.
class HostileZarr : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    run_.path = "run.zarr";
    run_.options = {{"format", "zarr"}, {"report", "none"}, {"compression", "zstd"}};
    run_.options.emplace("levels", std::to_string(GetParam()));
    run_.schema = all_kinds();
    ASSERT_TRUE(write_all(store_, run_).ok());
    text_ = read_text(*store_, kGroup, kMuch).value();
  }

  /// Opens the dataset with this group as one that Esker wrote, and reads the first and the last sample of
  /// every field at every step; returns the first error.
  Status read_with(const std::string& text) {
    store_->remove(kGroup).check();
    store_->create_exclusive(kGroup, text).check();
    Status first;
    EXPECT_NO_THROW({
      largest_allocation = 0;
      first = read_all();
      EXPECT_LT(largest_allocation, std::size_t{8} << 20) << text;
    }) << text;
    return first;
  }

  static void expect_legal(const Status& status) {
    EXPECT_TRUE(status.ok() || status.code() == Code::kDataLoss || status.code() == Code::kUnsupported)
        << status.message();
  }

  static constexpr const char* kGroup = "run.zarr/zarr.json";
  std::shared_ptr<Store> store_ = memory_store();
  RunPlan run_;
  std::string text_;

 private:
  Status read_all() {
    const auto opened = ZarrDataset::open(store_, "run.zarr");
    if (!opened.ok()) return opened.status();
    const OpenedDataset& dataset = *opened;
    for (int f = 0; f < static_cast<int>(dataset.schema.fields().size()); ++f) {
      std::vector<std::byte> sample(
          static_cast<std::size_t>(dataset.schema.fields()[static_cast<std::size_t>(f)].sample_bytes()));
      for (Index step = 0; step < std::ssize(dataset.times); ++step) {
        if (!dataset.has(f, step)) continue;
        for (const Point& at : {Point{}, dataset.box(f).hi}) {
          Lattice samples{dataset.box(f).rank};
          for (int a = 0; a < samples.rank; ++a) samples.origin[a] = std::max<Index>(at[a] - 1, 0);
          const auto target =
              ReadTarget::dense(samples, OpenedDataset::kEveryLevel, sample.data(), std::ssize(sample));
          const Status status = dataset.read(f, step, target, {});
          if (!status.ok()) return status;
        }
      }
    }
    return {};
  }
};

TEST_P(HostileZarr, IsGoodAtFirst) { EXPECT_TRUE(read_with(text_).ok()) << read_with(text_).message(); }

TEST_P(HostileZarr, EveryNumberIsChecked) {
  for (std::size_t at = text_.find_first_of("0123456789"); at != std::string::npos && !HasFailure();) {
    const std::size_t end = text_.find_first_not_of("0123456789", at);
    for (const char* number : {"-1", "0", "1", "1000000", "1152921504606846976", "4611686018427387904"}) {
      expect_legal(read_with(text_.substr(0, at) + number + text_.substr(end)));
    }
    at = text_.find_first_of("0123456789", end);
  }
}

TEST_P(HostileZarr, DamagedTexts) {
  std::mt19937 random(20261129);
  for (int k = 0; k < 2000 && !HasFailure(); ++k) expect_legal(read_with(mutated(text_, random)));
}

/// All arrays agree on the size, which files do not have.
TEST_P(HostileZarr, HugeShapes) {
  for (const Index extent : {Index{100000}, Index{1} << 31, Index{1} << 40, Index{1} << 48}) {
    Json json = Json::parse(text_);
    for (auto& [path, array] : json["consolidated_metadata"]["metadata"].items()) {
      if (array["node_type"] == "group") continue;
      const Index between = GetParam() > 0 ? Index{1} << std::stoi(path) : 1;
      for (std::size_t a = 0; a < array["shape"].size(); ++a) {
        if (array["dimension_names"][a] == "y") array["shape"][a] = (extent - 1) / between + 1;
      }
    }
    EXPECT_TRUE(read_with(json.dump()).ok()) << extent;  // fill values
  }
}

/// One shard, whose index has more chunks than the bytes of the file: also so many that their number of bytes
/// is that of an index without chunks, in 64 bits.
TEST_P(HostileZarr, HugeShards) {
  for (const Index extent : {Index{30} << 10, Index{30} << 20, Index{1} << 50, Index{1} << 58}) {
    for (const Index chunk : {Index{1}, extent}) {
      Json json = Json::parse(text_);
      Json& array = json["consolidated_metadata"]["metadata"][GetParam() > 0 ? "2/bed" : "bed"];
      array["chunk_grid"]["configuration"]["chunk_shape"] = {extent, 4};
      array["codecs"][0]["configuration"]["chunk_shape"] = {chunk, 1};
      EXPECT_EQ(read_with(json.dump()).code(), Code::kDataLoss) << extent << " " << chunk;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, HostileZarr, testing::Values(0, 2));

}  // namespace
}  // namespace esker::zarr
