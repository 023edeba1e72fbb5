#include "esker/types/options.hpp"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "model/option_table.h"

namespace esker {

Status Options::set(const std::string& name, const std::string& value, const std::string& source) {
  const OptionRow* row = find_option(name);
  if (!row) return unknown_option(name);
  if (!row->parse(trim(value), *this)) {
    return error(Code::kInvalidArgument, "option '{}': expected {}, found '{}'", name, row->form(),
                 excerpt(value));
  }
  sources_[std::string(row->name)] = source;
  return {};
}

std::vector<Options::Entry> Options::entries() const {
  const Options built_in{};
  std::vector<Entry> entries;
  for (const OptionRow& row : option_rows()) {
    const auto source = sources_.find(std::string(row.name));
    const std::string value = row.print(*this);
    // Members may also be set directly, which leaves no source.
    const char* unset = value == row.print(built_in) ? "built-in" : "program";
    entries.push_back({std::string(row.name), value, source == sources_.end() ? unset : source->second,
                       fmt::format("{}; takes {}", row.help, row.form()), row.group});
  }
  return entries;
}

}  // namespace esker
