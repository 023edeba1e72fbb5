// Command: what a model's command line asks for.
#pragma once

#include <optional>
#include <string>

namespace miniapp {

/// Either settings to run with, or a text to print and the code to exit with: 0 for --help, 2 for wrong
/// usage.
template <class Settings>
struct Command {
  std::optional<Settings> settings;
  int exit_code = 0;
  std::string text;
};

}  // namespace miniapp
