#include "formats/idx/filename_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"

namespace esker::idx {
namespace {

constexpr std::size_t kMaxTemplateChars = 4096;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Status check_characters(const std::string& text) {
  if (text.size() > kMaxTemplateChars) {
    return error(Code::kDataLoss, "template of {} characters, expected at most {}", text.size(),
                 kMaxTemplateChars);
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return error(Code::kDataLoss, "template '{}' contains control characters", excerpt(text));
  }
  return {};
}

/// Removes the prefix of a block template that names the directory of the .idx.
std::string_view cut_current_directory(std::string_view text) {
  constexpr std::string_view kVariable = "$(CurrentFileDirectory)/";
  if (text.starts_with(kVariable)) text.remove_prefix(kVariable.size());
  while (text.starts_with("./")) text.remove_prefix(2);
  return text;
}

/// Whether a relative path climbs above the directory where it begins.
bool climbs_out(std::string_view path) {
  int depth = 0;
  while (!path.empty() && depth >= 0) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part == "..") --depth;
    if (part != ".." && part != "." && !part.empty()) ++depth;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return depth < 0;
}

struct TimeFormat {
  std::string prefix, suffix;
  bool has_number = false;
  int width = 0;
  bool zero_padded = false;
};

// time template = text ["%" ["0"] [width] "d" text]
Result<TimeFormat> parse_time_format(const std::string& text) {
  ESKER_RETURN_IF_ERROR(check_characters(text));
  TimeFormat format;
  const std::size_t percent = text.find('%');
  format.prefix = text.substr(0, percent);
  if (percent == std::string::npos) return format;
  std::size_t end = percent + 1;
  if (end < text.size() && text[end] == '0') format.zero_padded = true, ++end;
  const std::size_t width_begin = end;
  while (end < text.size() && is_digit(text[end]) && end - width_begin < 2) {
    format.width = 10 * format.width + (text[end++] - '0');
  }
  if (end >= text.size() || text[end] != 'd' || format.width > 20 ||
      text.find('%', end) != std::string::npos) {
    return error(Code::kDataLoss, "time template '{}': expected at most one %d, %Nd or %0Nd with N <= 20",
                 excerpt(text));
  }
  format.suffix = text.substr(end + 1);
  format.has_number = true;
  return format;
}

/// The digits of a "%0Nx" at `text[at]`.
std::optional<int> group_digits(std::string_view text, std::size_t at) {
  const std::string_view group = text.substr(at, 4);
  if (group.size() != 4 || group[1] != '0' || group[2] < '1' || group[2] > '9' || group[3] != 'x') return {};
  return group[2] - '0';
}

std::string hex(std::uint64_t value, int digits) {
  return fmt::format("{:0{}x}", value & ((std::uint64_t{1} << 4 * digits) - 1), digits);
}

}  // namespace

Result<FilenameTemplate> FilenameTemplate::parse(const std::string& blocks, const std::string& time,
                                                 bool allow_outside) {
  ESKER_RETURN_IF_ERROR(check_characters(blocks));
  ESKER_ASSIGN_OR_RETURN(TimeFormat format, parse_time_format(time));
  FilenameTemplate out;
  ESKER_RETURN_IF_ERROR(out.set_blocks(cut_current_directory(blocks)));
  out.time_prefix_ = format.prefix;
  out.time_suffix_ = format.suffix;
  out.has_time_ = format.has_number;
  out.time_width_ = format.width;
  out.time_zero_padded_ = format.zero_padded;

  // Numbers only add digits and directories, so one expansion shows the directory of all of them.
  const std::string example = out.path(0, 0);
  if (example.empty() || example.ends_with('/')) {
    return error(Code::kDataLoss, "template '{}' does not name a file", excerpt(blocks));
  }
  if (!allow_outside && (example.front() == '/' || climbs_out(example))) {
    return error(Code::kDataLoss,
                 "template '{}' with time '{}' names files outside the directory of the .idx",
                 excerpt(blocks), excerpt(time));
  }
  return out;
}

// block template = text *("%0" digit "x" text)
Status FilenameTemplate::set_blocks(std::string_view text) {
  if (text.find("$(") != std::string_view::npos) {
    return error(Code::kUnsupported,
                 "template '{}': only $(CurrentFileDirectory)/ at its beginning is supported", excerpt(text));
  }
  std::string* literal = &prefix_;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '%') {
      *literal += text[at++];
      continue;
    }
    const std::optional<int> digits = group_digits(text, at);
    if (!digits) {
      return error(Code::kDataLoss, "template '{}': expected %0Nx with N from 1 to 9, found '{}'",
                   excerpt(text), excerpt(text.substr(at, 4)));
    }
    groups_.push_back({*digits, ""});
    literal = &groups_.back().text_after;
    at += 4;
  }
  return {};
}

std::string FilenameTemplate::time_text(Index time) const {
  if (!has_time_) return time_prefix_;
  const std::string number =
      time_zero_padded_ ? fmt::format("{:0{}}", time, time_width_) : fmt::format("{:{}}", time, time_width_);
  return time_prefix_ + number + time_suffix_;
}

std::string FilenameTemplate::path(Index first_block, Index time) const {
  if (single_file()) return prefix_;
  auto rest = static_cast<std::uint64_t>(first_block);
  std::string name;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    name = hex(rest, group->digits) + group->text_after + name;
    rest >>= 4 * group->digits;
  }
  for (const int digits = groups_.front().digits; rest != 0; rest >>= 4 * digits) {
    name = hex(rest, digits) + "/" + name;
  }
  return prefix_ + time_text(time) + name;
}

std::vector<std::string> FilenameTemplate::patterns(Index last) const {
  if (single_file()) return {prefix_};
  auto rest = static_cast<std::uint64_t>(last);
  std::string name;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    name = std::string(static_cast<std::size_t>(group->digits), kAnyHexDigit) + group->text_after + name;
    rest >>= 4 * group->digits;
  }
  const std::string time = time_prefix_ + (has_time_ ? std::string(1, kAnyTime) + time_suffix_ : "");
  std::vector<std::string> patterns{prefix_ + time + name};
  for (const int digits = groups_.front().digits; rest != 0; rest >>= 4 * digits) {
    name = std::string(static_cast<std::size_t>(digits), kAnyHexDigit) + "/" + name;
    patterns.push_back(prefix_ + time + name);
  }
  return patterns;
}

}  // namespace esker::idx
