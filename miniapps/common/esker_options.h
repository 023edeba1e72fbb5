// Esker's options on the command line of a model: -o KEY=VALUE.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"

namespace miniapp {

/// Throws std::invalid_argument, which is wrong usage, unless `status` is success.
inline void require_usage(const esker::Status& status) {
  if (!status.ok()) throw std::invalid_argument(status.message());
}

/// Esker's options from esker.toml and the environment, then from KEY=VALUE texts. Throws
/// std::invalid_argument.
inline esker::Options esker_options(const std::vector<std::string>& texts) {
  auto options = esker::Options::load();
  require_usage(options.status());
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw std::invalid_argument("-o " + text + ": expected KEY=VALUE");
    const esker::Status status =
        options->set(text.substr(0, equals), text.substr(equals + 1), "command line");
    require_usage(status.with_context("-o " + text));
  }
  return *options;
}

/// The first of the KEY=VALUE texts that sets another format than `format`; empty if there is none.
inline std::string other_format(const std::vector<std::string>& texts, const std::string& format) {
  const std::string option = "format=";
  for (const std::string& text : texts) {
    if (text.starts_with(option) && text != option + format) return text;
  }
  return {};
}

/// Throws std::invalid_argument if the texts set another format than `--format`, which is empty if it is not
/// given.
inline void require_one_format(const std::vector<std::string>& texts, const std::string& format) {
  const std::string other = format.empty() ? "" : other_format(texts, format);
  if (other.empty()) return;
  throw std::invalid_argument("--format " + format + " contradicts -o " + other + ": give one of them");
}

/// Throws std::invalid_argument if the texts set another format than idx, the only one that `program` writes.
inline void require_idx(const std::vector<std::string>& texts, const std::string& program) {
  const std::string other = other_format(texts, "idx");
  if (other.empty()) return;
  throw std::invalid_argument("-o " + other + ": " + program + " writes only idx; leave out the option");
}

}  // namespace miniapp
