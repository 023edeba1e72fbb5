// The formats by name.
#pragma once

#include <memory>
#include <string>

#include "esker/options.hpp"
#include "format/format_writer.h"
#include "store/store.h"

namespace esker {

/// options.format at `path`. kUnsupported for a name that is not known, with those that are.
Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options);

}  // namespace esker
