// The value of (time):
//
//   time  = first last template          ; every integer of first ... last, e.g. "0 2 time_%04d/"
//         | template 1*group             ; e.g. "time_%04d/ (0,4,2) (10,12) (20)"
//         | "*" "*" template             ; times unknown: no step can be read
//   group = "(" first ["," last ["," step]] ")"
//
// Source: docs/formats/idx.md, section 1.2.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "formats/idx/header.h"

namespace esker::idx {
namespace {

constexpr Index kMaxTime = Index{1} << 53;  ///< keeps differences of times within 64 bits

constexpr std::size_t kMaxRanges = 1'000'000;

bool is_time(const std::optional<Index>& value) { return value && *value <= kMaxTime && *value >= -kMaxTime; }

Status bad_time(std::string_view found) {
  return error(Code::kDataLoss,
               "expected 'first last template' or 'template (first,last,step) ...', found '{}'",
               excerpt(found));
}

Index num_times(const TimeRange& range) {
  return range.last < range.first ? 0 : (range.last - range.first) / range.step + 1;
}

Result<TimeSteps> parse_first_last(std::string_view text) {
  std::string_view rest = text;
  const std::string_view first = take_word(rest), last = take_word(rest), path = take_word(rest);
  if (path.empty() || !take_word(rest).empty()) return bad_time(text);
  TimeSteps time{std::string(path), {}};
  if (first == "*" && last == "*") return time;
  const TimeRange range{parse_integer(first).value_or(kMaxTime + 1),
                        parse_integer(last).value_or(kMaxTime + 1), 1};
  if (!is_time(range.first) || !is_time(range.last)) return bad_time(text);
  if (num_times(range) > 0) time.ranges.push_back(range);
  return time;
}

/// "0,4,2" as a range.
Result<TimeRange> parse_group(std::string_view text) {
  std::array<Index, 3> numbers{};
  std::size_t count = 0;
  for (std::string_view rest = text; count < 4; rest.remove_prefix(1)) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const std::optional<Index> number = parse_integer(trim(word));
    if (count == 3 || !is_time(number)) return bad_time(text);
    numbers[count++] = *number;
    rest.remove_prefix(word.size());
    if (rest.empty()) break;
  }
  const TimeRange range{numbers[0], count > 1 ? numbers[1] : numbers[0], count > 2 ? numbers[2] : 1};
  if (range.step < 1) return error(Code::kDataLoss, "expected a step of 1 or more, found {}", range.step);
  return range;
}

Result<TimeSteps> parse_groups(std::string_view text) {
  std::string_view rest = text;
  TimeSteps time{std::string(trim(rest.substr(0, rest.find('(')))), {}};
  if (time.path_template.empty() || time.path_template.find_first_of(" \t") != std::string::npos) {
    return bad_time(text);
  }
  for (rest.remove_prefix(rest.find('(')); !rest.empty(); rest = trim(rest)) {
    const std::size_t close = rest.find(')');
    if (rest[0] != '(' || close == std::string_view::npos) return bad_time(rest);
    ESKER_ASSIGN_OR_RETURN(const TimeRange range, parse_group(rest.substr(1, close - 1)));
    if (num_times(range) > 0) time.ranges.push_back(range);
    if (time.ranges.size() > kMaxRanges) {
      return error(Code::kDataLoss, "expected at most {} groups, found more", kMaxRanges);
    }
    rest.remove_prefix(close + 1);
  }
  return time;
}

}  // namespace

Result<TimeSteps> parse_time(std::string_view text) {
  return text.find('(') == std::string_view::npos ? parse_first_last(text) : parse_groups(trim(text));
}

std::string print_time(const TimeSteps& time) {
  std::vector<TimeRange> ranges;
  std::copy_if(time.ranges.begin(), time.ranges.end(), std::back_inserter(ranges),
               [](const TimeRange& range) { return num_times(range) > 0; });
  if (ranges.empty()) return "0 -1 " + time.path_template;
  if (ranges.size() == 1 && ranges[0].step == 1) {
    return fmt::format("{} {} {}", ranges[0].first, ranges[0].last, time.path_template);
  }
  std::string text = time.path_template;
  for (const TimeRange& range : ranges) {
    text += fmt::format(" ({},{},{})", range.first, range.last, range.step);
  }
  return text;
}

bool TimeSteps::contains(Index time) const {
  return std::any_of(ranges.begin(), ranges.end(), [time](const TimeRange& range) {
    return time >= range.first && time <= range.last && (time - range.first) % range.step == 0;
  });
}

Result<std::vector<Index>> TimeSteps::list(Index max_count) const {
  std::vector<Index> times;
  for (const TimeRange& range : ranges) {
    const Index room = max_count - static_cast<Index>(times.size());
    if (num_times(range) > room) {
      return error(Code::kDataLoss, "(time): expected at most {} steps, found more", max_count);
    }
    for (Index k = 0; k < num_times(range); ++k) times.push_back(range.first + k * range.step);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace esker::idx
