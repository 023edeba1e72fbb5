// The formats by name.
#pragma once

#include <memory>
#include <string>

#include "esker/options.hpp"
#include "format/format_writer.h"
#include "store/store.h"

namespace esker {

/// What the option `format` and the suffix of the dataset's name ask for together: a name of a format, never
/// "auto". kInvalidArgument where they contradict each other.
Result<std::string> choose_format(const std::string& path, const Options& options);

/// What a writer that appends is made for.
struct AppendTarget {
  std::string path, format;
};

/// The dataset at `path` in the format that its files are of: a NetCDF file by its first bytes, and both halves
/// of a dataset in two formats by the path of either. `format` holds instead where it is not "auto". Where there
/// is no dataset: as given.
Result<AppendTarget> find_append_target(Store& store, const std::string& path, const std::string& format);

/// That format at `path`. kUnsupported for a name that is not known, with those that are.
Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options);

}  // namespace esker
