#include "tune/setting.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/text.h"
#include "tune/parameter_space.h"

namespace esker {

std::string to_text(const Setting& setting) {
  std::string text;
  for (const auto& [option, value] : setting) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", option, value);
  }
  return text.empty() ? "the default" : text;
}

std::vector<std::string> toml_lines(const Setting& setting) {
  std::vector<std::string> lines;
  for (const auto& [option, value] : setting) lines.push_back(fmt::format("{} = \"{}\"", option, value));
  return lines;
}

Result<Options> with_setting(const Options& configured, const Setting& setting) {
  Options options = configured;
  for (const auto& [option, value] : setting) {
    if (!may_change_between_steps(option)) {
      return error(Code::kInvalidArgument, "option '{}' cannot change between two steps", excerpt(option));
    }
    ESKER_RETURN_IF_ERROR(options.set(option, value, "tune"));
  }
  return options;
}

}  // namespace esker
