// The file name suffixes of datasets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/registry/formats.h"

namespace esker {

/// A path without '/' at its end.
std::string_view without_slashes(std::string_view path);

/// The suffix of a path, which may end with '/', if a format has it; else "".
std::string_view suffix_of(std::string_view path);

/// The format that a suffix selects: the first that has it; null if there is none.
const FormatEntry* format_of_suffix(std::string_view suffix);

/// The suffixes of all formats, each once, that of IDX first.
std::vector<std::string> all_suffixes();

/// The common stem of a dataset's file names: "out/run.nc" -> "out/run", "out/run/" -> "out/run".
std::string stem_of(std::string_view path);

}  // namespace esker
