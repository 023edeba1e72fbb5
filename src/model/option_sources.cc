// Options::load(): options from a TOML file and from the environment.
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "model/option_table.h"
#include "model/option_text.h"

namespace esker {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

/// A TOML value as the text that set() accepts.
std::optional<std::string> toml_text(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto truth = node.value_exact<bool>()) return print_bool(*truth);
  return std::nullopt;
}

/// A file that the user named may set every option. A file found in the current directory may come from
/// anyone: it may tune, but must not cause files to be written elsewhere, or existing ones to be replaced.
enum class FoundAs { kNamed, kInDirectory };

Status check_may_set(std::string_view key, FoundAs found, const Options& options) {
  const bool names_a_file = (key == "report" && !options.report.empty() && options.report != "none") ||
                            (key == "stage" && !options.stage.empty());
  const bool overwrites = key == "overwrite" && options.overwrite;
  if (found == FoundAs::kNamed || (!names_a_file && !overwrites)) return {};
  return error(
      Code::kInvalidArgument,
      "option '{}': a file that is found in the current directory may not {}; set {} in the program or "
      "as ESKER_{}, or name this file in ESKER_CONFIG",
      key, names_a_file ? "name files to write" : "allow overwriting", key, upper(key));
}

Status apply_toml_key(std::string_view key, const toml::node& node, const std::string& path, FoundAs found,
                      Options& options) {
  const auto set = [&]() -> Status {
    if (!find_option(key)) return unknown_option(key);
    const std::optional<std::string> text = toml_text(node);
    if (!text) {
      return error(Code::kInvalidArgument, "option '{}': expected a string, an integer or a boolean", key);
    }
    ESKER_RETURN_IF_ERROR(options.set(std::string(key), *text, path));
    return check_may_set(key, found, options);
  };
  return set().with_context(fmt::format("{}:{}", path, node.source().begin.line));
}

Status apply_file(const std::string& path, FoundAs found, Options& options) {
  constexpr std::uintmax_t kMaxFileBytes = 1 << 20;
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(path, failure);
  if (failure) return system_error(failure.value(), "read configuration", path);
  if (bytes > kMaxFileBytes) {
    return error(Code::kInvalidArgument, "{}: configuration of {} bytes, expected at most {}", path, bytes,
                 kMaxFileBytes);
  }
  try {
    const toml::table table = toml::parse_file(path);
    for (const auto& [key, node] : table) {
      ESKER_RETURN_IF_ERROR(apply_toml_key(key.str(), node, path, found, options));
    }
    return {};
  } catch (const toml::parse_error& e) {
    return error(Code::kInvalidArgument, "{}:{}: {}", path, e.source().begin.line, e.description());
  } catch (const std::exception& e) {
    return error(Code::kIoError, "read configuration {}: {}", path, e.what());
  }
}

Status apply_files(Options& options) {
  const char* named = std::getenv("ESKER_CONFIG");
  if (named && *named) {
    return apply_file(named, FoundAs::kNamed, options).with_context("ESKER_CONFIG");
  }
  std::error_code failure;
  const std::string in_directory = "esker.toml";
  return std::filesystem::exists(in_directory, failure)
             ? apply_file(in_directory, FoundAs::kInDirectory, options)
             : Status();
}

Status apply_variable(std::string_view variable, const std::string& value, Options& options) {
  constexpr std::string_view kPrefix = "ESKER_";
  const std::string name = lower(variable.substr(kPrefix.size()));
  if (!find_option(name))
    return unknown_option(name).with_context("environment variable " + excerpt(variable));
  const std::string expected = std::string(kPrefix) + upper(name);
  if (variable != expected) {
    return error(Code::kInvalidArgument, "environment variable {}: unknown; did you mean '{}'?",
                 excerpt(variable), expected);
  }
  return options.set(name, value, std::string(variable))
      .with_context("environment variable " + excerpt(variable));
}

Status apply_environment(Options& options) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view variable = text.substr(0, equals);
    if (!variable.starts_with("ESKER_") || variable.starts_with("ESKER_TEST_") ||
        variable == "ESKER_CONFIG") {
      continue;
    }
    const std::string value(text.substr(std::min(equals + 1, text.size())));
    ESKER_RETURN_IF_ERROR(apply_variable(variable, value, options));
  }
  return {};
}

}  // namespace

Result<Options> Options::load() {
  Options options;
  ESKER_RETURN_IF_ERROR(apply_files(options));
  ESKER_RETURN_IF_ERROR(apply_environment(options));
  return options;
}

}  // namespace esker
