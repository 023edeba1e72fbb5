// The value of (fields):
//
//   fields = entry *("+" entry) ["+"]    ; a '+' inside round brackets separates nothing
//   entry  = name type *(option "(" value ")" | "compressed")
//   type   = sample-type | sample-type "[" n "]" | n "*" sample-type
//
// Source: docs/formats/idx.md, section 1.1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/header.h"

namespace esker::idx {
namespace {

struct OptionText {
  std::string_view word, value;
};

/// Position of the bracket that closes the one at text[0]; npos if there is none.
std::size_t closing_bracket(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// The options of an entry as written; unknown options and other words are kept, unused.
Result<std::vector<OptionText>> split_options(std::string_view rest) {
  std::vector<OptionText> options;
  while (!(rest = trim(rest)).empty()) {
    const std::size_t end = std::min(rest.find_first_of("( \t"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(end);
    if (!rest.starts_with('(')) {
      if (word == "compressed") options.push_back({word, "zip"});
      continue;
    }
    const std::size_t close = closing_bracket(rest);
    if (close == std::string_view::npos) {
      return error(Code::kDataLoss, "option '{}' has no closing bracket", excerpt(word));
    }
    options.push_back({word, trim(rest.substr(1, close - 1))});
    rest.remove_prefix(close + 1);
  }
  return options;
}

Status read_layout(std::string_view value, FieldEntry& field) {
  const bool hz = value == "0" || value.find("hz") != std::string_view::npos;
  field.order = hz ? InBlockOrder::kHz : InBlockOrder::kRowMajor;
  return {};
}

Status read_compression(std::string_view value, FieldEntry& field) {
  field.compression = value;
  return {};
}

Status read_stored_bits(std::string_view value, FieldEntry& field) {
  constexpr Index kMost = 64;
  const Index bits = parse_integer(value).value_or(0);
  if (bits < 1 || bits > kMost) {
    return error(Code::kDataLoss, "stored_bits: expected 1 to {}, found '{}'", kMost, excerpt(value));
  }
  field.stored_bits = static_cast<int>(bits);
  return {};
}

Status read_default_value(std::string_view value, FieldEntry& field) {
  const auto number = narrow<int>(parse_leading_integer(value).value_or(0));
  if (!number)
    return error(Code::kDataLoss, "default_value: expected a 32-bit integer, found '{}'", excerpt(value));
  field.default_value = *number;
  return {};
}

Status read_range(std::string_view value, const char* option, std::vector<double>& out) {
  Result<std::vector<double>> numbers = parse_reals(value, kMaxComponents);
  if (!numbers.ok()) return numbers.status().with_context(option);
  out = *std::move(numbers);
  return {};
}

Status read_min(std::string_view value, FieldEntry& field) { return read_range(value, "min", field.min); }
Status read_max(std::string_view value, FieldEntry& field) { return read_range(value, "max", field.max); }

Status read_filter(std::string_view value, FieldEntry& field) {
  field.filter = value;
  return {};
}

Status read_description(std::string_view value, FieldEntry& field) {
  field.description = value;
  return {};
}

struct OptionRow {
  std::array<std::string_view, 3> words;  ///< synonyms: the first one in the entry is used
  Status (*read)(std::string_view value, FieldEntry& field);
};

constexpr std::array<OptionRow, 8> kOptions{{
    {{"default_layout", "layout", "format"}, read_layout},
    {{"default_compression", "compression", "compressed"}, read_compression},
    {{"stored_bits"}, read_stored_bits},
    {{"default_value"}, read_default_value},
    {{"min"}, read_min},
    {{"max"}, read_max},
    {{"filter"}, read_filter},
    {{"description"}, read_description},
}};

Status read_option(const OptionRow& row, const std::vector<OptionText>& options, FieldEntry& field) {
  for (const std::string_view word : row.words) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [word](const OptionText& o) { return !word.empty() && o.word == word; });
    if (found != options.end()) return row.read(found->value, field);
  }
  return {};
}

/// Reads "float32", "float32[3]" or "3*float32" into type and components.
Status read_type(std::string_view text, FieldEntry& field) {
  std::string_view base = text, count;
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    count = text.substr(0, star), base = text.substr(star + 1);
  } else if (const std::size_t open = text.find('['); open != std::string_view::npos && text.ends_with(']')) {
    count = text.substr(open + 1, text.size() - open - 2), base = text.substr(0, open);
  }
  const bool counted = base.size() != text.size();
  const Index components = counted ? parse_integer(count).value_or(0) : 1;
  const Result<SampleType> type = parse_sample_type(base.substr(0, 16));
  // NumPy's short codes ("f4") are no IDX types.
  if (!type.ok() || name(*type).size() != base.size() || components < 1 || components > kMaxComponents) {
    return error(Code::kDataLoss,
                 "expected int8 ... uint64, float32 or float64, with [1] to [{}], found '{}'", kMaxComponents,
                 excerpt(text));
  }
  field.type = *type;
  field.components = static_cast<int>(components);
  return {};
}

bool brackets_match(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) return false;
  }
  return depth == 0;
}

/// Readers accept more names than writers (check_field_name), but none that could be mistaken for a key, a
/// comment or an option, or that cannot be displayed.
Status check_readable_name(std::string_view name) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  if (!is_utf8(name) || std::any_of(name.begin(), name.end(), is_control)) {
    return error(Code::kDataLoss, "field name '{}' is not UTF-8 text", excerpt(name));
  }
  if (name.front() == '(' || name.front() == '#' || !brackets_match(name)) {
    return error(Code::kDataLoss, "expected a field name, found '{}'", excerpt(name));
  }
  return {};
}

/// Removes the text up to the next '+' outside brackets from `rest`, with the '+', and returns the text.
std::string_view take_entry(std::string_view& rest) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size() && !(rest[end] == '+' && depth == 0); ++end) {
    if (rest[end] == '(') ++depth;
    if (rest[end] == ')' && depth > 0) --depth;
  }
  const std::string_view entry = trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return entry;
}

}  // namespace

Result<FieldEntry> parse_field(std::string_view text) {
  std::string_view rest = text;
  FieldEntry field;
  field.name = take_word(rest);
  if (field.name.empty()) return error(Code::kDataLoss, "expected 'name type ...', found nothing");
  ESKER_RETURN_IF_ERROR(check_readable_name(field.name));
  const std::string context = "field '" + excerpt(field.name) + "'";
  const Status type = read_type(take_word(rest), field);
  if (!type.ok()) return type.with_context(context);
  Result<std::vector<OptionText>> options = split_options(rest);
  if (!options.ok()) return options.status().with_context(context);
  for (const OptionRow& row : kOptions) {
    const Status read = read_option(row, *options, field);
    if (!read.ok()) return read.with_context(context);
  }
  return field;
}

Result<std::vector<FieldEntry>> parse_fields(std::string_view text) {
  std::vector<FieldEntry> fields;
  std::set<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view entry = take_entry(rest);
    if (entry.empty()) continue;
    if (fields.size() == static_cast<std::size_t>(kMaxFields)) {
      return error(Code::kDataLoss, "expected at most {} fields, found more", kMaxFields);
    }
    ESKER_ASSIGN_OR_RETURN(FieldEntry field, parse_field(entry));
    if (!names.insert(field.name).second) {
      return error(Code::kDataLoss, "two fields have the name '{}'", excerpt(field.name));
    }
    fields.push_back(std::move(field));
  }
  if (fields.empty()) return error(Code::kDataLoss, "expected one field or more, found none");
  return fields;
}

std::string print_field(const FieldEntry& field) {
  std::string text = field.name + " " + std::string(name(field.type));
  if (field.components > 1) text += fmt::format("[{}]", field.components);
  // OpenVisus takes the word anywhere in the entry for default_compression(zip) unless that is spelled out.
  const bool seems_compressed = field.name.find("compressed") != std::string::npos ||
                                field.description.find("compressed") != std::string::npos;
  if (!field.compression.empty() || seems_compressed) {
    text += " default_compression(" + field.compression + ")";
  }
  if (field.stored_bits > 0) text += fmt::format(" stored_bits({})", field.stored_bits);
  text += field.order == InBlockOrder::kHz ? " default_layout(hzorder)" : " default_layout()";
  text += fmt::format(" default_value({})", field.default_value);
  if (!field.min.empty()) text += " min(" + print_reals(field.min) + ")";
  if (!field.max.empty()) text += " max(" + print_reals(field.max) + ")";
  if (!field.filter.empty()) text += " filter(" + field.filter + ")";
  if (!field.description.empty()) text += " description(" + field.description + ")";
  return text;
}

Status check_field_name(const std::string& name) {
  constexpr std::size_t kMaxNameChars = 128;
  if (name.empty() || name.size() > kMaxNameChars || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), is_name_character)) {
    return error(Code::kInvalidArgument,
                 "field name '{}': expected 1 to {} letters, digits, '_', '.', '-', not starting with '.'",
                 excerpt(name), kMaxNameChars);
  }
  return {};
}

}  // namespace esker::idx
