// Esker's options on the command line of a model: -o KEY=VALUE.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "esker/types/options.hpp"
#include "esker/types/status.hpp"

namespace miniapp {

/// Sets Esker's options from the environment, then from KEY=VALUE texts.
inline esker::Status set_esker_options(const std::vector<std::string>& texts, esker::Options& options) {
  auto loaded = esker::Options::load();
  if (!loaded.ok()) return loaded.status();
  options = std::move(*loaded);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return {esker::Code::kInvalidArgument, "-o " + text + ": expected KEY=VALUE"};
    }
    const esker::Status status = options.set(text.substr(0, equals), text.substr(equals + 1), "command line");
    if (!status.ok()) return status.with_context("-o " + text);
  }
  return {};
}

}  // namespace miniapp
