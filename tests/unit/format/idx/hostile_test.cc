// Thousands of damaged headers, records and schemas: none crashes, none allocates much, and what still
// parses prints and parses again. The mutations are the same in every run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <random>

#include "format/idx/commit_record.h"
#include "format/idx/header.h"
#include "format/idx/sidecar.h"
#include "unit/format/idx/idx_texts.h"

namespace {
thread_local std::size_t largest_allocation = 0;
}  // namespace

// The test program's own operator new, which notes the largest request.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  largest_allocation = std::max(largest_allocation, bytes);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace esker::idx {
namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

void truncate(std::string& text, Random& random) { text.resize(below(random, text.size() + 1)); }

void flip_byte(std::string& text, Random& random) {
  if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random());
}

void insert_token(std::string& text, Random& random) {
  static const std::vector<std::string> kTokens{"(",
                                                ")",
                                                "+",
                                                "%",
                                                "\n(box)\n",
                                                "[",
                                                "]",
                                                "{",
                                                "}",
                                                "\"",
                                                "-1",
                                                "0",
                                                "99999999999999999999",
                                                "\xff",
                                                "../",
                                                "/",
                                                "#",
                                                "*",
                                                ",",
                                                "9223372036854775807",
                                                "1e999",
                                                "nan",
                                                " ",
                                                "\n",
                                                "%09x",
                                                "V",
                                                "compressed",
                                                "\\u0000",
                                                "[[[["};
  text.insert(below(random, text.size() + 1), kTokens[below(random, kTokens.size())]);
}

void replace_number(std::string& text, Random& random) {
  static const std::vector<std::string> kNumbers{"0",
                                                 "-1",
                                                 "1",
                                                 "30",
                                                 "62",
                                                 "63",
                                                 "2147483647",
                                                 "4294967296",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "1e308"};
  const std::size_t at = text.find_first_of("0123456789", below(random, text.size() + 1));
  if (at == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  text.replace(at, end - at, kNumbers[below(random, kNumbers.size())]);
}

void delete_or_repeat_line(std::string& text, Random& random) {
  const std::size_t at = text.find('\n', below(random, text.size() + 1));
  if (at == std::string::npos) return;
  const std::size_t end = std::min(text.find('\n', at + 1), text.size());
  if (random() % 2 == 0)
    text.erase(at, end - at);
  else
    text.insert(below(random, text.size()), text.substr(at, end - at));
}

std::string mutated(std::string text, Random& random) {
  static const std::vector<void (*)(std::string&, Random&)> kMutations{truncate, flip_byte, insert_token,
                                                                       replace_number, delete_or_repeat_line};
  const std::size_t count = 1 + below(random, 4);
  for (std::size_t k = 0; k < count; ++k) {
    // Truncation leaves little to test: one time in eight.
    const std::size_t kind = random() % 8 == 0 ? 0 : 1 + below(random, kMutations.size() - 1);
    kMutations[kind](text, random);
  }
  return text;
}

/// Calls `check` with `count` mutations of each text; it returns whether the text was accepted.
void for_mutations(const std::vector<std::string>& texts, int count,
                   const std::function<bool(const std::string&)>& check) {
  constexpr std::size_t kMuch = std::size_t{1} << 20;
  Random random(20240611);
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
      1, 7, {0, 0.5, 1e300}, {{1, {"temp", "vel"}}}, {{"species", {"species.0-7", "species.8"}}}};
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
