// Command lines of a model, for the tests of its settings.
#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace esker::testing_support {

using Arguments = std::vector<const char*>;

/// `parse_command_line` of a model, for what follows the program's name.
template <class Parse>
auto parse_arguments(const Parse& parse_command_line, Arguments arguments) {
  arguments.insert(arguments.begin(), "model");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

/// Each is refused with a text and the exit code of wrong usage.
template <class Parse>
void expect_wrong_usage(const Parse& parse, const std::vector<Arguments>& wrong) {
  for (const Arguments& arguments : wrong) {
    const auto command = parse(arguments);
    EXPECT_FALSE(command.settings) << ::testing::PrintToString(arguments);
    EXPECT_EQ(command.exit_code, 2);
    EXPECT_FALSE(command.text.empty());
  }
}

}  // namespace esker::testing_support
