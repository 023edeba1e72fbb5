// The bytes that JsonWriter writes are those of the library that wrote JSON before: files stay the same.
#include "format/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace esker {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class Write>
std::string written(int indent, const Write& write) {
  JsonWriter json(indent);
  write(json);
  return json.take();
}

TEST(JsonWriter, NestsAsTheLibraryDoes) {
  const Json expected{{"a", 1},
                      {"b", Json::array({true, Json::array(), Json::object(), Json::array({"x", 2.5})})},
                      {"c", {{"d", {{"e", "f"}}}}},
                      {"g", Json::object()}};
  for (const int indent : {JsonWriter::kOneLine, 0, 1, 2}) {
    EXPECT_EQ(
        written(indent,
                [](JsonWriter& json) {
                  json.object([&] {
                    json.key("a").integer(1);
                    json.key("b").array([&] {
                      json.boolean(true);
                      json.array([] {});
                      json.object([] {});
                      json.array([&] {
                        json.text("x");
                        json.real(2.5);
                      });
                    });
                    json.key("c").object([&] { json.key("d").object([&] { json.key("e").text("f"); }); });
                    json.key("g").object([] {});
                  });
                }),
        dump(expected, indent));
  }
}

TEST(JsonWriter, RealsHaveTheDigitsOfTheLibrary) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<double> reals{
      0,    -0.0,  1,     -1,     0.1,  1.0 / 3, 1e15, 1e16,    1e-4, 1e-5, 123456789.125,
      kInf, -kInf, 1e300, 5e-324, -2.5, 1e22,    1e23, 1.7e308, 100};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) reals.push_back(std::bit_cast<double>(random()));
  for (int i = 0; i < 20000; ++i) reals.push_back(static_cast<double>(random() % 1000000) / 1000);
  for (const double real : reals) {
    EXPECT_EQ(written(-1, [&](JsonWriter& json) { json.real(real); }), dump(Json(real), -1));
  }
  EXPECT_EQ(written(-1,
                    [&](JsonWriter& json) {
                      json.reals({1, -0.0, kInf, -kInf, std::nan("")});
                    }),
            R"([1.0,-0.0,"Infinity","-Infinity","NaN"])");
}

TEST(JsonWriter, IntegersOfAnyTypeAreExact) {
  const auto write = [](const Numbers& numbers) {
    return written(-1, [&](JsonWriter& json) { json.numbers(numbers); });
  };
  EXPECT_EQ(write(std::vector<std::int8_t>{-128, 127}), "[-128,127]");
  EXPECT_EQ(write(std::vector<std::uint8_t>{0, 255}), "[0,255]");
  EXPECT_EQ(write(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}),
            "[-9223372036854775808]");
  EXPECT_EQ(write(std::vector<std::uint64_t>{~std::uint64_t{0}}), "[18446744073709551615]");
  EXPECT_EQ(write(std::vector<float>{0.1F}), dump(Json::array({static_cast<double>(0.1F)}), -1));
}

TEST(JsonWriter, TextsAreEscapedAsByTheLibrary) {
  std::vector<std::string> texts{"",
                                 "plain",
                                 "caf\xc3\xa9 \"q\" \\ /",
                                 "\b\f\n\r\t\x01\x1f\x7f",
                                 "\xf0\x9f\x98\x80",
                                 "\xe2\x82",
                                 "\xc0\x80",
                                 "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80",
                                 "\xe0\x9f\x80"
                                 "a",
                                 "\xf0\x8f\x80\x80",
                                 "a\xff\xfe",
                                 "\xe2(\xa1",
                                 "\xc3"};
  texts.emplace_back("nul\0", 4);
  // Bytes that begin, continue and break characters, in any order.
  const std::string_view bytes("\xc2\xe0\xed\xef\xf0\xf4\xf5\x80\x8f\x90\x9f\xa0\xbf\x41\x22\x0a", 16);
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string& text = texts.emplace_back();
    for (unsigned n = random() % 7; n > 0; --n) text += bytes[random() % bytes.size()];
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(written(-1, [&](JsonWriter& json) { json.text(text); }), dump(Json(text), -1));
    EXPECT_EQ(written(-1, [&](JsonWriter& json) { json.object([&] { json.key(text).boolean(false); }); }),
              dump(Json{{text, false}}, -1));
  }
}

}  // namespace
}  // namespace esker
