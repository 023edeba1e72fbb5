#include "formats/vtkhdf/series.h"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "base/bytes_of.h"
#include "base/error.h"
#include "base/macros.h"
#include "format/json_text.h"
#include "format/json_writer.h"
#include "format/schema_json.h"
#include "store/checksum.h"

namespace esker::vtkhdf {
namespace {

constexpr const char *kVersion = "file-series-version", *kFiles = "files", *kEsker = "esker";

/// The path of a step relative to the directory of the series.
std::string name_of_step(const std::string& stem, Index step) {
  return step_path(std::filesystem::path(stem).filename().string(), step);
}

constexpr std::size_t kSumDigits = 16;

/// Where the digits of the sum of the text begin; npos if it has none.
std::size_t find_sum(const std::string& text) {
  const std::string_view before = "\"sum\": \"";
  const std::size_t found = text.rfind(before);
  const bool has_digits = found != std::string::npos && found + before.size() + kSumDigits <= text.size();
  return has_digits ? found + before.size() : std::string::npos;
}

/// With zeros as its sum.
std::string sum_of_text(std::string text, std::size_t digits) {
  text.replace(digits, kSumDigits, kSumDigits, '0');
  return print_sum(checksum(bytes_of(text), 0));
}

Status check_sum(const std::string& text) {
  const std::size_t digits = find_sum(text);
  if (digits != std::string::npos && sum_of_text(text, digits) == text.substr(digits, kSumDigits)) return {};
  return error(
      Code::kDataLoss,
      "the text does not have the checksum that it records as 'sum': it was edited or damaged; after "
      "an edit, remove 'sum' from '{}'",
      kEsker);
}

Status read_steps(const Json& json, const std::string& stem, Series& series) {
  std::vector<double>& times = series.times;
  ESKER_ASSIGN_OR_RETURN(const Json* files, get_array(json, kFiles));
  for (const Json& file : *files) {
    const auto step = std::ssize(times);
    if (!file.is_object()) return error(Code::kDataLoss, "'{}' {}: expected an object", kFiles, step);
    ESKER_ASSIGN_OR_RETURN(const std::string name, get_text(file, "name"));
    const auto time = file.find("time");
    if (name != name_of_step(stem, step) || time == file.end() || !time->is_number()) {
      return error(Code::kDataLoss, "'{}' {}: expected the name {} and a time", kFiles, step,
                   name_of_step(stem, step));
    }
    times.push_back(time->get<double>());
    series.sums.emplace_back();
    if (file.contains("sum")) {
      ESKER_ASSIGN_OR_RETURN(series.sums.back(), get_sum(file));
    }
  }
  return {};
}

}  // namespace

std::string series_path(const std::string& stem) { return stem + kSeriesSuffix; }
std::string steps_directory(const std::string& stem) { return stem + ".vtkhdf.steps"; }
std::string step_path(const std::string& stem, Index step) {
  return fmt::format("{}/{:06}.vtkhdf", steps_directory(stem), step);
}

Index step_of(const std::string& name) {
  Index step = 0;
  const char* end = name.data() + name.size();
  const auto [rest, failure] = std::from_chars(name.data(), end, step);
  if (failure != std::errc() || step < 0 || std::string_view(rest, end) != ".vtkhdf") return -1;
  return std::filesystem::path(step_path("", step)).filename() == name ? step : -1;
}

std::string print_series(const Series& series, const std::string& stem) {
  constexpr int kIndent = 1;
  JsonWriter json(kIndent);
  json.object([&] {
    json.key(kVersion).text("1.0");
    json.key(kFiles).array([&] {
      for (std::size_t step = 0; step < series.times.size(); ++step) {
        json.object([&] {
          json.key("name").text(name_of_step(stem, static_cast<Index>(step)));
          json.key("time").real(series.times[step]);
          if (series.sums[step]) json.key("sum").text(print_sum(*series.sums[step]));
        });
      }
    });
    json.key(kEsker).object([&] {
      json.key("format").integer(Series::kFormat);
      write_schema(json.key("schema"), series.schema);
      json.key("sum").text(std::string(kSumDigits, '0'));
    });
  });
  std::string text = json.take() + "\n";
  text.erase(1, text.find('"') - 1);  // the magic bytes have no white space
  const std::size_t digits = find_sum(text);
  text.replace(digits, kSumDigits, sum_of_text(text, digits));
  return text;
}

Result<Series> parse_series(const std::string& text, const std::string& stem) {
  ESKER_ASSIGN_OR_RETURN(const JsonHolder holder, parse_json_object(text, kMaxSidecarBytes));
  if (!holder.json.contains(kEsker)) {
    return error(Code::kDataLoss,
                 "a series of files that Esker did not write; open one of its files instead");
  }
  ESKER_ASSIGN_OR_RETURN(const Json* ours, get_object(holder.json, kEsker));
  ESKER_RETURN_IF_ERROR(check_format(*ours, Series::kFormat));
  if (ours->contains("sum")) ESKER_RETURN_IF_ERROR(check_sum(text));
  ESKER_ASSIGN_OR_RETURN(const Json* schema, get_object(*ours, "schema"));
  Series series;
  ESKER_ASSIGN_OR_RETURN(series.schema, read_schema(*schema));
  ESKER_RETURN_IF_ERROR(read_steps(holder.json, stem, series));
  return series;
}

}  // namespace esker::vtkhdf
