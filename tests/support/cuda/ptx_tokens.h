// PtxTokens: the words, numbers and signs of a PTX text, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx_instructions.h"

namespace esker::cuda_double {

/// Thrown while a text is decoded.
struct PtxFailure {
  int line;
  std::string text;
};

class PtxTokens {
 public:
  struct Token {
    std::string text;
    int line = 0;
  };
  explicit PtxTokens(const std::string& text);

  /// The next one, which is empty at the end.
  [[nodiscard]] const Token& next() const { return tokens_[at_]; }
  [[nodiscard]] bool is_at_end() const { return next().text.empty(); }
  std::string take();
  bool take_if(const std::string& text);
  void expect(const std::string& text);

  [[nodiscard]] bool is_label() const;
  [[nodiscard]] bool is_number() const;
  /// Not below 0, but for a sign.
  std::size_t take_number();
  /// The bits of an operand of this type.
  std::uint64_t take_literal(PtxType type);
  /// An error in the line of the token that was taken last.
  [[nodiscard]] PtxFailure failure(const std::string& text) const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace esker::cuda_double
