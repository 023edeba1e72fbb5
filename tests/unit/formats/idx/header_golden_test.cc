// Every .idx that OpenVisus wrote agrees with manifest.json.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "formats/idx/header.h"

namespace esker::idx {
namespace {

const std::string kDirectory = std::string(ESKER_GOLDEN_DIR) + "/openvisus/";

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Box box_of(const nlohmann::json& json) {
  const auto rank = static_cast<int>(json[0].size());
  Point lo{}, hi{};
  for (std::size_t a = 0; a < json[0].size(); ++a) lo[a] = json[0][a], hi[a] = json[1][a];
  return Box(rank, lo, hi);
}

void expect_field(const FieldEntry& field, const nlohmann::json& expected) {
  EXPECT_EQ(field.name, expected["name"]);
  const std::string suffix = field.components > 1 ? fmt::format("[{}]", field.components) : "";
  EXPECT_EQ(std::string(name(field.type)) + suffix, expected["dtype"]);
  EXPECT_EQ(field.components, expected["components"]);
  EXPECT_EQ(field.order == InBlockOrder::kHz, expected["layout"] == "hzorder");
  EXPECT_EQ(field.compression, expected["compression"]);
  EXPECT_EQ(field.default_value, expected["default_value"]);
  EXPECT_EQ(field.min, std::vector<double>(static_cast<std::size_t>(field.components)));
}

void expect_header(const Header& header, const nlohmann::json& expected) {
  EXPECT_EQ(header.version, 6);
  EXPECT_EQ(header.box, box_of(expected["box"]));
  EXPECT_EQ(header.bitmask.to_string(), expected["bits"]);
  EXPECT_EQ(header.bitmask.max_level(), expected["max_resolution"]);
  EXPECT_EQ(header.bits_per_block, expected["bitsperblock"]);
  EXPECT_EQ(header.blocks_per_file, expected["blocksperfile"]);
  EXPECT_EQ(header.filename_template, expected["filename_template"]);
  EXPECT_EQ(header.arco, expected.value("arco", 0));
  const std::string physic_box = expected.value("physic_box", "");
  EXPECT_EQ(print_reals(header.physic_box), physic_box);
  ASSERT_EQ(header.fields.size(), expected["fields"].size());
  for (std::size_t k = 0; k < header.fields.size(); ++k)
    expect_field(header.fields[k], expected["fields"][k]);
  EXPECT_EQ(header.time ? header.time->path_template : "", expected["time_template"]);
  const auto times = header.time ? header.time->list(1000).value() : std::vector<Index>{0};
  EXPECT_EQ(times, expected["timesteps"].get<std::vector<Index>>());
}

/// OpenVisus writes a blank after each field; otherwise the texts are equal.
std::string without_blanks(std::string text) {
  for (std::size_t at; (at = text.find(" \n")) != std::string::npos;) text.erase(at, 1);
  return text;
}

TEST(GoldenHeaders, AgreeWithTheManifestAndPrintAsOpenVisusDoes) {
  const auto manifest = nlohmann::json::parse(read_text(kDirectory + "manifest.json"));
  ASSERT_EQ(manifest["datasets"].size(), 31u);
  for (const auto& dataset : manifest["datasets"]) {
    SCOPED_TRACE(dataset["name"].get<std::string>());
    const std::string text = read_text(kDirectory + dataset["idx"].get<std::string>());
    const auto header = parse_header(text, dataset["name"]);
    ASSERT_TRUE(header.ok()) << header.status().message();
    expect_header(*header, dataset);
    EXPECT_EQ(print_header(*header), without_blanks(text));
    EXPECT_EQ(parse_header(print_header(*header), "other").value(), *header);
  }
}

// Without a template in the header, Esker guesses the same one as OpenVisus.
TEST(GoldenHeaders, TheGuessedTemplateIsTheOneThatOpenVisusWrote) {
  std::string text = read_text(kDirectory + "d2_origin/d2_origin.idx");
  const std::string line = "(filename_template)\n./d2_origin/%04x.bin\n";
  text.erase(text.find(line), line.size());
  EXPECT_EQ(parse_header(text, "d2_origin").value().filename_template, "./d2_origin/%04x.bin");
}

}  // namespace
}  // namespace esker::idx
