// The table of options: one row per option.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "esker/types/options.hpp"

namespace esker {

struct OptionRow {
  std::string_view name;
  std::string_view takes;  ///< for messages: the form of a value; empty: see describe
  std::string_view help;
  bool (*parse)(std::string_view text, Options& options);  ///< false, and no change, if the text is invalid
  std::string (*print)(const Options& options);
  std::string (*describe)() = nullptr;  ///< the form of a value, if it is not constant
  OptionGroup group = OptionGroup::kExpert;

  [[nodiscard]] std::string form() const { return describe ? describe() : std::string(takes); }
};

/// All options, group by group.
std::span<const OptionRow> option_rows();

/// The option with this name; null if there is none.
const OptionRow* find_option(std::string_view name);

/// The error for a name that find_option() does not find: says what replaces a removed option, or lists the
/// options and guesses which one was meant.
Status unknown_option(std::string_view name);

}  // namespace esker
