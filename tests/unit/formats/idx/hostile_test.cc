// Thousands of damaged headers, records and schemas: none crashes or allocates much, and a text that
// still parses can be printed and parsed again. The mutations are the same in every run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "format/schema_json.h"
#include "formats/idx/catalog.h"
#include "formats/idx/commit_record.h"
#include "formats/idx/header.h"
#include "support/mutate.h"
#include "support/test_new.h"
#include "unit/formats/idx/idx_texts.h"

namespace esker::idx {
namespace {

using testing_support::largest_allocation;
using testing_support::mutated;

/// Calls `check` with `count` mutations of each text; it returns whether the text was accepted.
void for_mutations(const std::vector<std::string>& texts, int count,
                   const std::function<bool(const std::string&)>& check) {
  constexpr std::size_t kMuch = std::size_t{1} << 20;
  std::mt19937 random(20240611);
  int accepted = 0;
  for (const std::string& text : texts) {
    for (int k = 0; k < count && !testing::Test::HasFailure(); ++k) {
      const std::string damaged = mutated(text, random);
      largest_allocation = 0;
      accepted += check(damaged) ? 1 : 0;
      EXPECT_LT(largest_allocation, kMuch) << damaged;
    }
  }
  EXPECT_GT(accepted, count / 100) << "mutations should leave some texts legal";
}

TEST(Hostile, Headers) {
  for_mutations(kTexts, 2500, [](const std::string& text) {
    const auto header = parse_header(text, "run");
    if (!header.ok()) {
      EXPECT_FALSE(header.status().message().empty());
      EXPECT_LT(header.status().message().size(), 1000u);
      return false;
    }
    const std::string printed = print_header(*header);
    const auto again = parse_header(printed, "run");
    EXPECT_TRUE(again.ok()) << again.status().message() << "\n" << text << "\n" << printed;
    EXPECT_EQ(again.ok() ? print_header(*again) : "", printed) << text;
    if (header->time) (void)header->time->list(1000);
    const auto names =
        FilenameTemplate::parse(header->filename_template, header->time ? header->time->path_template : "");
    EXPECT_FALSE(names.ok() && names->path(12345, 3).starts_with('/')) << text;
    return true;
  });
}

TEST(Hostile, CommitRecords) {
  const CommitRecord record{
      7, {0, 0.5, 1e300}, {{1, {"temp", "vel"}}}, {{"species", {"species.0-7", "species.8"}}}};
  for_mutations({print_commit_record(record)}, 4000,
                [](const std::string& text) { return parse_commit_record(text).ok(); });
}

TEST(Hostile, SchemasAndCatalogs) {
  Schema s;
  const DimId x = s.add_dim("x", 3).value(), y = s.add_dim("y", 2).value();
  const GridId g = s.add_grid("g", {x, y}).value();
  s.set_coords(g, "x", {0, 1, 2}).check();
  s.attributes_of(g).value()->emplace("a", std::vector<Index>{1, 2});
  s.add_field({.name = "v", .grid = 0, .attributes = {{"units", std::string("m")}}}).value();
  for_mutations({print_schema(s)}, 4000, [](const std::string& text) { return parse_schema(text).ok(); });
  for_mutations({print_catalog({1, {{"a", "g", false}}, {0, 1}})}, 4000,
                [](const std::string& text) { return parse_catalog(text).ok(); });
}

TEST(Hostile, KeysThatOccurTwice) {
  for (const char* text : {R"({"format":1,"format":1,"generation":0,"times":[],"absent":{}})",
                           R"({"format":1,"generation":0,"times":[0],"absent":{"0":["a"],"0":["b"]}})"}) {
    const Status status = parse_commit_record(text).status();
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_NE(status.message().find("occurs twice"), std::string::npos) << status.message();
  }
  EXPECT_TRUE(
      parse_commit_record(R"({"format":1,"generation":0,"times":[],"absent":{},"a":{"format":1}})").ok());
}

TEST(Hostile, TextsThatAreNotUtf8) {
  const auto record = [](const std::string& name) {
    return R"({"format":1,"generation":0,"times":[0],"absent":{"0":[")" + name + R"("]}})";
  };
  EXPECT_TRUE(parse_commit_record(record("\xc3\xa9")).ok());
  for (const char* bad : {"\xc3(", "\xff", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(parse_commit_record(record(bad)).status().code(), Code::kDataLoss);
    EXPECT_EQ(parse_header(with(kMinimal, "(fields)", std::string(bad) + " int8"), "run").status().code(),
              Code::kDataLoss);
    EXPECT_EQ(parse_header(with(kMinimal, "(axis)", bad), "run").status().code(), Code::kDataLoss);
  }
}

TEST(Hostile, NamesOfArcoFieldsAreNoPaths) {
  for (const char* bad : {"a/b", "../v", "/v", ".."}) {
    const std::string text = with(with(kMinimal, "(arco)", "64"), "(fields)", std::string(bad) + " int8");
    EXPECT_EQ(parse_header(text, "run").status().code(), Code::kDataLoss) << bad;
  }
}

TEST(Hostile, TimesOfTenMillionGroups) {
  std::string text = "t%d/";
  for (int k = 0; k < 10'000'000; ++k) text += "(1)";
  largest_allocation = 0;
  EXPECT_EQ(parse_time(text).status().code(), Code::kDataLoss);
  EXPECT_LT(largest_allocation, std::size_t{64} << 20);
}

TEST(Hostile, ManyGridsDimensionsAndFieldsTakeLinearTime) {
  std::string dims, grids, fields;
  for (int k = 0; k < 100000; ++k) {
    const char* comma = k == 0 ? "" : ",";
    dims += fmt::format(R"({}{{"name":"d{}","size":1}})", comma, k);
    grids += fmt::format(R"({}{{"name":"g{}","dimensions":["d{}"],"coordinates":{{}},"attributes":{{}}}})",
                         comma, k, 99999 - k);
    fields +=
        fmt::format(R"({}{{"name":"f{}","grid":"g{}","type":"int8","components":1,"fixed":false,"every":1,)"
                    R"("attributes":{{}}}})",
                    comma, k, 99999 - k);
  }
  const auto schema = parse_schema(
      fmt::format(R"({{"format":1,"dimensions":[{}],"grids":[{}],"fields":[{}],"attributes":{{}}}})", dims,
                  grids, fields));
  ASSERT_TRUE(schema.ok()) << schema.status().message();
  EXPECT_EQ(schema->fields()[7].grid, 99992);
}

TEST(Hostile, TextsThatAreTooLarge) {
  EXPECT_EQ(parse_header(std::string(kMaxHeaderBytes + 1, '('), "run").status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_schema(std::string(kMaxSidecarBytes + 1, ' ')).status().code(), Code::kDataLoss);
}

TEST(Hostile, ManyFieldsKeysAndBracketsTakeLinearTime) {
  std::string fields, keys;
  for (int k = 0; k < 100001; ++k) {
    fields += fmt::format("f{} int8 +\n", k);
    keys += fmt::format("(k{})\n", k);
  }
  EXPECT_EQ(parse_fields(fields).status().code(), Code::kDataLoss);
  EXPECT_EQ(parse_header(keys, "run").status().code(), Code::kDataLoss);
  EXPECT_FALSE(parse_header(with(kMinimal, "(fields)", "v int8 " + std::string(1000000, '(')), "run").ok());
  EXPECT_FALSE(
      parse_header(with(kMinimal, "(fields)", "v int8 " + std::string(1000000, '+') + "x"), "run").ok());
  EXPECT_FALSE(parse_header(with(kMinimal, "(time)", "t%d/ " + std::string(1000000, '(')), "run").ok());
}

}  // namespace
}  // namespace esker::idx
