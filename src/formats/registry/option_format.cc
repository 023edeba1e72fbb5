// The values of the option `format`.
#include <string>
#include <vector>

#include "formats/registry/formats.h"
#include "formats/registry/make_writer.h"
#include "formats/registry/suffix.h"
#include "model/format_names.h"

namespace esker {
namespace {

/// "a, b and c".
std::string join(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

/// ".nc4, .h5 and .hdf5 are netcdf4; ".
std::string describe_suffixes(const FormatEntry& entry) {
  std::vector<std::string> suffixes;
  for (const std::string& suffix : entry.suffixes) {
    if (format_of_suffix(suffix) == &entry) suffixes.push_back(suffix);
  }
  if (suffixes.empty()) return {};
  return join(suffixes, " and ") + (suffixes.size() == 1 ? " is " : " are ") + entry.names.front() + "; ";
}

}  // namespace

bool is_format_name(std::string_view name) { return name == "auto" || is_written(split_format(name)); }

std::string describe_format_names() {
  std::string suffixes;
  std::vector<std::string> names;
  for (const FormatEntry& entry : formats()) {
    if (&entry != &formats().front()) suffixes += describe_suffixes(entry);
    names.push_back(entry.help);
  }
  const std::string otherwise = formats().front().names.front();
  return "auto (by the suffix of the dataset's name: " + suffixes + "anything else is " + otherwise + "), " +
         join(names, " or ") + "; two formats at once: cdf5+idx, cdf5+zarr and so on";
}

}  // namespace esker
