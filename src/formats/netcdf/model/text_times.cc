#include "formats/netcdf/model/text_times.h"

#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "esker/types/box.hpp"

namespace esker::netcdf {
namespace {

struct Moment {
  std::array<int, 5> parts{};  // year, month, day, hour, minute
  double seconds = 0;
};

std::optional<Moment> parse_moment(std::string_view text) {
  constexpr std::array<std::string_view, 5> kBehind{"-", "-", "_T ", ":", ":"};
  Moment moment;
  text = trim(text);
  for (std::size_t n = 0; n < kBehind.size(); ++n) {
    const std::size_t end = text.find_first_of(kBehind[n]);
    const auto part = end == std::string_view::npos ? std::nullopt : parse_integer(text.substr(0, end));
    if (!part || *part < 0 || *part > 9999) return std::nullopt;
    moment.parts[n] = static_cast<int>(*part);
    text.remove_prefix(end + 1);
  }
  const auto seconds = parse_real(text);
  const bool is_valid =
      seconds && *seconds >= 0 && *seconds < 60 && moment.parts[3] < 24 && moment.parts[4] < 60;
  if (!is_valid) return std::nullopt;
  moment.seconds = *seconds;
  return moment;
}

std::optional<Index> days_by_date(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// From any fixed day on; nothing if the calendar lacks the date.
std::optional<Index> days_of(const Moment& moment, const std::string& calendar) {
  const auto [year, month, day, hour, minute] = moment.parts;
  if (calendar == "360_day") {
    if (month < 1 || month > 12 || day < 1 || day > 30) return std::nullopt;
    return Index{360} * year + 30 * month + day;
  }
  if (calendar != "noleap") return days_by_date(year, month, day);
  constexpr int kYearWithoutLeapDay = 2001;
  const auto in_year = days_by_date(kYearWithoutLeapDay, month, day);
  return in_year ? std::optional(Index{365} * year + *in_year) : std::nullopt;
}

}  // namespace

Result<TextTimes> parse_text_times(const std::vector<std::string>& texts, const std::string& calendar) {
  TextTimes times;
  Index first_day = 0;
  double first_second = 0;
  for (const std::string& text : texts) {
    const auto moment = parse_moment(text);
    const auto day = moment ? days_of(*moment, calendar) : std::nullopt;
    if (!day) {
      return error(Code::kInvalidArgument, "expected a time like 2000-01-24_12:00:00, found '{}'",
                   excerpt(text));
    }
    const auto& parts = moment->parts;
    const double second = 3600.0 * parts[3] + 60.0 * parts[4] + moment->seconds;
    if (times.seconds.empty()) {
      first_day = *day;
      first_second = std::floor(second);
      times.units = fmt::format("seconds since {:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts[0], parts[1],
                                parts[2], parts[3], parts[4], static_cast<int>(moment->seconds));
    }
    times.seconds.push_back(86400.0 * static_cast<double>(*day - first_day) + (second - first_second));
  }
  return times;
}

}  // namespace esker::netcdf
