// mutated: damages a text or file the way a broken disk, an editor or an attacker would.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace esker::testing_support {

inline std::size_t below(std::mt19937& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

inline void truncate(std::string& text, std::mt19937& random) { text.resize(below(random, text.size() + 1)); }

inline void flip_byte(std::string& text, std::mt19937& random) {
  if (!text.empty()) text[below(random, text.size())] = static_cast<char>(random());
}

inline void insert_token(std::string& text, std::mt19937& random) {
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

inline void replace_number(std::string& text, std::mt19937& random) {
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

inline void delete_or_repeat_line(std::string& text, std::mt19937& random) {
  const std::size_t at = text.find('\n', below(random, text.size() + 1));
  if (at == std::string::npos) return;
  const std::size_t end = std::min(text.find('\n', at + 1), text.size());
  if (random() % 2 == 0)
    text.erase(at, end - at);
  else
    text.insert(below(random, text.size()), text.substr(at, end - at));
}

/// `text` after one to four changes, which depend on `random` only.
inline std::string mutated(std::string text, std::mt19937& random) {
  static const std::vector<void (*)(std::string&, std::mt19937&)> kMutations{
      truncate, flip_byte, insert_token, replace_number, delete_or_repeat_line};
  const std::size_t count = 1 + below(random, 4);
  for (std::size_t k = 0; k < count; ++k) {
    // Truncation leaves little to test: one time in eight.
    const std::size_t kind = random() % 8 == 0 ? 0 : 1 + below(random, kMutations.size() - 1);
    kMutations[kind](text, random);
  }
  return text;
}

}  // namespace esker::testing_support
