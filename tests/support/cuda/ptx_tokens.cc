#include "ptx_tokens.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace esker::cuda_double {
namespace {

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

/// The end of the space or comment that begins at `at`; `at` if there is none.
std::size_t end_of_space(const std::string& text, std::size_t at) {
  if (std::isspace(static_cast<unsigned char>(text[at])) != 0) return at + 1;
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") != 0) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string::npos ? text.size() : end + 2;
}

/// The end of the token that begins at `at`.
std::size_t end_of_token(const std::string& text, std::size_t at) {
  if (text[at] == '"') return std::min(text.find('"', at + 1), text.size() - 1) + 1;
  std::size_t end = at;
  while (end < text.size() && is_in_word(text[end])) ++end;
  return std::max(end, at + 1);
}

}  // namespace

PtxTokens::PtxTokens(const std::string& text) {
  int line = 1;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = end_of_space(text, at);
    if (end == at) {
      end = end_of_token(text, at);
      tokens_.push_back({text.substr(at, end - at), line});
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  }
  tokens_.push_back({"", line});
}

std::string PtxTokens::take() {
  if (is_at_end()) throw PtxFailure{next().line, "the text ends too early"};
  return tokens_[at_++].text;
}

bool PtxTokens::take_if(const std::string& text) {
  if (next().text != text) return false;
  ++at_;
  return true;
}

void PtxTokens::expect(const std::string& text) {
  if (!take_if(text)) throw PtxFailure{next().line, "expected '" + text + "', found '" + next().text + "'"};
}

bool PtxTokens::is_label() const { return at_ + 1 < tokens_.size() && tokens_[at_ + 1].text == ":"; }

bool PtxTokens::is_number() const {
  return next().text == "-" || std::isdigit(static_cast<unsigned char>(next().text[0])) != 0;
}

std::size_t PtxTokens::take_number() { return take_literal({'u', 64}); }

std::uint64_t PtxTokens::take_literal(PtxType type) {
  const bool is_negative = take_if("-");
  const std::string digits = take();
  const bool is_float = digits.starts_with("0f") || digits.starts_with("0d");
  const bool is_right = is_float
                            ? (type.kind == 'f' || type.kind == 'b') && digits.size() == 2 + type.bits / 4 &&
                                  (digits[1] == 'd') == (type.bits == 64) && !is_negative
                            : type.kind != 'f';
  if (!is_right) throw failure("'" + digits + "' is no number of the instruction's type");
  const bool is_unsigned = !is_float && digits.back() == 'U';
  const std::string value =
      is_float ? digits.substr(2) : digits.substr(0, digits.size() - (is_unsigned ? 1 : 0));
  char* end = nullptr;
  errno = 0;
  const std::uint64_t number = std::strtoull(value.c_str(), &end, is_float ? 16 : 0);
  if (*end != '\0' || value.empty() || errno != 0) throw failure("'" + digits + "' is no number");
  return is_negative ? 0 - number : number;
}

PtxFailure PtxTokens::failure(const std::string& text) const {
  return {tokens_[at_ > 0 ? at_ - 1 : 0].line, text};
}

}  // namespace esker::cuda_double
