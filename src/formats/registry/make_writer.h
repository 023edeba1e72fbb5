// Creates writers of the formats by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "esker/types/options.hpp"
#include "format/format_writer.h"
#include "store/lock.h"
#include "store/store.h"

namespace esker {

/// A value of the option `format`: one format, or two. Both may be unknown.
struct FormatName {
  std::string first;
  std::string second = {};  ///< empty: none
};

/// "cdf5+idx" -> {"cdf5", "idx"}.
FormatName split_format(std::string_view format);

/// The format that the option `format` and the suffix of the dataset's name select together; never "auto".
/// kInvalidArgument if they contradict each other.
Result<std::string> choose_format(const std::string& path, const Options& options);

/// The target of a writer that appends.
struct AppendTarget {
  std::string path, format;
};

/// Whether these are formats, and the two can be written together.
bool is_written(const FormatName& format);

/// The dataset at `path` in the format of its files. A file is recognized by its magic bytes; both
/// halves of a dataset in two formats are found by the path of either. If `format` is not "auto" it is used
/// instead. If there is no dataset, the arguments are returned.
Result<AppendTarget> find_append_target(Store& store, const std::string& path, const std::string& format);

/// A writer of that format at `path`. `lock`: used if it is that of the dataset's path, else the writer makes
/// its own. kUnsupported for an unknown name.
Result<std::unique_ptr<FormatWriter>> make_format_writer(std::shared_ptr<Store> store,
                                                         const std::string& path, const Options& options,
                                                         std::shared_ptr<WriterLock> lock = nullptr);

}  // namespace esker
