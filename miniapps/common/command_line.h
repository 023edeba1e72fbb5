// Reads the command line of a model.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "common/command.h"

namespace miniapp {

/// `read`() parses with `app` and returns the settings. Wrong usage is what the parser refuses, or a
/// std::invalid_argument.
template <class Read>
Command<std::invoke_result_t<const Read&>> read_command_line(const CLI::App& app, const Read& read) {
  std::string wrong;
  try {
    return {read(), 0, {}};
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, 0, app.help()};
  } catch (const CLI::ParseError& e) {
    wrong = e.what();
  } catch (const std::invalid_argument& e) {
    wrong = e.what();
  }
  return {std::nullopt, 2, app.get_name() + ": " + wrong + "\nRun with --help for more information.\n"};
}

}  // namespace miniapp
